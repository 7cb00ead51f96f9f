"""Lengths of segments that coordinates lead to, read at some iterations of the loop around, as code before a loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import i64
from xdsl.ir import Block, BlockArgument, SSAValue

from irtensor.dialects.loop.buffer_uses import may_write
from irtensor.dialects.loop.loop import AS_IT_IS, ForOp, LoadOp
from irtensor.dialects.support.is_inside import is_inside
from irtensor.passes.cleanup.simplify_loops import is_pure
from irtensor.passes.loop.support.function_memory import memory_for
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.recompute import recomputed

# How many iterations are looked at: so few take less time than starting threads, and so many tell parts of equal work.
_SAMPLES = 1 << 14


class Reached(NamedTuple):
    """A segment that every iteration of a loop reaches through what it loads: where it begins and ends there."""

    around: ForOp
    lower: SSAValue
    upper: SSAValue


def is_reached(reached: Reached, whole: ForOp) -> bool:
    """Whether the ends of a segment depend on the iteration of the loop around, and can be read before `whole` for any.

    What they are loaded from is not written in `whole`, and is loaded in each iteration: no condition guards it.
    """
    ends, around = (reached.lower, reached.upper), reached.around
    return all(_is_known(end, around, whole) for end in ends) and any(_depends(end, around) for end in ends)


def _is_known(value: SSAValue, around: ForOp, whole: ForOp) -> bool:
    if value is around.induction or not is_inside(value, whole):
        return True
    owner = value.owner
    if isinstance(owner, Block) or owner.parent is not around.body.block:
        return False
    if isinstance(owner, LoadOp):
        if owner.attributes or not isinstance(owner.buffer, BlockArgument) or _is_written(owner.buffer, whole):
            return False
    elif not is_pure(owner):
        return False
    return all(_is_known(operand, around, whole) for operand in owner.operands)


def _depends(value: SSAValue, around: ForOp) -> bool:
    owner = value.owner
    if isinstance(owner, Block) or owner.parent is not around.body.block:
        return value is around.induction
    return any(_depends(operand, around) for operand in owner.operands)


def _is_written(buffer: SSAValue, loop: ForOp) -> bool:
    return any(may_write(use) and loop.is_ancestor(use.operation) for use in buffer.uses)


class SampledLengths:
    """The total length of segments that the first iterations of a loop reach, by iterations at equal distances."""

    def __init__(
        self,
        iterations: tuple[SSAValue, SSAValue],
        reached: Sequence[tuple[Reached, SSAValue]],
        emit: Emitter,
        entry: Block,
    ) -> None:
        """Emit a loop over some of the iterations, which adds up lengths, each times a number that belongs to it."""
        self._first = iterations[0]
        zero, one = emit.index(0), emit.index(1)
        # A loop from further on than to has no iterations.
        count = emit.max(emit.sub(iterations[1], iterations[0]), zero)
        self._stride = emit.add(emit.divide(count, emit.index(_SAMPLES)), one)
        samples = self._number(count, emit)
        self._sums = memory_for(emit.add(samples, one), i64, entry, emit)
        sum = emit.cell(zero)
        loop = emit.insert(ForOp.of(zero, samples, AS_IT_IS))
        inner = Emitter(loop.body.block)
        inner.store_index(inner.get(sum), self._sums, loop.induction)
        iteration = inner.add(self._first, inner.mul(loop.induction, self._stride))
        copies: dict[SSAValue, SSAValue] = {}
        total = inner.get(sum)
        for segment, factor in reached:
            copies[segment.around.induction] = iteration
            body = segment.around.body.block
            ends = (segment.upper, segment.lower)
            copied = (recomputed(end, copies, inner.insert, lambda op: op.parent is body) for end in ends)
            upper, lower = map(inner.to_index, copied)
            length = inner.max(inner.sub(upper, lower), inner.index(0))
            total = inner.add(total, inner.mul(inner.mul(length, factor), self._stride))
        inner.set(total, sum)
        emit.store_index(emit.get(sum), self._sums, samples)

    def before(self, iteration: SSAValue, emit: Emitter) -> SSAValue:
        """Emit the lengths of all that iterations before one reach; grows with every iteration."""
        return emit.load_index(self._sums, self._number(emit.sub(iteration, self._first), emit))

    def _number(self, iterations: SSAValue, emit: Emitter) -> SSAValue:
        """How many of the first iterations are looked at."""
        rounded = emit.sub(emit.add(iterations, self._stride), emit.index(1))
        return emit.max(emit.divide(rounded, self._stride), emit.index(0))
