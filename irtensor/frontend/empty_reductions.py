"""Reductions that must not be over an empty range, because what a sparse result does not store is something else.

A reduction over no elements is the identity of its operator, at every coordinate. A sparse result that stores nothing
for an empty range reads as its fill value there, which is another value where no element decides it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from irtensor.core.fill_values import fill_text
from irtensor.core.operators import OPERATORS, convert, same_value
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.declared_operator import declared_operator
from irtensor.frontend.element_types import element_name
from irtensor.frontend.expression_tree import Reduce, Statement, accesses, tensor_names, walk
from irtensor.frontend.kernel_request import NonemptyRange, OperandDescription
from irtensor.frontend.result_fill import result_fill
from irtensor.frontend.typed_expression import TypedApply, TypedCast, TypedExpression, TypedReduce
from irtensor.frontend.user_operator import UserOperator


def nonempty_ranges(
    statement: Statement,
    typed: TypedExpression,
    operands: Mapping[str, OperandDescription],
    declared: Mapping[str, UserOperator],
    result_format: TensorFormat | None,
) -> tuple[NonemptyRange, ...]:
    """Ranges of reductions whose identity is not what a sparse result, or a part of it, is where nothing is stored."""
    if result_format is None or result_format.is_dense:
        return ()
    names = tensor_names(statement.expression)
    sources: dict[str, tuple[int, int]] = {}
    for access in accesses(statement.expression):
        for dimension, index in access.plain_dimensions:
            sources.setdefault(index, (names.index(access.tensor), dimension))
    root = typed
    while isinstance(root, TypedCast):
        root = root.operand
    nodes = [node for node in walk(statement.expression) if isinstance(node, Reduce)]
    found: list[NonemptyRange] = []
    for reduction in _reductions(typed):
        element = element_name(reduction.dtype)
        name = reduction.operator
        operator = declared_operator(declared[name], reduction.dtype) if name in declared else OPERATORS[name]
        identity = operator.identity(element)
        absent = result_fill(reduction, operands, declared)
        if reduction is root:
            absent = convert(result_format.fill or 0, element)
        if identity is None or absent is None or same_value(identity, absent):
            continue
        number = next(n for n, node in enumerate(nodes) if _is_written(node, reduction))
        for index in reduction.indices:
            operand, dimension = sources[index]
            texts = fill_text(identity), fill_text(absent)
            found.append(NonemptyRange(operand, dimension, index, name, *texts, number, reduction is root))
    return tuple(found)


def _reductions(expression: TypedExpression) -> Iterator[TypedReduce]:
    match expression:
        case TypedReduce():
            yield expression
            yield from _reductions(expression.body)
        case TypedCast():
            yield from _reductions(expression.operand)
        case TypedApply():
            for argument in expression.arguments:
                yield from _reductions(argument)
        case _:
            pass


def _is_written(node: Reduce, reduction: TypedReduce) -> bool:
    return (node.operator, node.indices, node.span) == (reduction.operator, reduction.indices, reduction.span)
