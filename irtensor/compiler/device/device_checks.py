"""Validation of the storage of tensors on a GPU: the GPU says whether anything is wrong, and the host what it is.

Levels are checked where they are, and only the number of faults is copied. A tensor with faults is copied to the host
and checked there, so that errors are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from irtensor.compiler.device.device_check_code import coordinates_check, positions_check
from irtensor.compiler.device.device_function import DeviceFunction
from irtensor.compiler.device.device_path_code import (
    LevelArrays,
    Merge,
    flags_check,
    order_check,
    repetition_check,
    slots_check,
    used_check,
    values_check,
)
from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.levels.known_levels import BUILT_IN
from irtensor.storage.check_storage import check_arrays, check_replacement, unpadded_diagonals
from irtensor.storage.element_types import fill_element
from irtensor.storage.level_storage import array_dtype
from irtensor.storage.stored_device_array import DeviceMemory, StoredDeviceArray, number_array
from irtensor.storage.stored_device_tensor import StoredDeviceTensor, make_device_tensor


def check_device_tensor(tensor: StoredDeviceTensor, name: str, content: bool = True) -> None:
    """Raise UserError [bad-storage] unless the arrays are what the format promises.

    With `content` false only their types and lengths are checked.
    """
    if not _Check(tensor, content).finds_all_right():
        host = tensor.to_host()
        check_arrays(host.shape, host.format, host.levels, host.values, name, content)


def check_device_values(tensor: StoredDeviceTensor, values: StoredDeviceArray) -> None:
    """Raise UserError [bad-storage] unless an array can take the place of the stored elements of a valid tensor.

    Elements beyond the shape, in the padding of blocks, are checked with the levels.
    """
    check_replacement(tensor.device_values, values)
    if values.device != tensor.device:
        message = f"the tensor of shape {tensor.shape} is on GPU {tensor.device}, its values on GPU {values.device}"
        raise UserError("bad-argument", message, help="copy them to the GPU of the tensor")
    if tensor.format.symmetric or tensor.format.padded_dimensions(tensor.shape):
        check_device_tensor(make_device_tensor(tensor.shape, tensor.format, tensor.levels, values), "tensor")


class _Check:
    """Walks the levels from the outermost; `count` is the number of positions of the level above.

    `top` is the first of the levels since the last one above which no coordinates are stored twice. Whatever is not
    clear is left to the host.
    """

    def __init__(self, tensor: StoredDeviceTensor, content: bool = True) -> None:
        self.tensor = tensor
        self.content = content
        self.format: TensorFormat = tensor.format
        self.count = 1
        self.top = 0
        self.ordered_so_far = True
        self.parents: list[int] = []
        memory = tensor.device_values.memory
        self.device, self.stream = memory.device, memory.stream

    def finds_all_right(self) -> bool:
        if self._is_unusual():
            return False
        self.extents = [self.format.level_extent(level, self.tensor.shape) for level in self.format.levels]
        self.arrays = [_arrays_of(self.format, number) for number in range(len(self.format.levels))]
        for number in range(len(self.format.levels)):
            self.parents.append(self.count)
            if not self._is_right_level(number):
                return False
        return self.count == self.tensor.device_values.size and self._are_right_values()

    def _is_unusual(self) -> bool:
        """Whether arrays are others than are checked here, or mirrors have to be absent."""
        if self.format.symmetric:
            return True
        if self.format.rank != len(self.tensor.shape) or len(self.format.levels) != len(self.tensor.levels):
            return True
        for number, (level, stored) in enumerate(zip(self.format.levels, self.tensor.levels, strict=True)):
            properties = level.format.properties
            if level.format.name not in BUILT_IN or properties.pattern.structured or properties.has_pieces:
                return True
            wanted, given = properties.arrays, stored.named()
            if {array.name for array in wanted} != given.keys():
                return True
            if not all(_is_list_of(given[one.name], array_dtype(self.format, number, one)) for one in wanted):
                return True
        return self.tensor.device_values.ndim != 1

    def _is_right_level(self, number: int) -> bool:
        stored: Any = self.tensor.levels[number]
        properties = self.format.levels[number].format.properties
        if properties.equal_segments:
            return self._are_right_slots(number, stored)
        if properties.has_coordinates:
            return self._is_right_list(number, stored)
        if not properties.pattern.branchless:
            if not self._are_distinct_above(number, self.extents[number]):
                return False
            self.count *= self.extents[number]
        return not properties.has_flags or self._are_right_flags(stored.flags)

    def _are_right_flags(self, flags: StoredDeviceArray) -> bool:
        return flags.size == self.count and self._finds_nothing(flags_check(), (self.count, _address(flags)))

    def _are_right_slots(self, number: int, stored: Any) -> bool:
        """Whether each position above has as many slots, of a table or of a sorted list and padding."""
        slots = stored.coordinates.size
        if stored.positions.size != 1 or slots % max(self.count, 1) or (slots and not self.count):
            return False
        if not self._are_distinct_above(number, slots):
            return False
        level = self.format.levels[number].format
        function = slots_check(self.arrays[number], level.pattern.unordered)
        self.count = slots
        return self._finds_nothing(function, self._arguments(range(number, number + 1)))

    def _are_distinct_above(self, number: int, children: int) -> bool:
        """Whether no coordinates are stored twice above a level, where there is anything below them."""
        first, self.top = self.top, number + 1
        if first == number or not children:
            return True
        return self._are_stored_once(first, number - 1)

    def _is_right_list(self, number: int, stored: Any) -> bool:
        """Whether a level has a list of coordinates for each position above it, or one for each of them."""
        level, entries = self.format.levels[number].format, stored.coordinates.size
        if stored.positions is not None:
            if not self._are_right_positions(stored):
                return False
        elif entries != self.count:
            return False
        self.count = entries
        self.ordered_so_far &= level.ordered
        first = self.top
        is_child = stored.positions is None and first == number
        if level.unique or is_child:
            self.top = number + 1
        if is_child and any(level.has_holes for level in self.arrays[:number]):
            return self._finds_nothing(used_check(tuple(self.arrays[: number + 1])), self._arguments(range(number + 1)))
        if first == number and stored.positions is not None and level.unique and level.ordered:
            return self._rises_in_segments(number, stored)
        ordered, unique = level.ordered and not is_child, level.unique and not is_child
        if not self._are_in_order(first, number, ordered, unique and self.ordered_so_far, in_range=True):
            return False
        return not unique or self.ordered_so_far or self._are_stored_once(first, number)

    def _rises_in_segments(self, number: int, stored: Any) -> bool:
        first = self.format.levels[number].expression.first(self.tensor.shape)
        numbers = self.parents[number], self.count, first, first + self.extents[number]
        types = _type(stored.positions), _type(stored.coordinates)
        arguments = (*numbers, _address(stored.positions), _address(stored.coordinates))
        return self._finds_nothing(coordinates_check(*types), arguments)

    def _are_in_order(
        self, first: int, last: int, ordered: bool = True, unique: bool = False, in_range: bool = False
    ) -> bool:
        """Whether coordinates of the last level do not fall, or rise, below equal ones of the levels from the first."""
        arrays = tuple(self.arrays[first : last + 1])
        function = order_check(arrays, first == 0, ordered=ordered, unique=unique, in_range=in_range)
        return self._finds_nothing(function, self._arguments(range(first, last + 1)))

    def _are_stored_once(self, first: int, last: int) -> bool:
        """Whether all coordinates of the last level differ below equal ones of the levels from the first."""
        if self.ordered_so_far or not self.content:
            return self._are_in_order(first, last, unique=True)
        size = 1 << (2 * self.count).bit_length()
        table = DeviceMemory.of_size(self.device, 8 * size, self.stream)
        arguments = self._arguments(range(first, last + 1), [size])
        function = repetition_check(tuple(self.arrays[first : last + 1]), first == 0)
        return self._finds_nothing(function, (*arguments, table.address))

    def _are_right_positions(self, stored: Any) -> bool:
        if stored.positions.size != self.count + 1:
            return False
        parts = (self.count, stored.coordinates.size, _address(stored.positions))
        return self._finds_nothing(positions_check(_type(stored.positions)), parts)

    def _are_right_values(self) -> bool:
        """Whether values beyond the shape are those of blocks, and the fill value."""
        shape, levels, values = self.tensor.shape, self.format.levels, self.tensor.device_values
        padded = self.format.padded_dimensions(shape)
        inside = unpadded_diagonals(self.format)
        if not (padded or inside) or not values.size:
            return True
        fill = np.array([fill_element(self.format, values.dtype)], values.dtype).view(_word(values.dtype))
        outer = dict.fromkeys((*sorted(padded), *inside))
        merges = tuple(_merges(self.format))
        words = f"i{8 * fill.itemsize}", fill.size
        function = values_check(tuple(self.arrays), merges, tuple(sorted(padded)), inside, *words)
        numbers = [*(shape[dimension] for dimension in outer), *map(int, fill)]
        arguments = self._arguments(range(len(levels)), numbers)
        return self._finds_nothing(function, (*arguments, _address(values)))

    def _arguments(self, levels: range, numbers: Sequence[int] = ()) -> list[int]:
        """What a check of levels takes: see device_path_code."""
        found, arrays = [self.count], []
        for number in levels:
            stored: Any = self.tensor.levels[number]
            parents = self.parents[number]
            slots = stored.coordinates.size // max(parents, 1) if self.arrays[number].equal_segments else 0
            first = self.format.levels[number].expression.first(self.tensor.shape)
            found += [self.extents[number], first, parents, slots]
            arrays += [_address(array) for array in stored.arrays()]
        return [*found, *numbers, *arrays]

    def _finds_nothing(self, function: DeviceFunction, arguments: Sequence[int]) -> bool:
        if not self.content:
            return True
        wrong = number_array(np.zeros(2, np.int64), self.device, self.stream)
        status = function(self.device, (*arguments, _address(wrong)), self.stream)
        return status == 0 and not wrong.to_numpy().any()


def _is_list_of(array: Any, dtype: np.dtype[Any]) -> bool:
    return isinstance(array, StoredDeviceArray) and array.ndim == 1 and array.dtype == dtype


def _arrays_of(format: TensorFormat, level: int) -> LevelArrays:
    """The arrays of a level of a format, for the checks."""
    properties = format.levels[level].format.properties
    return LevelArrays(
        f"i{format.position_width_of(level)}" if properties.has_positions else None,
        f"i{format.coordinate_width_of(level)}" if properties.has_coordinates else None,
        properties.has_flags,
        properties.pattern.branchless,
        properties.equal_segments,
    )


def _merges(format: TensorFormat) -> Iterator[Merge]:
    """How the coordinates of levels give those of dimensions, from the innermost: see unpack_coordinates."""
    for number in reversed(range(len(format.levels))):
        level = format.levels[number]
        expression = level.expression
        dimension, other = expression.dimension, expression.other
        if level.format.pattern.branchless and level.format.access.positional:
            continue
        if other is not None:
            follows = format.follows(dimension)
            yield Merge(number, dimension, 1, other) if follows else Merge(number, other, 1, dimension, "subi")
        elif expression.form == "floordiv":
            yield Merge(number, dimension, expression.factor, dimension)
        else:
            yield Merge(number, dimension)


def _word(dtype: np.dtype[Any]) -> str:
    """The type of integers that elements consist of."""
    return f"i{min(dtype.itemsize, 8)}"


def _address(array: StoredDeviceArray) -> int:
    return array.memory.address


def _type(array: StoredDeviceArray) -> str:
    return f"i{8 * array.dtype.itemsize}"
