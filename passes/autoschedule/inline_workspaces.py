"""What a program computes, with its workspaces put back into the values that use them."""

from __future__ import annotations

from irtensor.passes.autoschedule.reduces_alike import may_be_reduced
from irtensor.passes.autoschedule.statements import (
    Access,
    Assign,
    Forall,
    Statement,
    Where,
    map_accesses,
)


def inline_workspaces(statement: Statement, element: str) -> Assign | None:
    """The one assignment, without its loops, that a program with numbered workspaces is; None if it is not known to be.

    It is if all that is above what a producer reduces distributes over the reduction of values of the type `element`,
    which is that of the consumer, and if the consumer uses what it reduces once. The loops decide over which variables
    each part reduces: see `LoopPlacement.has`.
    """
    match statement:
        case Assign():
            return statement
        case Forall(_, body):
            return inline_workspaces(body, element)
        case Where(consumer, producer):
            outer, inner = inline_workspaces(consumer, element), inline_workspaces(producer, element)
            if outer is None or inner is None:
                return None
            if inner.operator is not None and not (
                inner.operator == outer.operator and may_be_reduced(outer.value, 1, inner.operator, element)
            ):
                return None
            value = map_accesses(outer.value, lambda read: inner.value if read.tensor == 1 else read)
            return Assign(_outside(outer.target), outer.operator, map_accesses(value, _outside))
        case _:
            return None


def _outside(access: Access) -> Access:
    """An access outside of one `where` less."""
    return access if isinstance(access.tensor, str) else access._replace(tensor=access.tensor - 1)
