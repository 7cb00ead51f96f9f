"""What a user passes as an operand of a kernel for a GPU, as a DeviceArray or a DeviceTensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from irtensor.compiler.device.device_checks import check_device_tensor
from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.interop.cuda_sparse import is_cuda_sparse, shared_array, tensor_of_sparse
from irtensor.storage.element_types import element_values
from irtensor.storage.level_storage import DENSE_LEVEL, LevelStorage
from irtensor.storage.read_arguments import arrays_by_name, as_levels
from irtensor.storage.stored_device_array import StoredDeviceArray
from irtensor.storage.stored_device_tensor import StoredDeviceTensor, make_device_tensor

_NUMBERS = (bool, int, float, complex, np.generic)


def is_device_operand(value: Any) -> bool:
    """Whether something is in the memory of a GPU, by what it says of itself."""
    return isinstance(value, StoredDeviceArray | StoredDeviceTensor) or has_interface(value) or is_cuda_sparse(value)


def has_interface(value: Any) -> bool:
    """Whether it is an array of another library on a GPU; PyTorch's on a CPU have the attribute without a value."""
    return getattr(type(value), "__cuda_array_interface__", None) is not None and _gives_interface(value)


def _gives_interface(value: Any) -> bool:
    try:
        return value.__cuda_array_interface__ is not None
    except AttributeError:
        return False
    except Exception:
        # It is on a GPU, and says why it is not given.
        return True


def as_device_operand(value: Any, subject: str) -> StoredDeviceArray | StoredDeviceTensor | np.ndarray[Any, Any]:
    """An operand on a GPU; memory is shared. A number is an array of NumPy, which kernels copy to where they run.

    Raises UserError [operand-on-host] for an array in the memory of the host, [bad-argument], [cuda-conversion].
    """
    if isinstance(value, StoredDeviceArray | StoredDeviceTensor):
        return value
    if isinstance(value, _NUMBERS) or (isinstance(value, np.ndarray) and value.ndim == 0):
        return element_values(np.asarray(value), subject)
    if is_cuda_sparse(value):
        return tensor_of_sparse(value, subject)
    if has_interface(value):
        return shared_array(value, subject)
    raise on_host(value, subject)


def on_host(value: Any, subject: str) -> UserError:
    """The error for an array in the memory of the host."""
    shape = getattr(value, "shape", None)
    of = f" of shape {tuple(shape)}" if isinstance(shape, tuple) else ""
    message = f"{subject}, a {type(value).__name__}{of}, is in the memory of the host"
    if hasattr(value, "to_device") and hasattr(value, "format"):
        help = "copy it: .to_device()"
    elif type(value).__module__.partition(".")[0] == "torch":
        help = "copy it: x.cuda()"
    elif hasattr(value, "tocsr"):
        help = "copy it: irtensor.as_tensor(A).to_device()"
    else:
        help = "copy it: irtensor.cuda.to_device(array)"
    return UserError("operand-on-host", message, help=f"{help}; or compile for target='cpu'")


def format_of(operand: Any) -> TensorFormat | None:
    """The format that an operand is stored in, None for arrays and numbers."""
    return getattr(operand, "format", None)


def as_device_tensor(value: Any) -> StoredDeviceTensor:
    """An operand on a GPU as a tensor; memory is shared. Raises UserError."""
    operand = as_device_operand(value, "the operand")
    if isinstance(operand, StoredDeviceTensor):
        return operand
    assert isinstance(operand, StoredDeviceArray)
    levels = (DENSE_LEVEL,) * operand.ndim
    return make_device_tensor(
        operand.shape, TensorFormat.dense(operand.ndim), levels, operand.reshaped((operand.size,))
    )


def device_tensor_of_buffers(
    shape: tuple[int, ...], format: TensorFormat, levels: Sequence[Any], values: Any, check: bool
) -> StoredDeviceTensor:
    """`Tensor.from_buffers` of arrays on a GPU. Raises UserError [bad-storage], [operand-on-host]."""

    def shared(array: Any, subject: str) -> StoredDeviceArray:
        given = as_device_operand(array, subject)
        if not isinstance(given, StoredDeviceArray):
            raise on_host(array, subject)
        return given

    if format.is_pattern:
        message = f"'tensor' is given values on a GPU, but the format {format} stores none"
        raise UserError("bad-storage", message, help="make the tensor on the host, and copy it: .to_device()")
    storage: list[LevelStorage] = []
    for number, level in enumerate(as_levels(levels)):
        named = arrays_by_name(number, level, format).items()
        storage.append(LevelStorage.of({name: shared(array, f"level {number}: {name}") for name, array in named}))
    tensor = make_device_tensor(shape, format, tuple(storage), shared(values, "values"))
    check_device_tensor(tensor, "tensor", check)
    return tensor
