"""IR of the checks that a GPU makes of the storage of tensors: see device_checks.

Each takes, behind numbers, the addresses of the arrays, and last of two counters, which are 0 where nothing is wrong.
Types of integers are written as `i32`.
"""

from __future__ import annotations

from functools import cache

from irtensor.compiler.device.device_function import DeviceFunction

# Positions rise from 0 to the number of entries: `wrong[0]` counts those that do not.
_POSITIONS = """
func.func @check_positions(%parents: index, %entries: index, %pos: !loop.buffer<INT>, %wrong: !loop.buffer<i64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %unit = arith.constant 1 : i64
  %end = arith.addi %parents, %one : index
  loop.parallel %p = %zero to %end {
    %before = arith.subi %p, %one : index
    %earlier = arith.maxsi %before, %zero : index
    %narrow = loop.load %pos[%p] : INT
    %value = arith.index_cast %narrow : INT to index
    %narrow_earlier = loop.load %pos[%earlier] : INT
    %value_before = arith.index_cast %narrow_earlier : INT to index
    %falls = arith.cmpi slt, %value, %value_before : index
    %is_first = arith.cmpi eq, %p, %zero : index
    %is_last = arith.cmpi eq, %p, %parents : index
    %is_some = arith.cmpi ne, %value, %zero : index
    %is_other = arith.cmpi ne, %value, %entries : index
    %begins_wrong = arith.andi %is_first, %is_some : i1
    %ends_wrong = arith.andi %is_last, %is_other : i1
    %at_an_end = arith.ori %begins_wrong, %ends_wrong : i1
    %is_wrong = arith.ori %falls, %at_an_end : i1
    loop.if %is_wrong {
      loop.atomic %wrong[%zero] (%old: i64) {
        %new = arith.addi %old, %unit : i64
        loop.yield %new : i64
      }
    }
  }
  func.return
}
"""

# Coordinates are in range, counted by `wrong[0]`, and rise within each segment: `wrong[1]` counts where they do not,
# less the segments that begin there.
_COORDINATES = """
func.func @check_coordinates(%parents: index, %entries: index, %least: index, %past: index,
                             %pos: !loop.buffer<POS>, %crd: !loop.buffer<CRD>, %wrong: !loop.buffer<i64>) {
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
      %narrow = loop.load %crd[%q] : CRD
      %value = arith.index_cast %narrow : CRD to index
      %below = arith.cmpi slt, %value, %least : index
      %beyond = arith.cmpi sge, %value, %past : index
      %is_outside = arith.ori %below, %beyond : i1
      %more = arith.extui %is_outside : i1 to i64
      %found = loop.get %outside : i64
      %sum = arith.addi %found, %more : i64
      loop.set %sum, %outside : i64
      %q_before = arith.subi %q, %one : index
      %earlier = arith.maxsi %q_before, %zero : index
      %narrow_earlier = loop.load %crd[%earlier] : CRD
      %value_before = arith.index_cast %narrow_earlier : CRD to index
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
      %narrow_begin = loop.load %pos[%p] : POS
      %begin = arith.index_cast %narrow_begin : POS to index
      %narrow_end = loop.load %pos[%p_next] : POS
      %end = arith.index_cast %narrow_end : POS to index
      %has_entries = arith.cmpi slt, %begin, %end : index
      %has_earlier = arith.cmpi sgt, %begin, %zero : index
      %is_boundary = arith.andi %has_entries, %has_earlier : i1
      loop.if %is_boundary {
        %begin_before = arith.subi %begin, %one : index
        %narrow = loop.load %crd[%begin] : CRD
        %narrow_earlier = loop.load %crd[%begin_before] : CRD
        %is_fall = arith.cmpi sle, %narrow, %narrow_earlier : CRD
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
"""


@cache
def positions_check(type: str) -> DeviceFunction:
    """The check of positions: of how many parents, and how many entries they count."""
    return _function("check_positions", _POSITIONS.replace("INT", type))


@cache
def coordinates_check(positions: str, coordinates: str) -> DeviceFunction:
    """The check of lists of coordinates: of how many parents, how many entries, and the range, without its end."""
    return _function("check_coordinates", _COORDINATES.replace("POS", positions).replace("CRD", coordinates))


def _function(name: str, text: str) -> DeviceFunction:
    return DeviceFunction(text, name, f"{name} of a tensor")
