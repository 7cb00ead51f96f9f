"""Comparisons of integers that no integer type holds both of: unsigned ones of 64 bits, with signed ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from irtensor.core.operators import OPERATORS
from irtensor.frontend.expression_tree import Apply
from irtensor.frontend.typed_expression import TypedApply, TypedCast, TypedConstant, TypedExpression

COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def decided_by_sign(operator: str, arguments: Sequence[Any]) -> tuple[bool, Any] | None:
    """What a comparison of an unsigned integer of 64 bits with a negative literal always is, and that integer."""
    for number, other in (arguments, arguments[::-1]) if operator in COMPARISONS else ():
        if type(number) is int and number < 0 and getattr(other, "dtype", None) == np.uint64:
            signs = (number, 0) if number is arguments[0] else (0, number)
            return bool(OPERATORS[operator].value_of(signs, ("i64", "i64"))), other
    return None


def compared_exactly(expression: Apply, arguments: Sequence[TypedExpression]) -> TypedExpression:
    """A comparison of a signed integer and an unsigned one of 64 bits, in either order: by the sign, then as bits."""
    operator, (signed, other) = expression.operator, arguments
    if signed.dtype.kind == "u":
        operator, (other, signed) = _MIRRORED.get(operator, operator), arguments
    truth, zero = np.dtype(np.bool_), TypedConstant(0, signed.dtype)
    is_less = operator in ("ne", "lt", "le")
    sign = TypedApply("lt" if is_less else "ge", (signed, zero), truth, expression.span)
    bits = TypedApply(operator, (TypedCast(signed, other.dtype), other), truth, expression.span)
    return TypedApply("or" if is_less else "and", (sign, bits), truth, expression.span)


def has_wide_integer(arguments: Sequence[Any]) -> bool:
    """Whether a literal is none of the integers that it is compared with."""
    integers = [argument for argument in arguments if type(argument) is int]
    dtypes = [dtype for argument in arguments if (dtype := getattr(argument, "dtype", None)) is not None]
    limits = [np.iinfo(dtype) for dtype in dtypes if dtype.kind in "iu"]
    return any(not limit.min <= value <= limit.max for value in integers for limit in limits)
