"""A statement's expression in the element type that was asked for its result."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from irtensor.core.operators import Scalar
from irtensor.frontend.expression_tree import Apply, Literal, Statement
from irtensor.frontend.notation.notation_errors import notation_error
from irtensor.frontend.typed_expression import TypedApply, TypedCast, TypedExpression, TypedReduce, converted


def converted_result(typed: TypedExpression, dtype: np.dtype, statement: Statement) -> TypedExpression:
    """The expression in another type; its sums and products are combined in that type if it is wider.

    Raises UserError [bad-cast] where NumPy's rule `same_kind` forbids the conversion.
    """
    if not np.can_cast(typed.dtype, dtype, "same_kind"):
        target = statement.target
        # An expression of Python has names for its tensors that nobody has given.
        message = f"the expression has dtype {typed.dtype}, which is not converted to {dtype}, the dtype of its result"
        help = f"convert the expression with .astype('{dtype}')"
        if statement.source is not None:
            message = f"the result {target.tensor} has dtype {typed.dtype}, which is not converted to {dtype}"
            help = f"write the conversion: {replace(statement, expression=Apply(dtype.name, (statement.expression,)))}"
        raise notation_error("bad-cast", message, statement.source, target.span, help=help)
    return _widened(typed, dtype) if np.can_cast(typed.dtype, dtype, "safe") else converted(typed, dtype)


def check_pattern_result(statement: Statement, dtype: np.dtype, fill: Scalar | None) -> None:
    """Raise UserError unless a result can be stored without values: [unsupported-dtype], and [bad-fill] where it is
    true where no operand has an entry."""
    target = statement.target
    if dtype.kind != "b":
        message = f"{target.tensor} has dtype {dtype}, and its format with leaf = pattern stores bools"
        help = f"compare: {replace(statement, expression=Apply('ne', (statement.expression, Literal(0))))}"
        raise notation_error("unsupported-dtype", message, statement.source, target.span, help=help)
    if fill:
        message = f"{target.tensor} is true where no operand has an entry, and its format with leaf = pattern is false"
        help = "negate the expression, or use the format without leaf = pattern"
        raise notation_error("bad-fill", message, statement.source, target.span, help=help)


def _widened(typed: TypedExpression, dtype: np.dtype) -> TypedExpression:
    """An expression converted to a type of more values; its sums and products are combined in that type."""
    if typed.dtype.kind != "b":
        match typed:
            case TypedReduce(operator="add" | "mul"):
                return replace(typed, body=converted(typed.body, dtype), dtype=dtype)
            case TypedApply(operator="add" | "sub" | "neg"):
                return replace(typed, arguments=tuple(_widened(one, dtype) for one in typed.arguments), dtype=dtype)
            case TypedCast(written=False) if np.can_cast(typed.operand.dtype, typed.dtype, "safe"):
                return _widened(typed.operand, dtype)
            case _:
                pass
    return converted(typed, dtype)
