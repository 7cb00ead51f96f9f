"""NumPy's functions of one and two arrays (ufuncs) on Tensors, by the operators of the same meaning."""

from __future__ import annotations

from typing import Any

import numpy as np

from irtensor.interop import numpy_ufuncs
from irtensor.operators.known_operators import REDUCTIONS
from irtensor.tensors.elementwise import elementwise
from irtensor.tensors.matmul import matmul

# Functions that only ask which elements are not zero.
_LOGICAL = {np.logical_and: "and", np.logical_or: "or", np.logical_xor: "xor", np.logical_not: "not"}


def apply_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """The result of a call of a ufunc, or of its `reduce`; NotImplemented for what no operator is."""
    out = keywords.pop("out", None)
    if method == "__call__" and not keywords:
        result = _call(ufunc, inputs)
    elif method == "reduce" and len(inputs) == 1 and not isinstance(inputs[0], np.ndarray):
        result = _reduce(ufunc, inputs[0], **keywords)
    else:
        return NotImplemented
    return result if out is None or result is NotImplemented else numpy_ufuncs.written(result, out[0])


def _call(ufunc: Any, inputs: tuple[Any, ...]) -> Any:
    if ufunc is np.matmul:
        return matmul(*inputs)
    if ufunc is np.positive:
        return inputs[0]
    if (logical := _LOGICAL.get(ufunc)) is not None:
        return elementwise(logical, *(_truth(value) for value in inputs))
    return numpy_ufuncs.apply_ufunc(elementwise, ufunc, "__call__", inputs, {})


def _truth(value: Any) -> Any:
    dtype = getattr(value, "dtype", None)
    if dtype is None:
        return np.asarray(value) != 0
    return value if dtype.kind == "b" else elementwise("ne", value, 0)


def _reduce(ufunc: Any, tensor: Any, axis: Any = 0, keepdims: bool = False, dtype: Any = None, **others: Any) -> Any:
    from irtensor.tensors.tensor_reductions import reduced

    operator = _LOGICAL.get(ufunc) or numpy_ufuncs.operator_of(ufunc)
    if operator not in REDUCTIONS or any(value is not None for value in others.values()):
        return NotImplemented
    return reduced(tensor, operator, axis, keepdims, dtype)
