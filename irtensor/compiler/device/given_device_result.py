"""`out=` of a call whose kernels run on a GPU: an array there that the caller gives for a dense result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irtensor.compiler.device.device_kernel import arrays_of
from irtensor.compiler.kernel.given_result import refuse_stored
from irtensor.core.diagnostics import UserError
from irtensor.interop.device_operands import as_device_operand
from irtensor.storage.stored_device_array import StoredDeviceArray

if TYPE_CHECKING:
    from irtensor.compiler.kernel.kernel import Kernel


def run_into(out: Any, kernel: Kernel, data: Sequence[Any], run: Callable[[StoredDeviceArray | None], Any]) -> None:
    """Let an array take what `run` computes. Raises UserError [bad-argument], [operand-on-host]."""
    refuse_stored(kernel)
    write_into(as_device_operand(out, "out"), kernel.signature.result.shape(data), kernel.result_dtype, data, run)


def write_into(
    array: Any,
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    data: Sequence[Any],
    run: Callable[[StoredDeviceArray | None], Any],
) -> None:
    """The same for a result of this shape and dtype; through memory of its own where an operand is in the array."""
    if not isinstance(array, StoredDeviceArray) or array.shape != shape or array.dtype != dtype:
        message = f"out must be an array of shape {shape} and dtype {dtype}, got shape {array.shape}, {array.dtype}"
        raise UserError("bad-argument", message, help="omit out= to get a new array")
    if array.memory.read_only:
        raise UserError("bad-argument", "out is read-only")
    if _shares_memory(array, data):
        array.replace_storage(run(None))
    else:
        run(array)


def _shares_memory(array: StoredDeviceArray, data: Sequence[Any]) -> bool:
    begin = array.memory.address
    end = begin + array.nbytes
    parts = (part for operand in data for part in arrays_of(operand))
    return any(part.memory.address < end and begin < part.memory.address + part.nbytes for part in parts)
