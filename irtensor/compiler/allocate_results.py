"""Memory of one sparse result: exact arrays where lengths are known, warm growable blocks elsewhere."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from irtensor.dialects.argument_layout import Argument, tensor_arguments
from irtensor.dialects.tensor_format import TensorFormat
from irtensor.runtime.result_memory import RESULT_MEMORY, new_slots
from irtensor.storage.level_storage import LevelStorage, width_dtype
from irtensor.tensor import Tensor

_SLOT_BYTES = 24


class GrowableResult:
    """Arrays of a result while a kernel runs. `arguments` are what the kernel is passed for them, in layout order."""

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype, format: TensorFormat, entries: int) -> None:
        self.shape = shape
        self.dtype = dtype
        self.format = format
        layout = [argument for argument in tensor_arguments(format, True) if argument.kind != "extent"]
        self.slots = new_slots(sum(argument.growable for argument in layout))
        self.arguments: list[int] = []
        self.arrays: dict[Argument, np.ndarray | int] = {}
        try:
            self._allocate(layout, entries)
        except MemoryError as error:
            self.discard()
            message = f"{error}: shape {shape}, dtype {dtype}, stored {format}"
            raise MemoryError(f"{message}; store large dimensions in compressed levels") from None

    def _allocate(self, layout: Sequence[Argument], entries: int) -> None:
        first_slot = ctypes.addressof(self.slots)
        number = 0
        for argument in layout:
            element = self._element(argument)
            if argument.growable:
                RESULT_MEMORY.lend(self.slots, number, element.itemsize, self._most(argument, entries) + 1)
                self.arguments.append(first_slot + _SLOT_BYTES * number)
                self.arrays[argument] = number
                number += 1
            else:
                array = RESULT_MEMORY.empty((max(self._length(argument), 1),), element)
                self.arguments.append(array.__array_interface__["data"][0])
                self.arrays[argument] = array

    def _element(self, argument: Argument) -> np.dtype:
        if argument.kind == "values":
            return self.dtype
        format = self.format
        return width_dtype(format.position_width if argument.kind == "positions" else format.coordinate_width)

    def _length(self, argument: Argument) -> int:
        """Length of an array that follows from the extents."""
        outer = prod(self.format.level_extent(level, self.shape) for level in range(argument.number))
        return outer + 1 if argument.kind == "positions" else outer

    def _most(self, argument: Argument, entries: int) -> int:
        """How many elements an array needs if each stored operand entry makes one; under dense levels, a block each."""
        if argument.kind != "values":
            return entries
        extents = [self.format.level_extent(level, self.shape) for level in range(argument.number)]
        split = len(extents)
        while split and self.format.levels[split - 1].format.name == "dense":
            split -= 1
        return min(entries, prod(extents[:split])) * prod(extents[split:])

    def finish(self) -> Tensor:
        """The tensor that the kernel has filled in."""
        positions: dict[int, np.ndarray] = {}
        coordinates: dict[int, np.ndarray] = {}
        values = np.empty(0, self.dtype)
        for argument, held in self.arrays.items():
            if isinstance(held, int):
                array = RESULT_MEMORY.adopt(self.slots, held, self._element(argument))
            else:
                array = held[: self._length(argument)]
            match argument.kind:
                case "positions":
                    positions[argument.number] = array
                case "coordinates":
                    coordinates[argument.number] = array
                case _:
                    values = array
        count = len(self.format.levels)
        levels = tuple(LevelStorage(positions.get(k), coordinates.get(k)) for k in range(count))
        return Tensor(self.shape, self.format, levels, values)

    def discard(self) -> None:
        """Give the memory back after a kernel that failed."""
        for argument, held in self.arrays.items():
            if isinstance(held, int):
                RESULT_MEMORY.discard(self.slots, held, self._element(argument).itemsize)


def allocate_result(
    shape: tuple[int, ...], dtype: np.dtype, format: TensorFormat, operands: Sequence[Any]
) -> GrowableResult:
    """Arrays for a result, with room for as many entries as the sparse operands store together."""
    entries = sum(operand.nnz for operand in operands if not isinstance(operand, np.ndarray))
    return GrowableResult(shape, dtype, format, entries)
