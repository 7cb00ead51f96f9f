"""Functions of elements that two loops compute in the same iterations."""

from __future__ import annotations

from typing import NamedTuple

from xdsl.ir import Operation

from irtensor.dialects.algebra.algebra import ApplyOp
from irtensor.dialects.loop.loop import ForOp
from irtensor.passes.loop.support.long_functions import takes_long
from irtensor.passes.speed.support.equal_sums import Equality
from irtensor.passes.support.operations_in import operations_in


class EqualFunction(NamedTuple):
    """Operations of two loops that compute the same function of equal values."""

    first: Operation
    second: Operation


def functions_in(loop: ForOp) -> list[ApplyOp]:
    """The functions in a loop and in those inside of it which a library computes."""
    return [op for op in operations_in(loop, ApplyOp) if takes_long(op)]


def equal_functions(first: ForOp, second: ForOp, inside: Equality) -> list[EqualFunction]:
    """The functions that are equal in each iteration of both; one of the two is in no inner loop."""
    found: list[EqualFunction] = []
    ours = functions_in(first)
    for other in functions_in(second) if ours else ():
        for one in ours:
            is_outside = one.parent is first.body.block or other.parent is second.body.block
            if is_outside and inside.of_values(other.results[0], one.results[0]):
                found.append(EqualFunction(one, other))
                break
    return found
