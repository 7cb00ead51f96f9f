"""Validation of the storage of tensors on a GPU: the GPU says whether anything is wrong, and the host what it is.

Levels that most formats have are checked where they are. All others, and those in which something is found, are copied
to the host and checked there: so errors are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from irtensor.compiler.device_check_code import coordinates_check, entries_check, positions_check
from irtensor.compiler.device_function import DeviceFunction
from irtensor.device_array import DeviceArray, number_array
from irtensor.device_tensor import DeviceTensor
from irtensor.dialects.tensor_format import TensorFormat
from irtensor.storage.check_storage import check_arrays
from irtensor.storage.level_storage import width_dtype


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
        return self._finds_nothing(coordinates_check(*types), parts)

    def _are_right_positions(self, stored: Any) -> bool:
        if stored.positions.size != self.count + 1:
            return False
        parts = (self.count, stored.coordinates.size, _address(stored.positions))
        return self._finds_nothing(positions_check(_type(stored.positions)), parts)

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
        return self._finds_nothing(entries_check(len(inner), _type(listed[0])), parts)

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
