"""Sums that are parts of a value, pulled out of it: `D * sum(k, B * C)` as `sum(k, D * B * C)`, for more programs."""

from __future__ import annotations

from collections.abc import Mapping

from irtensor.core.operators import Operator, Scalar, same_value
from irtensor.passes.analysis.distribution import distributes
from irtensor.passes.autoschedule.statements import (
    Access,
    Assign,
    Call,
    Expression,
    Statement,
    Where,
    loops_of,
    loops_over,
    map_accesses,
    parts,
    reads,
    with_parts,
)


def pull_out_sums(statement: Statement, fills: Mapping[str, Scalar], element: str) -> Statement:
    """A statement with as few reductions as possible in a `where` of their own: their loops are then around all of it.

    A reduction is pulled out where its result is used once, all operators above it distribute over it and give its
    identity for that, so that there may be no values to reduce, and its consumer reduces with the same operator, or
    stores into a tensor that begins as the identity: then the store reduces. Workspaces have names here. One loop is
    pulled out of a reduction that stays.
    """
    return _pulled_out(statement, fills, element, within=False)


def _pulled_out(statement: Statement, fills: Mapping[str, Scalar], element: str, *, within: bool) -> Statement:
    """The same; the loops of a pulled-out sum stay where it is `within` the loops of a workspace."""
    if not isinstance(statement, Where):
        return with_parts(statement, [_pulled_out(part, fills, element, within=within) for part in parts(statement)])
    consumer = _pulled_out(statement.consumer, fills, element, within=within)
    producer = _pulled_out(statement.producer, fills, element, within=True)
    (around, use), (loops, store) = loops_of(consumer), loops_of(producer)
    if isinstance(use, Assign) and isinstance(store, Assign) and _is_pulled_out(use, store, fills, element):
        value = map_accesses(use.value, lambda read: store.value if read == store.target else read)
        pulled = Assign(use.target, store.operator, value)
        return loops_over((*around, *loops), pulled) if within else pulled
    return Where(consumer, producer)


def _is_pulled_out(consumer: Assign, store: Assign, fills: Mapping[str, Scalar], element: str) -> bool:
    operator = store.operator
    identity = None if operator is None else operator.identity(element)
    if operator is None or identity is None or list(reads(consumer)).count(store.target) != 1:
        return False
    initial = fills.get(str(consumer.target.tensor))
    begins = consumer.operator is None and initial is not None and same_value(initial, identity)
    return (consumer.operator is operator or begins) and _is_kept(consumer.value, store.target, operator, element)


def _is_kept(value: Expression, part: Access, reduction: Operator, element: str) -> bool:
    """Whether a value is reduced if a part of it is, even if there is nothing to reduce."""
    if not isinstance(value, Call):
        return True
    for position, argument in enumerate(value.arguments):
        if part in reads(argument):
            allowed = distributes(value.operator, position, len(value.arguments), reduction, element)
            return allowed and _is_kept(argument, part, reduction, element)
    return True
