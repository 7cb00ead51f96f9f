"""Which types each operator computes in, for given argument types: NumPy's own ufunc resolution."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from irtensor.core.arithmetic import BOOL, COMPLEX, FLOAT, INTEGER, UNSIGNED
from irtensor.core.operators import OPERATORS, Operator

_HALF, _SINGLE = np.dtype(np.float16), np.dtype(np.float32)
_KINDS = {"b": BOOL, "i": INTEGER, "u": UNSIGNED, "f": FLOAT, "c": COMPLEX}


def resolve_types(operator: str, arguments: Sequence[Any]) -> tuple[np.dtype, ...] | None:
    """Types of the converted arguments and of the result; None if the operator is not defined for them.

    `arguments` are dtypes, or the Python types bool, int, float, complex of weak numbers (not all of them weak).
    """
    return _resolve(operator, tuple(arguments))


@lru_cache(maxsize=4096)
def _resolve(operator: str, arguments: tuple[Any, ...]) -> tuple[np.dtype, ...] | None:
    known = OPERATORS[operator]
    if operator == "where":
        common = _common(arguments[1:])
        return (np.dtype(np.bool_), common, common, common)
    if known.keeps_integers and arguments[0].kind in "biu":
        return (arguments[0], arguments[0])
    if known.counts_truth:
        arguments = tuple(np.dtype(np.int64) if one == np.bool_ else one for one in arguments)
    types = _resolve_numpy(known, arguments)
    if types is None:
        return None
    kind = _KINDS.get(types[-2].kind)
    return types if kind is None or kind in known.definitions else None


def numpy_function(operator: Operator) -> Any:
    """The function of NumPy's that an operator is, or that decides about its types; None if there is none."""
    given = operator.numpy or operator.types_of
    return getattr(np, given) if isinstance(given, str) else given


def forget_types() -> None:
    """After another operator has been registered."""
    _resolve.cache_clear()


def _resolve_numpy(operator: Operator, arguments: tuple[Any, ...]) -> tuple[np.dtype, ...] | None:
    # A bool literal has no weak form of its own; bool is the least type anyway.
    dtypes = tuple(np.dtype(np.bool_) if argument is bool else argument for argument in arguments)
    function = numpy_function(operator)
    try:
        if function is None:
            resolved = (_common(arguments),) * (len(arguments) + 1)
        elif isinstance(function, np.ufunc):
            resolved = function.resolve_dtypes((*dtypes, None))
        else:
            resolved = _resolve_function(function, operator, dtypes)
    except TypeError:
        return None
    resolved = tuple(_SINGLE if dtype == _HALF else dtype for dtype in resolved)
    # The IR gives every operator one result type; NumPy's and ours agree, except where float32 replaced float16.
    match operator.result:
        case "same":
            result = resolved[0]
        case "bool":
            result = np.dtype(np.bool_)
        case "real":
            result = _real(resolved[-2])
        case _:
            result = np.result_type(resolved[0], np.complex64)
    return (*resolved[:-1], result)


def _resolve_function(function: Any, operator: Operator, arguments: tuple[Any, ...]) -> tuple[np.dtype, ...]:
    """Types of a function that says by its result in which one it computes, if that has the type of the arguments."""
    common = _common(arguments)
    if operator.result == "same":
        empty = [one(0) if isinstance(one, type) else np.empty(0, one) for one in arguments]
        common = np.asarray(function(*empty)).dtype
    return (common,) * (len(arguments) + 1)


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
