"""What to write in place of the names of arrays that a Tensor does not have."""

from __future__ import annotations

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.interop.operators_of_others import asking_library

_COORDINATES = "coordinates, values = T.to_coo(), and Tensor.from_coo(..., shape=...) of coordinates computed from them"
_SCIPY = "T.to_scipy().{name}(...), for a matrix; irtensor.as_tensor(...) leads back"
_DENSE = "T.to_numpy().{name}(...), for a tensor that fits into memory as an array"

_INSTEAD = {
    **dict.fromkeys(("reshape", "ravel", "flatten", "squeeze", "swapaxes", "resize", "repeat"), _COORDINATES),
    **dict.fromkeys(("compress", "take", "nonzero", "sum_duplicates"), _COORDINATES),
    **dict.fromkeys(("argmax", "argmin", "sort", "argsort", "cumsum", "cumprod", "tolist", "std", "var"), _DENSE),
    **dict.fromkeys(("setdiag", "getrow", "getcol", "tobsr", "todia", "tolil", "todok"), _SCIPY),
    "eliminate_zeros": "T.prune(0)",
    "data": "T.values, the stored values",
    "indices": "T.levels[k].coordinates, those of level k",
    "indptr": "T.levels[k].positions, those of level k",
    "row": "coordinates, values = T.to_coo()",
    "col": "coordinates, values = T.to_coo()",
    "coords": "coordinates, values = T.to_coo()",
    "getnnz": "T.nnz, or (T != 0).sum(axis=...)",
    "count_nonzero": "(T != 0).sum(axis=...)",
    "size": "math.prod(T.shape), or T.nnz for the number of stored elements",
    "dot": "A @ B, or irtensor.einsum",
    "multiply": "A * B",
    "power": "A ** n",
    "maximum": "numpy.maximum(A, B)",
    "minimum": "numpy.minimum(A, B)",
    "conj": "numpy.conj(A)",
    "conjugate": "numpy.conj(A)",
    "trace": "T.diagonal().sum()",
    "asformat": "T.to_format(...)",
    "item": "T.to_numpy().item()",
    "fill": "T.with_fill(...) for elements that are not stored",
}
# What a DeviceArray has in another way than NumPy's arrays, whose other names need a copy on the host.
_OF_DEVICE_ARRAY = {
    **dict.fromkeys(("T", "transpose"), "irtensor.as_tensor(X).T"),
    **dict.fromkeys(("ravel", "flatten"), "X.reshaped((X.size,))"),
    "reshape": "X.reshaped(shape)",
    "dot": "X @ Y, or irtensor.einsum",
    "conj": "numpy.conj(X)",
    "conjugate": "numpy.conj(X)",
    "nnz": "(X != 0).sum()",
    "to_host": "X.to_numpy()",
    "to_device": "irtensor.cuda.to_device(X.to_numpy(), device=...)",
    "to_format": "irtensor.as_tensor(X.to_numpy(), format).to_device()",
    "to_cupy": "cupy.asarray(X)",
    "to_torch": "torch.as_tensor(X, device='cuda')",
}


class MissingNameError(UserError, AttributeError):
    """A name of arrays that a Tensor does not have, with what to write instead."""


def missing_name(name: str, is_on_device: bool = False) -> Exception:
    """The error for an attribute that a Tensor does not have, on the host or on a GPU."""
    if not name.startswith("__") and asking_library() == "sparse":
        return NotImplementedError(name)
    instead = _INSTEAD.get(name)
    if instead is None:
        return AttributeError(f"'Tensor' object has no attribute '{name}'")
    if is_on_device:
        instead = instead.replace("T.to_", "T.to_host().to_")
    return _missing("missing-name", f"a Tensor has no '{name}'", f"write {instead.format(name=name)}")


def missing_of_device_array(name: str) -> Exception:
    """The error for an attribute that a DeviceArray does not have."""
    instead = _OF_DEVICE_ARRAY.get(name)
    if instead is None and (name.startswith("_") or not hasattr(np.ndarray, name)):
        return AttributeError(f"'DeviceArray' object has no attribute '{name}'")
    if instead is None:
        instead = f"X.to_numpy().{name}{'(...)' if callable(getattr(np.ndarray, name)) else ''}"
    return _missing("missing-name", f"a DeviceArray has no '{name}'", f"write {instead}")


def _missing(slug: str, message: str, help: str) -> MissingNameError:
    return MissingNameError(slug, message, help=help)
