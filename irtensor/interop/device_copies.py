"""Copies of arrays and tensors of the host in the memory of a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.frontend.arguments import as_integer
from irtensor.interop.as_operand import as_operand
from irtensor.interop.cuda_arrays import stream_handle
from irtensor.interop.device_operands import is_device_operand
from irtensor.interop.other_arrays import may_be_on_device
from irtensor.runtime import cuda_device
from irtensor.runtime.array_address import array_address
from irtensor.storage.element_types import element_values
from irtensor.storage.stored_device_array import DeviceMemory, StoredDeviceArray, make_device_array
from irtensor.storage.stored_device_tensor import StoredDeviceTensor, make_device_tensor
from irtensor.storage.stored_tensor import StoredTensor

SPARSE = "the array is sparse, and a DeviceArray is dense"


def copied_array(array: Any, device: int = 0, stream: Any = None) -> StoredDeviceArray:
    """See `irtensor.cuda.to_device`."""
    if isinstance(array, StoredDeviceArray):
        return array if array.device == device else copied_array(array.to_numpy(), device, stream)
    if may_be_on_device(array):
        _refuse_of_device(array)
    operand = array if isinstance(array, StoredTensor) else as_operand(array)
    if not isinstance(operand, np.ndarray):
        raise UserError("bad-argument", SPARSE, help="copy the sparse one: irtensor.as_tensor(A).to_device()")
    elements = np.ascontiguousarray(element_values(operand, "the array")).reshape(operand.shape)
    handle = stream_handle(stream)
    card = cuda_device.device(as_integer("device=", device))
    memory = DeviceMemory.of_size(card, elements.nbytes, handle)
    if elements.nbytes:
        card.copy_to_device(memory.address, array_address(elements), elements.nbytes, handle)
    return make_device_array(elements.shape, elements.dtype, memory)


def _refuse_of_device(array: Any) -> None:
    """Raise UserError [operand-on-device] for an array of another library that is on a GPU."""
    if is_device_operand(array):
        message = f"the array, a {type(array).__name__}, is on a GPU already"
        raise UserError("operand-on-device", message, help="use it where it is: irtensor.cuda.as_device_array(x)")


def copied_tensor(tensor: StoredTensor, device: int = 0, stream: Any = None) -> StoredDeviceTensor:
    """A copy of a tensor of the host on a GPU."""

    def moved(array: Any) -> Any:
        return copied_array(array, device, stream)

    levels = tuple(level.mapped(moved) for level in tensor.levels)
    made = make_device_tensor(tensor.shape, tensor.format, levels, moved(tensor.values))
    made.made_of(tensor)
    return made
