"""The dtypes of an einsum call: in which type it computes, and how NumPy's dtypes map to the supported ones.

float16 and bfloat16 compute in float32, as NumPy accumulates it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.frontend.element_types import SINGLE, check_dtype, dtype_of, is_stored, is_supported
from irtensor.frontend.notation.notation_errors import UserTypeError

_CASTING = ("no", "equiv", "safe", "same_kind", "unsafe")


def check_casting(casting: Any) -> str:
    """`casting=` itself, if it is one of NumPy's rules."""
    if not isinstance(casting, str):
        raise UserTypeError("bad-argument", f"casting must be str, not {type(casting).__name__}")
    if casting not in _CASTING:
        names = ", ".join(repr(name) for name in _CASTING)
        raise UserError("bad-argument", f"casting must be one of {names}, got {casting!r}")
    return casting


def read_dtype(given: Any) -> np.dtype:
    """What `dtype=` names. Raises UserError [unsupported-dtype] (a TypeError, too) if that is none of NumPy's."""
    try:
        return dtype_of(given)
    except TypeError as error:
        message = f"dtype={given!r} is not a dtype ({error})"
        raise UserTypeError("unsupported-dtype", message, help="name one of NumPy's, such as 'float32'") from None


def common_dtype(
    dtypes: Sequence[np.dtype], requested: np.dtype | None, out: np.dtype | None, casting: str
) -> np.dtype:
    """The dtype that all operands are converted to: `dtype=`, else the common type of operands and `out`.

    Raises UserError [bad-cast] (a TypeError, too) where `casting` forbids a conversion to it, or from it to `out`.
    """
    if requested is not None:
        common = requested
    else:
        given = (*dtypes, out) if out is not None else dtypes
        try:
            common = np.result_type(*given)
        except TypeError:
            names = ", ".join(map(str, dict.fromkeys(given)))
            raise UserTypeError(
                "unsupported-dtype",
                f"{names} have no type in common",
                help="convert the operands to numbers with .astype",
            ) from None
    common = common.newbyteorder("=")
    for position, dtype in enumerate(dtypes):
        _check_cast(dtype, common, casting, f"operand {position}")
    check_out(common, out, casting)
    return common


def check_out(result: np.dtype, out: np.dtype | None, casting: str) -> None:
    """Raises UserError [bad-cast] (a TypeError, too) where `casting` forbids a conversion of the result to `out`."""
    if out is not None:
        _check_cast(result, out, casting, "the result")


def _check_cast(source: np.dtype, target: np.dtype, casting: str, what: str) -> None:
    if not np.can_cast(source, target, casting):  # pyright: ignore[reportArgumentType]
        message = f"{what} cannot be cast from {source} to {target} according to the rule '{casting}'"
        raise UserTypeError("bad-cast", message, help="pass a wider dtype=, or a more liberal casting=")


def compute_dtype(common: np.dtype) -> np.dtype:
    """The supported dtype that computes `common`'s results. Raises UserError [unsupported-dtype]."""
    return SINGLE if is_stored(check_dtype(common, "the computation")) else common


def read_directly(dtype: np.dtype, common: np.dtype) -> bool:
    """Can a kernel read values of `dtype` and convert them to `common` itself, exactly?"""
    return is_supported(dtype) and is_supported(common) and np.can_cast(dtype, common, "safe")
