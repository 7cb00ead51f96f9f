"""How many iterations loops have, where their ranges say so."""

from __future__ import annotations

from xdsl.dialects.arith import AddiOp, MinSIOp
from xdsl.ir import SSAValue

from irtensor.dialects.concrete_index import ForallOp
from irtensor.dialects.index_ranges import BoundOp
from irtensor.passes.emit import constant_index


def exact_iterations(loop: ForallOp) -> int | None:
    """The number of iterations that a loop has in any case, or None."""
    return _distance(loop.bounds[0], loop.bounds[1]) if loop.bounds else None


def most_iterations(loop: ForallOp) -> int | None:
    """A number of iterations that a loop does not exceed, or None: the last block of a split loop may be smaller."""
    return most_between(*loop.bounds) if loop.bounds else None


def most_between(first: SSAValue, last: SSAValue) -> int | None:
    """How far a number is from another at the most, or None."""
    ends = last.owner.operands if isinstance(last.owner, MinSIOp) else (last,)
    return min((count for end in ends if (count := _distance(first, end)) is not None), default=None)


def _distance(first: SSAValue, last: SSAValue) -> int | None:
    known = _number(first), _number(last)
    if known[0] is not None and known[1] is not None:
        return max(known[1] - known[0], 0)
    owner = last.owner
    if isinstance(owner, AddiOp) and owner.lhs is first:
        return constant_index(owner.rhs)
    return None


def _number(value: SSAValue) -> int | None:
    """The number that a bound is, by itself or because a step of the schedule says so."""
    owner = value.owner
    return owner.number.value.data if isinstance(owner, BoundOp) and owner.is_exact else constant_index(value)
