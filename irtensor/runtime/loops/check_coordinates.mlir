// A check on a GPU: coordinates are in range, counted by `wrong[0]`, and rise within each segment: `wrong[1]` counts
// where they do not, less the segments that begin there.

!position = i32
!coordinate = i32

func.func @check_coordinates(
    %parents: index, %entries: index, %least: index, %past: index, %pos: !loop.buffer<!position>,
    %crd: !loop.buffer<!coordinate>, %wrong: !loop.buffer<i64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0 : i64
  %parts = loop.parts %entries
  loop.parallel %part = %zero to %parts {
    %next = arith.addi %part, %one : index
    %first_work = arith.muli %part, %entries : index
    %first = arith.divsi %first_work, %parts : index
    %last_work = arith.muli %next, %entries : index
    %last = arith.divsi %last_work, %parts : index
    %outside = loop.cell %none : i64
    %falls = loop.cell %none : i64
    loop.for %q = %first to %last {
      %narrow = loop.load %crd[%q] : !coordinate
      %value = arith.index_cast %narrow : !coordinate to index
      %below = arith.cmpi slt, %value, %least : index
      %beyond = arith.cmpi sge, %value, %past : index
      %is_outside = arith.ori %below, %beyond : i1
      %more = arith.extui %is_outside : i1 to i64
      %found = loop.get %outside : i64
      %sum = arith.addi %found, %more : i64
      loop.set %sum, %outside : i64
      %q_before = arith.subi %q, %one : index
      %earlier = arith.maxsi %q_before, %zero : index
      %narrow_earlier = loop.load %crd[%earlier] : !coordinate
      %value_before = arith.index_cast %narrow_earlier : !coordinate to index
      %does_not_rise = arith.cmpi sle, %value, %value_before : index
      %has_earlier = arith.cmpi sgt, %q, %zero : index
      %is_fall = arith.andi %does_not_rise, %has_earlier : i1
      %more_falls = arith.extui %is_fall : i1 to i64
      %found_falls = loop.get %falls : i64
      %sum_falls = arith.addi %found_falls, %more_falls : i64
      loop.set %sum_falls, %falls : i64
    }
    %all_outside = loop.get %outside : i64
    loop.atomic %wrong[%zero] (%old: i64) {
      %new = arith.addi %old, %all_outside : i64
      loop.yield %new : i64
    }
    %all_falls = loop.get %falls : i64
    loop.atomic %wrong[%one] (%old: i64) {
      %new = arith.addi %old, %all_falls : i64
      loop.yield %new : i64
    }
  }
  %segment_parts = loop.parts %parents
  loop.parallel %part = %zero to %segment_parts {
    %next = arith.addi %part, %one : index
    %first_work = arith.muli %part, %parents : index
    %first = arith.divsi %first_work, %segment_parts : index
    %last_work = arith.muli %next, %parents : index
    %last = arith.divsi %last_work, %segment_parts : index
    %falls = loop.cell %none : i64
    loop.for %p = %first to %last {
      %p_next = arith.addi %p, %one : index
      %narrow_begin = loop.load %pos[%p] : !position
      %begin = arith.index_cast %narrow_begin : !position to index
      %narrow_end = loop.load %pos[%p_next] : !position
      %end = arith.index_cast %narrow_end : !position to index
      %has_entries = arith.cmpi slt, %begin, %end : index
      %has_earlier = arith.cmpi sgt, %begin, %zero : index
      %is_boundary = arith.andi %has_entries, %has_earlier : i1
      loop.if %is_boundary {
        %begin_before = arith.subi %begin, %one : index
        %narrow = loop.load %crd[%begin] : !coordinate
        %narrow_earlier = loop.load %crd[%begin_before] : !coordinate
        %is_fall = arith.cmpi sle, %narrow, %narrow_earlier : !coordinate
        %less = arith.extui %is_fall : i1 to i64
        %found = loop.get %falls : i64
        %sum = arith.addi %found, %less : i64
        loop.set %sum, %falls : i64
      }
    }
    %all_falls = loop.get %falls : i64
    loop.atomic %wrong[%one] (%old: i64) {
      %new = arith.subi %old, %all_falls : i64
      loop.yield %new : i64
    }
  }
  func.return
}
