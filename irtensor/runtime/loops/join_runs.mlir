// Neighbouring runs of equal values of each segment become one run.

!position = i64
!coordinate = i64
!element = i64

// Joins the runs of the segments from `first` to `last`: run q of a segment has `values[q]` from `begins[q]`, or from
// where the run before ends if `listed` is 0, up to `ends[q]`. What `to[first]` says is how many runs there are before.
// With `covers` at 1, gaps are runs of the fill value; with 0, runs of the fill value are gaps. `number` runs are given.
// Arrays of the outcome have room for one run more than there are. Status 2 where positions are not those of segments.
func.func @join(
    %positions: !loop.buffer<!position>, %begins: !loop.buffer<!coordinate>, %ends: !loop.buffer<!coordinate>,
    %values: !loop.buffer<!element>, %fills: !loop.buffer<!element>, %to: !loop.buffer<i64>,
    %new_begins: !loop.buffer<!coordinate>, %new_ends: !loop.buffer<!coordinate>, %joined: !loop.buffer<!element>,
    %listed: index, %covers: index, %extent: index, %number: index, %first: index, %last: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %nowhere = arith.constant -1 : index
  %fill = loop.load %fills[%zero] : !element
  %is_listed = arith.cmpi ne, %listed, %zero : index
  %is_covering = arith.cmpi ne, %covers, %zero : index
  %most = arith.subi %number, %one : index
  %start = loop.load %to[%first] : i64
  %known = arith.index_cast %start : i64 to index
  %count = loop.cell %known : index
  loop.for %s = %first to %last {
    %after = arith.addi %s, %one : index
    %from_own = loop.load %positions[%s] : !position
    %from = arith.index_cast %from_own : !position to index
    %past_own = loop.load %positions[%after] : !position
    %past = arith.index_cast %past_own : !position to index
    %is_known = arith.cmpi sge, %from, %zero : index
    %grows = arith.cmpi sle, %from, %past : index
    %ends_within = arith.cmpi sle, %past, %number : index
    %is_segment = arith.andi %is_known, %grows : i1
    %is_right = arith.andi %is_segment, %ends_within : i1
    loop.require %is_right else 2
    // The last run of the outcome, which the next one may go on with: none of this segment yet.
    %last_begin = loop.cell %zero : index
    %last_end = loop.cell %nowhere : index
    %last_value = loop.cell %fill : !element
    %reached = loop.cell %zero : index
    // Behind the last run, there may be a gap.
    %stop = arith.addi %past, %covers : index
    loop.for %q = %from to %stop {
      %is_run = arith.cmpi slt, %q, %past : index
      %at = arith.minsi %q, %most : index
      %so_far = loop.get %reached : index
      %end_own = loop.load %ends[%at] : !coordinate
      %end_given = arith.index_cast %end_own : !coordinate to index
      %end = arith.select %is_run, %end_given, %extent : index
      %begin_own = loop.load %begins[%at] : !coordinate
      %begin_stored = arith.index_cast %begin_own : !coordinate to index
      %begin_given = arith.maxsi %begin_stored, %zero : index
      %begin_run = arith.select %is_listed, %begin_given, %so_far : index
      %begin = arith.select %is_run, %begin_run, %extent : index
      %value = loop.load %values[%at] : !element
      %is_behind = arith.cmpi slt, %so_far, %begin : index
      %has_gap = arith.andi %is_behind, %is_covering : i1
      %first_piece = arith.select %has_gap, %zero, %one : index
      %past_piece = arith.select %is_run, %two, %one : index
      loop.for %piece = %first_piece to %past_piece {
        %is_gap = arith.cmpi eq, %piece, %zero : index
        %lower = arith.select %is_gap, %so_far, %begin : index
        %upper = arith.select %is_gap, %begin, %end : index
        %v = arith.select %is_gap, %fill, %value : !element
        %is_some = arith.cmpi slt, %lower, %upper : index
        %differs = arith.cmpi ne, %v, %fill : !element
        %is_kept = arith.ori %differs, %is_covering : i1
        %is_wanted = arith.andi %is_some, %is_kept : i1
        %n = loop.get %count : index
        %end_before = loop.get %last_end : index
        %touches = arith.cmpi eq, %end_before, %lower : index
        %value_before = loop.get %last_value : !element
        %is_same = arith.cmpi eq, %value_before, %v : !element
        %goes_on = arith.andi %touches, %is_same : i1
        %is_longer = arith.andi %goes_on, %is_wanted : i1
        %previous = arith.subi %n, %one : index
        %slot = arith.select %is_longer, %previous, %n : index
        %begin_before = loop.get %last_begin : index
        %new_begin = arith.select %goes_on, %begin_before, %lower : index
        %begin_own_new = arith.index_cast %new_begin : index to !coordinate
        loop.store %begin_own_new, %new_begins[%slot] : !coordinate
        %end_own_new = arith.index_cast %upper : index to !coordinate
        loop.store %end_own_new, %new_ends[%slot] : !coordinate
        loop.store %v, %joined[%slot] : !element
        %next_begin = arith.select %is_wanted, %new_begin, %begin_before : index
        loop.set %next_begin, %last_begin : index
        %next_end = arith.select %is_wanted, %upper, %end_before : index
        loop.set %next_end, %last_end : index
        %next_value = arith.select %is_wanted, %v, %value_before : !element
        loop.set %next_value, %last_value : !element
        %behind = arith.addi %slot, %one : index
        %more = arith.select %is_wanted, %behind, %n : index
        loop.set %more, %count : index
      }
      %further = arith.maxsi %so_far, %end : index
      loop.set %further, %reached : index
    }
    %total = loop.get %count : index
    %total_own = arith.index_cast %total : index to i64
    loop.store %total_own, %to[%after] : i64
  }
  func.return
}
