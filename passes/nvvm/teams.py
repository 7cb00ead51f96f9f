"""Threads that share an iteration of a loop: what each of them does, and how they combine what they have summed up."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.ir import Attribute, Block, SSAValue

from irtensor.dialects.algebra import ApplyOp
from irtensor.dialects.loop import ForOp, ParallelOp, ReduceOp, SharedOp, StoreOp, UnitsAttr, YieldOp
from irtensor.dialects.loop_units import WARP
from irtensor.passes.emit import Emitter, move_before
from irtensor.passes.loop.parallel_state import Reduction
from irtensor.passes.nvvm.lane_loops import LaneLoop

LANES, THREADS = UnitsAttr.of("lanes"), UnitsAttr.of("threads")


@dataclass(frozen=True)
class Team:
    """Threads that share an iteration: so many lanes of a warp, or all threads of a block, with a place for sums."""

    size: int
    block: BlockSums | None = None

    def loop(self, emit: Emitter) -> ParallelOp:
        """An empty loop on the threads of the team."""
        units = LANES if self.block is None else THREADS
        loop = emit.insert(ParallelOp.on_units(emit.index(0), emit.index(self.size), units))
        loop.induction.name_hint = units.word.removesuffix("s")
        return loop

    def share(self, found: LaneLoop) -> None:
        """Make a loop one on the threads of the team: each takes every so manieth iteration, with cells of its own."""
        loop = found.loop
        around = Emitter(Block())
        shared = self.loop(around)
        shared.location = loop.location
        emit = Emitter(shared.body.block)
        own = [emit.cell(emit.constant(one.identity, one.cell.initial.type)) for one in found.reductions]
        for one, mine in zip(found.reductions, own, strict=True):
            mine.name_hint = one.cell.cell.name_hint
            _replace_inside(loop, one.cell.cell, mine)
        strided = Strided(loop.lower, loop.upper, shared.induction, self.size, emit)
        loop.induction.replace_all_uses_with(strided.index)
        for op in list(loop.body.block.ops):
            op.detach()
            strided.emit.insert(op)
        for one, mine in zip(found.reductions, own, strict=True):
            if self.block is None:
                reduce_into(one, emit.get(mine), one.cell.cell, emit)
            else:
                self.block.reduce(one, emit.get(mine), shared.induction, emit, around)
        move_before(around.block, loop)
        loop.detach()
        loop.erase()


def _replace_inside(loop: ForOp, old: SSAValue, new: SSAValue) -> None:
    for use in list(old.uses):
        if loop.is_ancestor(use.operation):
            use.operation.operands[use.index] = new


def reduce_into(reduction: Reduction, value: SSAValue, cell: SSAValue, emit: Emitter) -> None:
    """Emit that lanes combine a cell of their team with a value each."""
    op = emit.insert(ReduceOp.of(value, cell))
    inner = Emitter(op.body.block)
    first, second = op.body.block.args
    inner.insert(YieldOp.of(combined(reduction, first, second, inner)))


def combined(reduction: Reduction, first: SSAValue, second: SSAValue, emit: Emitter) -> SSAValue:
    """Two values combined by the operator of a reduction."""
    apply = ApplyOp.of(reduction.operator, (first, second), first.type)
    apply.fastmath = reduction.example.fastmath
    return emit.insert(apply).result


@dataclass
class BlockSums:
    """Sums of all threads of a block, by memory that they share: lanes of each warp add up, then all warps' sums."""

    size: int
    shared: list[SharedOp] = field(default_factory=list[SharedOp])

    def reduce(self, reduction: Reduction, value: SSAValue, thread: SSAValue, inside: Emitter, behind: Emitter) -> None:
        """Emit that a cell is combined with a value of each thread, `inside` of the loop on threads and `behind` it."""
        element = value.type
        values, sums = self._memory(self.size, element), self._memory(self.size // WARP, element)
        inside.insert(StoreOp.of(value, values, thread))
        teams = UnitsAttr.of("teams", WARP)
        warps = behind.insert(ParallelOp.on_units(behind.index(0), behind.index(self.size // WARP), teams))
        emit = Emitter(warps.body.block)
        cell = emit.cell(emit.constant(reduction.identity, element))
        lanes = Team(WARP).loop(emit)
        inner = Emitter(lanes.body.block)
        place = inner.add(inner.mul(warps.induction, inner.index(WARP)), lanes.induction)
        reduce_into(reduction, inner.load(values, place), cell, inner)
        emit.insert(StoreOp.of(emit.get(cell), sums, warps.induction))
        for warp in range(self.size // WARP):
            result = combined(reduction, behind.get(reduction.cell.cell), behind.load(sums, behind.index(warp)), behind)
            behind.set(result, reduction.cell.cell)

    def _memory(self, count: int, element: Attribute) -> SSAValue:
        self.shared.append(SharedOp.of(count, element))
        return self.shared[-1].buffer


class Strided:
    """A loop over every so manieth index of a range, from the one of a number on; `emit` appends to its body."""

    def __init__(self, lower: SSAValue, upper: SSAValue, number: SSAValue, stride: int, emit: Emitter) -> None:
        first = emit.add(lower, number)
        last = emit.add(emit.sub(upper, first), emit.index(stride - 1))
        # The bounds may be further apart than no iteration; the quotient of what is negative is no more than 0.
        loop = emit.insert(ForOp.of(emit.index(0), emit.divide(last, emit.index(stride))))
        self.emit = Emitter(loop.body.block)
        self.index = self.emit.add(first, self.emit.mul(loop.induction, self.emit.index(stride)))
