"""Makes a NumPy array or a Tensor of a user's operand. It imports no library that the user has not loaded."""

from __future__ import annotations

import sys
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.interop.other_arrays import may_be_on_device, refuse_sparse
from irtensor.late_imports import load_for
from irtensor.storage.masked_arrays import refuse_masked

if TYPE_CHECKING:
    from irtensor.storage.stored_tensor import StoredTensor

# Numbers, which need no question but this one.
_NUMBERS = (float, complex, np.generic)
# The ways out for an operand that is on a GPU.
ON_HOST = "copy it: .to_numpy(), or compile for target='cuda'"
# Tensors that share the memory of SciPy arrays, by id. The arrays' contents were checked when the Tensor was made.
_shared: dict[int, tuple[weakref.ref[Any], tuple[Any, ...], StoredTensor]] = {}


def as_operand(operand: Any) -> np.ndarray | StoredTensor:
    """An operand as a NumPy array, or as a Tensor if it is sparse; memory is shared where its format allows it.

    Raises UserError [bad-argument] for other values, such as ragged lists.
    """
    if type(operand) is np.ndarray:
        return operand
    # Numbers are frequent operands, and none of the classes below.
    if isinstance(operand, _NUMBERS):
        return np.asarray(operand)
    # An operand can only be of a class that there is; its module may be one that another thread has begun to load.
    if isinstance(operand, getattr(sys.modules.get("irtensor.storage.stored_tensor"), "StoredTensor", ())):
        tensor: Any = operand
        if tensor.is_on_device:
            load_for("cards")
            from irtensor.storage.stored_device_tensor import on_device

            raise on_device(tensor, "the kernel runs on the CPU", "a tensor", ON_HOST.replace("numpy", "host"))
        return tensor
    scipy_sparse = sys.modules.get("scipy.sparse")
    if scipy_sparse is not None and hasattr(scipy_sparse, "issparse") and scipy_sparse.issparse(operand):
        return _from_scipy(operand)
    pydata = sys.modules.get("sparse")
    if pydata is not None and isinstance(operand, getattr(pydata, "SparseArray", ())):
        load_for("tensors")
        load_for("pydata")
        from irtensor.interop.pydata_sparse import tensor_from_pydata

        return tensor_from_pydata(operand, None)
    _refuse_of_device(operand)
    refuse_masked(operand, "operand")
    refuse_sparse(operand, "an operand")
    try:
        array = np.asarray(operand)
    except (ValueError, TypeError) as error:
        if isinstance(error, UserError):
            raise
        message = f"cannot make an array from {type(operand).__name__}: {error}"
        raise UserError("bad-argument", message) from None
    if array.dtype == object and not isinstance(operand, np.ndarray):
        raise UserError("bad-argument", f"cannot make an array of numbers from {type(operand).__name__}")
    return array


def _refuse_of_device(operand: Any) -> None:
    """Raise UserError [operand-on-device] for an array in the memory of a GPU."""
    if may_be_on_device(operand):
        load_for("cards")
        from irtensor.interop.device_operands import is_device_operand

        if is_device_operand(operand):
            shape = tuple(getattr(operand, "shape", ()))
            number = f"GPU {operand.device}" if isinstance(getattr(operand, "device", None), int) else "a GPU"
            message = f"an array of shape {shape} is on {number}, and the kernel runs on the CPU"
            raise UserError("operand-on-device", message, help=ON_HOST)


def _from_scipy(array: Any) -> StoredTensor:
    """The Tensor of a SciPy array; made once as long as the array keeps the same index and value arrays."""
    load_for("tensors")
    if array.format not in ("csr", "csc"):
        from irtensor.interop.scipy_sparse import tensor_from_scipy

        return tensor_from_scipy(array, None, True)
    parts = (array.indptr, array.indices, array.data)
    known = _shared.get(id(array))
    if known is not None and known[0]() is array and all(a is b for a, b in zip(known[1], parts, strict=True)):
        tensor = known[2]
        if tensor.shape == array.shape:
            return tensor
    from irtensor.interop.scipy_sparse import tensor_from_scipy

    tensor = tensor_from_scipy(array, None, True)
    # Only where every array is shared is a later change of the values seen.
    shared = zip(tensor.buffers(), parts, strict=True)
    if all(_address(ours) == _address(theirs) and ours.size == theirs.size for ours, theirs in shared):
        number = id(array)
        _shared[number] = (weakref.ref(array, lambda _: _shared.pop(number, None)), parts, tensor)
    return tensor


def is_remembered(array: Any, tensor: Any) -> bool:
    """Whether a SciPy array has this Tensor as long as its own arrays are the same."""
    known = _shared.get(id(array))
    return known is not None and known[2] is tensor


def shared_count() -> int:
    """How many SciPy arrays are remembered."""
    return len(_shared)


def forget_shared() -> None:
    """Check SciPy arrays anew when they are seen next."""
    _shared.clear()


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]
