"""Which types each operator computes in, for given argument types: NumPy's own ufunc resolution."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from irtensor.dialects.operators import OPERATORS, Operator

# Those that change no whole number keep its type, which NumPy's do not all do.
_ROUNDINGS = ("floor", "ceil", "trunc", "round")
_HALF, _SINGLE = np.dtype(np.float16), np.dtype(np.float32)


def resolve_types(operator: str, arguments: Sequence[Any]) -> tuple[np.dtype, ...] | None:
    """Types of the converted arguments and of the result; None if the operator is not defined for them.

    `arguments` are dtypes, or the Python types bool, int, float, complex of weak numbers (not all of them weak).
    """
    return _resolve(operator, tuple(arguments))


@lru_cache(maxsize=4096)
def _resolve(operator: str, arguments: tuple[Any, ...]) -> tuple[np.dtype, ...] | None:
    match operator:
        case "where":
            common = _common(arguments[1:])
            return (np.dtype(np.bool_), common, common, common)
        case _ if operator in _ROUNDINGS and arguments[0].kind in "bi":
            return (arguments[0], arguments[0])
        case "angle" if arguments[0] == np.bool_:
            # NumPy's is arctan2(0, x), whose 0 is an integer beside a bool.
            return _resolve(operator, (np.dtype(np.int64),))
        case _:
            known = OPERATORS[operator]
            name = known.ufunc or known.types_of
            return _resolve_common(known, arguments) if name is None else _resolve_ufunc(name, operator, arguments)


def _resolve_common(operator: Operator, arguments: tuple[Any, ...]) -> tuple[np.dtype, ...]:
    """Types of an operator that is no function of NumPy's."""
    common = _common(arguments)
    if operator.result == "bool":
        return (*(common,) * len(arguments), np.dtype(np.bool_))
    return (*(common,) * len(arguments), _real(common) if operator.result == "real" else common)


def _resolve_ufunc(name: str, operator: str, arguments: tuple[Any, ...]) -> tuple[np.dtype, ...] | None:
    # A bool literal has no weak form of its own; bool is the least type anyway.
    dtypes = tuple(np.dtype(np.bool_) if argument is bool else argument for argument in arguments)
    try:
        types = getattr(np, name).resolve_dtypes((*dtypes, None))
    except TypeError:
        return None
    resolved = tuple(_SINGLE if dtype == _HALF else dtype for dtype in types)
    # The IR gives every operator one result type; NumPy's and ours agree, except where float32 took float16's place.
    match OPERATORS[operator].result:
        case "same":
            result = resolved[0]
        case "real":
            result = _real(resolved[-1])
        case "complex":
            result = np.result_type(resolved[0], np.complex64)
        case _:
            result = resolved[-1]
    return (*resolved[:-1], result)


def _common(arguments: Sequence[Any]) -> np.dtype:
    return np.result_type(*(argument(0) if isinstance(argument, type) else argument for argument in arguments))


def _real(dtype: np.dtype) -> np.dtype:
    return np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype


# Kinds of numbers for which an operator may not be defined, what else they can be, and how that is written.
_CONVERSIONS = (
    ("c", np.dtype(np.float64), "take real(...), imag(...) or abs(...) of complex numbers first"),
    ("f", np.dtype(np.int64), "convert to integers first, as in int64(...)"),
    ("fc", np.dtype(np.int64), "convert to integers first, as in int64(real(...))"),
    ("b", np.dtype(np.int8), "convert truth values to integers first, as in int8(...)"),
)


def other_types(operator: str, wanted: Sequence[Any]) -> str:
    """How to convert arguments for an operator that is not defined for their types, if that helps."""
    dtypes = [np.dtype(one) for one in wanted]
    for kinds, dtype, help in _CONVERSIONS:
        if resolve_types(operator, [dtype if one.kind in kinds else one for one in dtypes]) is not None:
            return help
    return f"NumPy has no '{operator}' for it either"
