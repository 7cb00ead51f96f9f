"""Finds element numbers that grow by one from one iteration of a loop to the next."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from irtensor.dialects.loop.loop import ForOp
from irtensor.dialects.support.is_inside import is_inside


def is_consecutive(index: SSAValue, loop: ForOp, varies: Callable[[SSAValue], bool] | None = None) -> bool:
    """Whether an index is the loop's own plus or minus an invariant: by default a value computed around it."""
    if index is loop.induction:
        return True

    def is_one(value: SSAValue) -> bool:
        return is_inside(value, loop) if varies is None else varies(value)

    owner = index.owner
    if isinstance(owner, arith.AddiOp):
        pairs = ((owner.lhs, owner.rhs), (owner.rhs, owner.lhs))
        return any(not is_one(other) and is_consecutive(one, loop, varies) for one, other in pairs)
    return isinstance(owner, arith.SubiOp) and not is_one(owner.rhs) and is_consecutive(owner.lhs, loop, varies)
