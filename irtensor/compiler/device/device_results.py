"""Memory of results on a GPU: exact arrays where lengths are known, elsewhere growables that host code gives room."""

from __future__ import annotations

import ctypes
from math import prod
from typing import Any, NamedTuple

import numpy as np

from irtensor.compiler.kernel.allocate_results import ResultLayout
from irtensor.compiler.kernel.index_of_result import check_index, values_for
from irtensor.core.diagnostics import UserError
from irtensor.interop.device_copies import copied_array
from irtensor.runtime.cuda_device import Device
from irtensor.runtime.result_memory import SLOT_BYTES, SLOT_WORDS, new_slots
from irtensor.storage.check_children import check_children
from irtensor.storage.element_types import fill_element
from irtensor.storage.index_overflow import check_coordinate_widths
from irtensor.storage.level_storage import LevelStorage
from irtensor.storage.stored_device_array import DeviceMemory, StoredDeviceArray, make_device_array
from irtensor.storage.stored_device_tensor import StoredDeviceTensor, make_device_tensor, on_device


class DeviceQueue(NamedTuple):
    """Where a call is: a GPU, a stream of it, and the streams on which other arrays of the call are."""

    device: Device
    stream: int
    others: tuple[int, ...] = ()


class DenseDeviceResult:
    """An array while a kernel runs. `arguments` are what the kernel is passed for it, after its extents."""

    def __init__(self, array: StoredDeviceArray) -> None:
        self.array = array
        self.arguments = [array.memory.address]

    def finish(self) -> StoredDeviceArray:
        """The array that the kernel fills in."""
        return self.array

    def discard(self) -> None:
        """Nothing is to be given back by hand."""


class GrowableDeviceResult:
    """Arrays of a result while a kernel runs; slots of growables are the host's, and their data is the GPU's."""

    def __init__(self, layout: ResultLayout, shape: tuple[int, ...], queue: DeviceQueue) -> None:
        self.layout = layout
        self.shape = shape
        self.queue = queue
        self.slots = new_slots(layout.slot_count)
        self.arguments: list[int] = []
        self.fixed: list[StoredDeviceArray] = []
        extents = [level.expression.extent(shape) for level in layout.format.levels]
        check_coordinate_widths(layout.format, shape)
        for part in layout.parts:
            if part.slot is not None:
                self.arguments.append(ctypes.addressof(self.slots) + SLOT_BYTES * part.slot)
                continue
            length = part.length(layout.positions.below(1, extents, 0, part.end))
            array = new_array((length,), part.element, queue)
            self.fixed.append(array)
            self.arguments.append(array.memory.address)

    def finish(self) -> StoredDeviceTensor:
        """The tensor that the kernel fills in."""
        layout = self.layout
        layout.check_positions(self.slots)
        fixed = iter(self.fixed)
        arrays = [next(fixed) if part.slot is None else self._adopt(part.slot, part.element) for part in layout.parts]
        levels, values = layout.stored(arrays)
        if values is None:
            values = self._no_values(levels)
        result = make_device_tensor(self.shape, layout.format, levels, values)
        if layout.one_child:
            check_children(layout.format, result.to_host().levels, layout.one_child)
        return result

    def _adopt(self, slot: int, element: np.dtype[Any]) -> StoredDeviceArray:
        """The elements in use of a growable as an array, without a copy; the slot is empty afterwards."""
        first = SLOT_WORDS * slot
        address, count = self.slots[first], self.slots[first + 2]
        self.slots[first] = self.slots[first + 1] = self.slots[first + 2] = 0
        if not address:
            return new_array((0,), element, self.queue)
        return make_device_array((count,), element, DeviceMemory(self.queue.device, address, self.queue.stream))

    def _no_values(self, levels: tuple[LevelStorage, ...]) -> StoredDeviceArray:
        """Fill values for every position of an index."""
        layout = self.layout
        count = layout.value_count(levels, self.shape)
        return full_array((count,), fill_element(layout.format, layout.dtype), layout.dtype, self.queue)

    def discard(self) -> None:
        """Give the memory of growables back, as after a kernel that failed."""
        for slot in range(self.layout.slot_count):
            first = SLOT_WORDS * slot
            if self.slots[first]:
                self.queue.device.release(self.slots[first], self.queue.stream)
            self.slots[first] = self.slots[first + 1] = self.slots[first + 2] = 0


class ReplayedDeviceResult:
    """The index of a result and memory for new values, with room for those of one entry more."""

    def __init__(self, layout: ResultLayout, shape: tuple[int, ...], index: Any, queue: DeviceQueue) -> None:
        check_index(index, shape, layout.format)
        if not isinstance(index, StoredDeviceTensor):
            message = f"the index of the result, of shape {index.shape}, is in the memory of the host"
            raise UserError("operand-on-host", message, help="copy it: .to_device()")
        self.index = index
        if index.format.is_pattern:
            self.values, self.arguments = index.device_values, [one.memory.address for one in index.device_buffers()]
            return
        count = index.device_values.size
        room = (count + layout.entry_width(index.shape)) * layout.dtype.itemsize
        self.values = make_device_array((count,), layout.dtype, DeviceMemory.of_size(queue.device, room, queue.stream))
        self.arguments = [array.memory.address for array in index.device_buffers()[:-1]]
        self.arguments.append(self.values.memory.address)

    def finish(self) -> StoredDeviceTensor:
        """The tensor that the kernel fills in; it shares the index arrays."""
        return make_device_tensor(self.index.shape, self.index.format, self.index.levels, self.values)

    def discard(self) -> None:
        """Nothing is to be given back by hand."""


def new_array(shape: tuple[int, ...], dtype: np.dtype[Any], queue: DeviceQueue) -> StoredDeviceArray:
    """An uninitialised array. Raises MemoryError."""
    return make_device_array(
        shape, dtype, DeviceMemory.of_size(queue.device, prod(shape) * dtype.itemsize, queue.stream)
    )


def full_array(shape: tuple[int, ...], value: Any, dtype: np.dtype[Any], queue: DeviceQueue) -> StoredDeviceArray:
    """An array of one value."""
    return copied_array(np.full(shape, value, dtype), queue.device.number, queue.stream)


def device_values_for(index: Any, result: StoredDeviceTensor) -> StoredDeviceTensor:
    """A result that was computed as a whole, with the arrays of its index. Raises UserError [index-mismatch]."""
    if not isinstance(index, StoredDeviceTensor):
        raise on_device(result, "its index is on the host", "the result")
    values_for(index.to_host(), result.to_host())
    return make_device_tensor(index.shape, index.format, index.levels, result.device_values)
