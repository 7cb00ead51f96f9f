"""How many iterations loops have, where their bounds say so."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from irtensor.dialects.loop import ForOp
from irtensor.passes.emit import constant_index


def most_iterations(loop: ForOp) -> int | None:
    """How many iterations a loop has at most; None if that is not known."""
    ends = loop.upper.owner.operands if isinstance(loop.upper.owner, arith.MinSIOp) else (loop.upper,)
    return min((count for end in ends if (count := _distance(loop.lower, end)) is not None), default=None)


def _distance(start: SSAValue, end: SSAValue) -> int | None:
    first, last = constant_index(start), constant_index(end)
    if first is not None and last is not None:
        return last - first
    owner = end.owner
    return constant_index(owner.rhs) if isinstance(owner, arith.AddiOp) and owner.lhs is start else None
