"""Whether a read of a workspace may be reduced before the operators above it."""

from __future__ import annotations

from irtensor.core.operators import Operator
from irtensor.passes.analysis.distribution import distributes
from irtensor.passes.autoschedule.statements import (
    Assign,
    Call,
    Expression,
    Forall,
    Statement,
    Where,
    assigns_within_loops,
    reads,
    stored_by,
)


def reduces_alike(where: Where, element: str) -> bool:
    """Whether the producer of a workspace reduces as the consumer does, so that some loops may be its alone.

    A product of rows is not part of their sum: its workspace has a component for each row. Nor is a sum to which the
    consumer adds something before it adds up the results: that is added as often as the consumer's loops run. Values
    are of the type `element`.
    """
    reduction = stored_by(where.producer).operator
    if reduction is None or reduction != stored_by(where.consumer).operator:
        return False
    return _is_reduced(where.consumer, 1, reduction, element)


def _is_reduced(statement: Statement, number: int, reduction: Operator, element: str) -> bool:
    """Whether all operators on reads of the workspace with a number may be applied after the reduction."""
    match statement:
        case Forall(_, body):
            return _is_reduced(body, number, reduction, element)
        case Assign(_, operator, value):
            return operator in (None, reduction) and may_be_reduced(value, number, reduction, element)
        case Where(consumer, producer):
            if not _uses(producer, number + 1):
                return _is_reduced(consumer, number + 1, reduction, element)
            return (
                not _uses(consumer, number + 1)
                and _is_reduced(producer, number + 1, reduction, element)
                and _is_reduced(consumer, 1, reduction, element)
            )
        case _:
            return False


def _uses(statement: Statement, number: int) -> bool:
    """Whether a side of a `where` reads a workspace, by its number outside of the `where` that are in the side."""
    if isinstance(statement, Where):
        return any(_uses(part, number + 1) for part in statement)
    if isinstance(statement, Forall):
        return _uses(statement.body, number)
    return any(read.tensor == number for assign, _ in assigns_within_loops(statement) for read in reads(assign))


def may_be_reduced(value: Expression, number: int, reduction: Operator, element: str) -> bool:
    """Whether the only read of the workspace with a number may be reduced before the operators above it."""
    if not isinstance(value, Call):
        return True
    using = [
        position for position, one in enumerate(value.arguments) if any(read.tensor == number for read in reads(one))
    ]
    if len(using) != 1:
        return False
    (position,) = using
    allowed = distributes(value.operator, position, len(value.arguments), reduction, element)
    return allowed and may_be_reduced(value.arguments[position], number, reduction, element)
