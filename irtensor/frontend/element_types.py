"""NumPy's dtypes and the element types of the IR: which are supported, and how they are spelled."""

from __future__ import annotations

from typing import Any

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.core.operator_symbols import CASTS

ELEMENT_NAMES: dict[np.dtype, str] = {np.dtype(name): element for name, element in CASTS.items()}
_SUPPORTED = ", ".join(CASTS)


def dtype_of(given: Any) -> np.dtype[Any]:
    """What NumPy takes for a dtype; a TypeError for anything else, in which NumPy looks for what may raise anything."""
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
    if dtype is not None and dtype in ELEMENT_NAMES:
        return dtype.name
    problem = f"{given!r} is not a dtype" if dtype is None else f"no element is converted to {dtype}"
    raise UserError("unsupported-dtype", problem, help=f"supported are {_SUPPORTED}")


def is_supported(dtype: np.dtype) -> bool:
    return dtype in ELEMENT_NAMES


def element_name(dtype: np.dtype) -> str:
    """The IR spelling of a supported dtype."""
    return ELEMENT_NAMES[dtype]


def check_dtype(dtype: np.dtype, what: str) -> np.dtype:
    """`dtype` itself; raises UserError [unsupported-dtype] naming `what` has it."""
    if dtype in ELEMENT_NAMES:
        return dtype
    help = f"convert it with .astype; supported are {_SUPPORTED}"
    raise UserError("unsupported-dtype", f"{what} has dtype {dtype}", help=help)
