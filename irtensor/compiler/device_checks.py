"""Validation of the storage of tensors on a GPU: the GPU says whether anything is wrong, and the host what it is.

Levels that most formats have are checked where they are. All others, and those in which something is found, are copied
to the host and checked there: so errors are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from irtensor.compiler.device_function import DeviceFunction
from irtensor.device_array import DeviceArray, number_array
from irtensor.device_tensor import DeviceTensor
from irtensor.dialects.tensor_format import TensorFormat
from irtensor.storage.check_storage import check_arrays
from irtensor.storage.level_storage import width_dtype

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
func.func @check_coordinates(%parents: index, %entries: index, %extent: index, %pos: !loop.buffer<POS>,
                             %crd: !loop.buffer<CRD>, %wrong: !loop.buffer<i64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0 : i64
  %unit = arith.constant 1 : i64
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
      %below = arith.cmpi slt, %value, %zero : index
      %beyond = arith.cmpi sge, %value, %extent : index
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

# Of entries that list all their coordinates each one comes behind the entry before it, and is in range.
_ENTRIES = """
func.func @check_entries(%entries: index, EXTENTS, CRDS, %wrong: !loop.buffer<i64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %unit = arith.constant 1 : i64
  %true = arith.constant true
  %false = arith.constant false
  loop.parallel %q = %zero to %entries {
    %q_before = arith.subi %q, %one : index
    %earlier = arith.maxsi %q_before, %zero : index
    %rises_0 = arith.cmpi eq, %q, %zero : index
    %same_0 = arith.cmpi sgt, %q, %zero : index
    %outside_0 = arith.cmpi slt, %q, %zero : index
STEPS
    %does_not_rise = arith.xori %rises_LAST, %true : i1
    %is_wrong = arith.ori %does_not_rise, %outside_LAST : i1
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
_STEP = """
    %narrow_N = loop.load %crd_N[%q] : CRD
    %value_N = arith.index_cast %narrow_N : CRD to index
    %narrow_earlier_N = loop.load %crd_N[%earlier] : CRD
    %below_N = arith.cmpi slt, %value_N, %zero : index
    %beyond_N = arith.cmpi sge, %value_N, %extent_N : index
    %here_N = arith.ori %below_N, %beyond_N : i1
    %outside_M = arith.ori %outside_N, %here_N : i1
    %is_more_N = arith.cmpi sgt, %narrow_N, %narrow_earlier_N : CRD
    %is_same_N = arith.cmpi eq, %narrow_N, %narrow_earlier_N : CRD
    %rises_here_N = arith.andi %same_N, %is_more_N : i1
    %rises_M = arith.ori %rises_N, %rises_here_N : i1
    %same_M = arith.andi %same_N, %is_same_N : i1"""


def check_device_tensor(tensor: DeviceTensor, name: str, content: bool = True) -> None:
    """Raise UserError [bad-storage] unless the arrays are what the format promises.

    With `content` false only their types and lengths are checked.
    """
    if not _Check(tensor, content).finds_all_right():
        host = tensor.to_host()
        check_arrays(host.shape, host.format, host.levels, host.values, name, content)


class _Check:
    """Walks the levels from the outermost; `count` is the number of positions of the level above.

    Whatever is not clear is left to the host.
    """

    def __init__(self, tensor: DeviceTensor, content: bool = True) -> None:
        self.tensor = tensor
        self.content = content
        self.format: TensorFormat = tensor.format
        self.count = 1
        memory = tensor.device_values.memory
        self.device, self.stream = memory.device, memory.stream

    def finds_all_right(self) -> bool:
        levels, number = self.format.levels, 0
        if self._is_unusual():
            return False
        while number < len(levels):
            level = levels[number].format
            if level.name == "dense":
                self.count *= self.format.level_extent(number, self.tensor.shape)
            elif level.unique:
                if not self._is_right_list(number):
                    return False
            else:
                return self._are_right_entries(number) and self.count == self.tensor.device_values.size
            number += 1
        return self.count == self.tensor.device_values.size

    def _is_unusual(self) -> bool:
        """Whether the format, or the type of an array, is none that is checked here."""
        pos, crd = width_dtype(self.format.position_width), width_dtype(self.format.coordinate_width)
        for level, stored in zip(self.format.levels, self.tensor.levels, strict=False):
            if level.format.name not in ("dense", "compressed", "singleton") or not level.format.ordered:
                return True
            if level.expression.kind == "minus" or stored.flags is not None:
                return True
            if (
                level.expression.kind == "mod"
                and self.tensor.shape[level.expression.dimension] % level.expression.factor
            ):
                return True
            properties = level.format.properties
            for array, is_there, dtype in (
                (stored.positions, properties.has_positions, pos),
                (stored.coordinates, properties.has_coordinates, crd),
            ):
                if (array is not None) != is_there or (is_there and not _is_list_of(array, dtype)):
                    return True
        shape_is_known = self.format.rank == len(self.tensor.shape) and len(self.format.levels) == len(
            self.tensor.levels
        )
        return not shape_is_known or self.tensor.device_values.ndim != 1

    def _is_right_list(self, number: int) -> bool:
        """Whether a level has a sorted list of coordinates for each position above it."""
        stored: Any = self.tensor.levels[number]
        if stored.positions is None or not self._are_right_positions(stored):
            return False
        entries = stored.coordinates.size
        extent = self.format.level_extent(number, self.tensor.shape)
        types = _type(stored.positions), _type(stored.coordinates)
        parts = (self.count, entries, extent, _address(stored.positions), _address(stored.coordinates))
        self.count = entries
        return self._finds_nothing(_function("check_coordinates", *types), parts)

    def _are_right_positions(self, stored: Any) -> bool:
        if stored.positions.size != self.count + 1:
            return False
        parts = (self.count, stored.coordinates.size, _address(stored.positions))
        return self._finds_nothing(_function("check_positions", _type(stored.positions)), parts)

    def _are_right_entries(self, number: int) -> bool:
        """Whether the levels from this one on list sorted entries, each once."""
        inner = self.format.levels[number:]
        last = len(inner) - 1
        are_entries = all(
            level.format.name == ("singleton" if place else "compressed") and level.format.unique == (place == last)
            for place, level in enumerate(inner)
        )
        first: Any = self.tensor.levels[number]
        if self.count != 1 or not are_entries or not self._are_right_positions(first):
            return False
        listed: list[Any] = [level.coordinates for level in self.tensor.levels[number:]]
        self.count = first.coordinates.size
        if any(array.size != self.count for array in listed):
            return False
        extents = [self.format.level_extent(number + k, self.tensor.shape) for k in range(len(inner))]
        parts = (self.count, *extents, *map(_address, listed))
        return self._finds_nothing(_entries_function(len(inner), _type(listed[0])), parts)

    def _finds_nothing(self, function: DeviceFunction, arguments: Sequence[int]) -> bool:
        if not self.content:
            return True
        wrong = number_array(np.zeros(2, np.int64), self.device, self.stream)
        status = function(self.device, (*arguments, _address(wrong)), self.stream)
        return status == 0 and not wrong.to_numpy().any()


def _is_list_of(array: Any, dtype: np.dtype[Any]) -> bool:
    return isinstance(array, DeviceArray) and array.ndim == 1 and array.dtype == dtype


def _address(array: DeviceArray) -> int:
    return array.memory.address


def _type(array: DeviceArray) -> str:
    return f"i{8 * array.dtype.itemsize}"


@cache
def _function(name: str, *types: str) -> DeviceFunction:
    """A check for arrays of these types."""
    text = _POSITIONS.replace("INT", types[0])
    if name == "check_coordinates":
        text = _COORDINATES.replace("POS", types[0]).replace("CRD", types[1])
    return DeviceFunction(text, name, f"{name} of a tensor")


@cache
def _entries_function(rank: int, type: str) -> DeviceFunction:
    """The check of entries with so many coordinates each."""
    numbers = range(rank)
    steps = "\n".join(_STEP.replace("_M", f"_{k + 1}").replace("_N", f"_{k}") for k in numbers)
    text = _ENTRIES.replace("STEPS", steps).replace("LAST", str(rank))
    text = text.replace("EXTENTS", ", ".join(f"%extent_{k}: index" for k in numbers))
    text = text.replace("CRDS", ", ".join(f"%crd_{k}: !loop.buffer<CRD>" for k in numbers)).replace("CRD", type)
    return DeviceFunction(text, "check_entries", "check_entries of a tensor")
