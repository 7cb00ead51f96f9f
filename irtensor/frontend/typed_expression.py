"""Expressions in which each part has a dtype, and every conversion is a node."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from irtensor.core.operators import STORED
from irtensor.frontend.expression_tree import Access, Scalar, Span


@dataclass(frozen=True)
class TypedConstant:
    value: Scalar
    dtype: np.dtype


@dataclass(frozen=True)
class TypedAccess:
    access: Access
    dtype: np.dtype


@dataclass(frozen=True)
class TypedVariable:
    """The coordinate of an index variable."""

    name: str
    dtype: np.dtype
    span: Span | None = None


@dataclass(frozen=True)
class TypedCast:
    """A conversion; one that is `written` in the statement may be to the dtype that the operand has."""

    operand: TypedExpression
    dtype: np.dtype
    span: Span | None = None
    written: bool = False


@dataclass(frozen=True)
class TypedApply:
    operator: str
    arguments: tuple[TypedExpression, ...]
    dtype: np.dtype
    span: Span | None = None
    exact: bool = False


@dataclass(frozen=True)
class TypedReduce:
    operator: str
    indices: tuple[str, ...]
    body: TypedExpression
    dtype: np.dtype
    span: Span | None = None


@dataclass(frozen=True)
class TypedIf:
    """What a reduction combines, or a statement stores, where a condition holds."""

    condition: TypedExpression
    body: TypedExpression
    dtype: np.dtype
    span: Span | None = None


TypedExpression: TypeAlias = (
    TypedConstant | TypedAccess | TypedVariable | TypedCast | TypedApply | TypedReduce | TypedIf
)


def converted(expression: TypedExpression, dtype: np.dtype) -> TypedExpression:
    """An expression in another type; a condition stays around the value that it is about."""
    if expression.dtype == dtype:
        return expression
    if isinstance(expression, TypedIf):
        return replace(expression, body=converted(expression.body, dtype), dtype=dtype)
    return TypedCast(expression, dtype)


def with_exact_operators(expression: TypedExpression) -> TypedExpression:
    """The expression with applications that no absent entry annihilates."""
    match expression:
        case TypedApply():
            # Which entries are there does not depend on how they are computed with.
            exact = expression.operator != STORED
            return replace(expression, arguments=tuple(map(with_exact_operators, expression.arguments)), exact=exact)
        case TypedCast():
            return replace(expression, operand=with_exact_operators(expression.operand))
        case TypedReduce():
            return replace(expression, body=with_exact_operators(expression.body))
        case TypedIf():
            return replace(
                expression,
                condition=with_exact_operators(expression.condition),
                body=with_exact_operators(expression.body),
            )
        case _:
            return expression
