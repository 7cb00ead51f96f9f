"""Windows of coordinates that are blocks: they begin at a coordinate and end so many behind it, or at limits."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from irtensor.dialects.concrete_index.index_loops import ForallOp
from irtensor.dialects.support.constant_index import constant_index


def least_of(value: SSAValue) -> list[SSAValue]:
    """The operands of a minimum, each once and in order; the value itself if it is not a minimum."""
    found, waiting, seen = list[SSAValue](), [value], set[SSAValue]()
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        if type(owner := one.owner) is arith.MinSIOp:
            waiting += (owner.rhs, owner.lhs)
        else:
            found.append(one)
    return found


def block_of(first: SSAValue, end: SSAValue) -> tuple[SSAValue, SSAValue] | None:
    """Where a window begins and the most that it has, if it is a block: it may begin and end early at limits."""
    starts, ends = least_of(first), least_of(end)
    for last in reversed(ends):
        if isinstance(last.owner, arith.AddiOp):
            start, size = last.owner.operands
            if first is start or (start in starts and all(one is start or one in ends for one in starts)):
                return start, size
    return None


def only_coordinate(loop: ForallOp) -> SSAValue | None:
    """The one coordinate that a loop has at the most, if its range says so; windows in a block of one say it, too."""
    if not loop.bounds:
        return None
    first, end = loop.bounds
    starts, ends = least_of(first), least_of(end)
    for last in ends:
        if isinstance(last.owner, arith.AddiOp) and constant_index(last.owner.rhs) == 1:
            start = last.owner.lhs
            if all(one in ends or _is_from(one, start) for one in starts):
                return start
    return None


def _is_from(value: SSAValue, start: SSAValue) -> bool:
    """Whether a coordinate is another one, or that with something added; no coordinate is negative."""
    while value is not start and isinstance(value.owner, arith.AddiOp):
        value = value.owner.lhs
    return value is start
