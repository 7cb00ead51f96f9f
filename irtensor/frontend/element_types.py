"""NumPy's dtypes and the element types of the IR: which are supported, and how they are spelled."""

from __future__ import annotations

from typing import Any

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.core.element_values import is_stored_only
from irtensor.core.operator_symbols import CASTS
from irtensor.interop.optional_library import optional_library

# A dtype that NumPy has only beside the library `ml_dtypes`, which this package does not need itself.
BFLOAT16 = "bfloat16"
_ELEMENT_NAMES: dict[np.dtype, str] = {np.dtype(name): cast for name, cast in CASTS.items() if name != BFLOAT16}
_DTYPES = {element: dtype for dtype, element in _ELEMENT_NAMES.items()}
_SUPPORTED = ", ".join(CASTS)
SINGLE = np.dtype(np.float32)


def dtype_of(given: Any) -> np.dtype[Any]:
    """What NumPy takes for a dtype; a TypeError for anything else, in which NumPy looks for what may raise anything."""
    if isinstance(given, str) and given == BFLOAT16:
        return dtype_named(CASTS[BFLOAT16])
    try:
        return np.dtype(given)
    except Exception as error:
        raise TypeError(str(error)) from None


def cast_name(given: Any) -> str:
    """The function of the notation that converts to a dtype. Raises UserError [unsupported-dtype]."""
    try:
        dtype = dtype_of(given)
    except TypeError:
        dtype = None
    if dtype is not None and is_supported(dtype):
        return dtype.name
    problem = f"{given!r} is not a dtype" if dtype is None else f"no element is converted to {dtype}"
    raise UserError("unsupported-dtype", problem, help=f"supported are {_SUPPORTED}")


def is_supported(dtype: np.dtype) -> bool:
    return dtype in _ELEMENT_NAMES or _is_bfloat16(dtype)


def element_name(dtype: np.dtype) -> str:
    """The IR spelling of a supported dtype."""
    found = _ELEMENT_NAMES.get(dtype)
    return CASTS[BFLOAT16] if found is None and _is_bfloat16(dtype) else _ELEMENT_NAMES[dtype]


def dtype_named(element: str) -> np.dtype:
    """The dtype of an element type by its IR spelling. Raises UserError [missing-library] for bfloat16 without it."""
    found = _DTYPES.get(element)
    if found is None and element == CASTS[BFLOAT16]:
        library: Any = optional_library("ml_dtypes", "elements are bfloat16")
        found = _DTYPES[element] = np.dtype(library.bfloat16)
        _ELEMENT_NAMES[found] = element
    return _DTYPES[element] if found is None else found


def cast_dtype(name: str) -> np.dtype:
    """The dtype that a function of the notation converts to."""
    return dtype_named(CASTS[name])


def is_stored(dtype: np.dtype) -> bool:
    """Whether elements of a dtype are stored in it, and computed in float32."""
    return is_stored_only(element_name(dtype))


def check_dtype(dtype: np.dtype, what: str) -> np.dtype:
    """`dtype` itself; raises UserError [unsupported-dtype] naming `what` has it."""
    if is_supported(dtype):
        return dtype
    help = f"convert it with .astype; supported are {_SUPPORTED}"
    raise UserError("unsupported-dtype", f"{what} has dtype {dtype}", help=help)


def _is_bfloat16(dtype: np.dtype) -> bool:
    # An array of it shows that the library is there.
    return dtype.kind == "V" and dtype.name == BFLOAT16 and dtype == dtype_named(CASTS[BFLOAT16])


def is_rounded(dtype: np.dtype) -> bool:
    """Whether numbers of a dtype are floats, or complex ones of them, which arithmetic rounds."""
    return dtype.kind in "fc" or _is_bfloat16(dtype)
