"""The fill value of a result: the statement's operators evaluated where no operand has a stored entry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.core.operators import OPERATORS, STORED, Scalar, convert, fold_to_value, same_value
from irtensor.core.regions import fill_in_common, holds
from irtensor.frontend.declared_operator import declared_operator
from irtensor.frontend.element_types import element_name
from irtensor.frontend.expression_tree import Access, Coordinate
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.typed_expression import (
    TypedAccess,
    TypedApply,
    TypedCast,
    TypedConstant,
    TypedExpression,
    TypedIf,
    TypedReduce,
    TypedVariable,
)
from irtensor.frontend.user_operator import UserOperator


def result_fill(
    expression: TypedExpression,
    operands: Mapping[str, OperandDescription],
    operators: Mapping[str, UserOperator] | None = None,
) -> Scalar | None:
    """The value at coordinates where every operand reads as its fill; None if it depends on extents or on data.

    It depends on data where a dense operand takes part and does not cancel out, on an extent where a reduction without
    idempotence combines values other than its identity.
    """
    if isinstance(expression, TypedIf):
        # Nothing is stored where the condition is false.
        return convert(0, element_name(expression.dtype))
    if isinstance(expression, TypedAccess):
        return fill_read(expression.access, operands, expression.dtype)
    parts = [part.body if isinstance(part, TypedIf) else part for part in typed_parts(expression)]
    values = [result_fill(part, operands, operators) for part in parts]
    return folded(expression, values, operators or {})


def fill_read(access: Access, operands: Mapping[str, OperandDescription], dtype: np.dtype) -> Scalar | None:
    """The value read where an operand has no entry; None of one that has all."""
    described = operands.get(access.tensor)
    format = None if described is None else described.format
    if format is None or format.is_dense:
        return None
    fill, element = 0 if format.fill is None else format.fill, element_name(dtype)
    for index in access.indices:
        if isinstance(index, Coordinate) and index.outside == "pad" and index.value is not None:
            # The value outside is not that of an absent entry.
            if not same_value(convert(index.value, element), convert(fill, element)):
                return None
    return convert(fill, element)


def typed_parts(expression: TypedExpression) -> tuple[TypedExpression, ...]:
    """Direct subexpressions."""
    match expression:
        case TypedCast():
            return (expression.operand,)
        case TypedApply():
            return expression.arguments
        case TypedReduce():
            return (expression.body,)
        case TypedIf():
            return (expression.body,)
        case _:
            return ()


def folded(
    expression: TypedExpression, values: Sequence[Scalar | None], declared: Mapping[str, UserOperator]
) -> Scalar | None:
    """The value of an expression other than a read by those of its parts; None for what these do not decide."""
    element = element_name(expression.dtype)
    match expression:
        case TypedConstant():
            return expression.value
        case TypedCast():
            return None if values[0] is None else convert(values[0], element)
        case TypedApply():
            return _applied(expression, values, declared, element)
        case TypedReduce():
            return _reduced(expression, values[0], declared, element)
        case TypedIf():
            return values[0]
        case TypedAccess() | TypedVariable():
            return None


def _reduced(
    expression: TypedReduce, value: Scalar | None, declared: Mapping[str, UserOperator], element: str
) -> Scalar | None:
    operator = OPERATORS.get(expression.operator)
    if expression.operator in declared:
        operator = declared_operator(declared[expression.operator], expression.dtype)
    if value is None or operator is None:
        return None
    identity = operator.identity(element)
    # Where a condition is false everywhere, there is nothing but the identity.
    is_all = not isinstance(expression.body, TypedIf)
    kept = (operator.idempotent and is_all) or (identity is not None and same_value(value, identity))
    return value if kept else None


def _applied(
    expression: TypedApply, values: Sequence[Scalar | None], declared: Mapping[str, UserOperator], element: str
) -> Scalar | None:
    dtype = expression.arguments[0].dtype
    numbers = [number for number, argument in enumerate(expression.arguments) if _is_literal(argument)]
    stored = [value is None or number in numbers for number, value in enumerate(values)]
    if expression.operator == STORED:
        return stored[0]
    own = declared.get(expression.operator)
    if own is not None and own.region is not None and not holds(own.region, stored):
        if own.fill is not None:
            return convert(own.fill, element)
        fills = [value for value, is_there in zip(values, stored, strict=True) if value is not None and not is_there]
        try:
            return convert(fill_in_common(expression.operator, fills, dtype == expression.dtype), element)
        except UserError:
            return None  # expand-regions says it, and where.
    if own is None:
        operator = OPERATORS.get(expression.operator)
    else:
        present = [number for number, is_there in enumerate(stored) if is_there]
        operator = declared_operator(own, dtype, present, expression.exact)
    if operator is None:
        return None
    # Where data decides nothing, as beside an absent entry that annihilates, there is a value.
    elements = [element_name(argument.dtype) for argument in expression.arguments]
    # What the body of a declared operator asks for is stored or not, in exact arithmetic as well.
    literals = range(len(values)) if expression.exact and own is None else numbers
    value = fold_to_value(operator, values, elements, literals)
    return None if value is None else convert(value, element)


def _is_literal(value: TypedExpression) -> bool:
    """Whether a value is a number of the program, or computed from such numbers alone."""
    if isinstance(value, TypedConstant):
        return True
    return isinstance(value, TypedCast | TypedApply) and all(map(_is_literal, typed_parts(value)))
