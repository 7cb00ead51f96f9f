"""Windows of coordinates that are blocks: they begin at a coordinate and end so many behind it, or at limits."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import SSAValue

from irtensor.dialects.concrete_index.index_loops import ForallOp


def least_of(value: SSAValue) -> list[SSAValue]:
    """The operands of a minimum, each once and in order; the value itself if it is not a minimum."""
    found, waiting, seen = list[SSAValue](), [value], set[SSAValue]()
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        if isinstance(owner := one.owner, arith.MinSIOp):
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


def has_one_iteration(loop: ForallOp) -> bool:
    """Whether a loop says that it has one iteration at the most, by a block of one coordinate as its range."""
    block = block_of(*loop.bounds) if loop.bounds else None
    size = block[1].owner if block is not None else None
    number = size.value if isinstance(size, arith.ConstantOp) else None
    return isinstance(number, IntegerAttr) and number.value.data == 1
