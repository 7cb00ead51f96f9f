"""Floats of 16 bits in statements: they are converted where they are read, and where a result is stored."""

from __future__ import annotations

from irtensor.frontend.element_types import SINGLE, is_stored
from irtensor.frontend.typed_expression import TypedCast, TypedExpression


def computed(value: TypedExpression) -> TypedExpression:
    """A value in the type that is computed in: float32 in place of float16 and bfloat16."""
    return TypedCast(value, SINGLE) if is_stored(value.dtype) else value


def stored(value: TypedExpression) -> TypedExpression:
    """The value of a statement: an operand as it is, or a written conversion, keeps its type."""
    match value:
        case TypedCast(operand=operand, written=False) if value.dtype == SINGLE and is_stored(operand.dtype):
            return operand
        case _:
            return value
