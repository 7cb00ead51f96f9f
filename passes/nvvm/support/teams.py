"""Threads that share an iteration of a loop: what each of them does, and how they combine what they have summed up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from xdsl.ir import Block, SSAValue

from irtensor.core.schedule_words import WARP
from irtensor.dialects.algebra.algebra import ApplyOp
from irtensor.dialects.loop.loop import ParallelOp, ReduceOp, SharedOp, StoreOp, UnitsAttr, YieldOp
from irtensor.dialects.support.create_operation import erase_operation
from irtensor.dialects.support.is_inside import replace_inside
from irtensor.passes.loop.support.parallel_state import Reduction
from irtensor.passes.nvvm.support.lane_loops import LaneLoop
from irtensor.passes.nvvm.support.on_units import Strided, on_units
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_of

LANES, THREADS = UnitsAttr.of("lanes"), UnitsAttr.of("threads")
# Emits the iterations of a loop that a thread has by its number, and gives what they have summed up.
_Iterations = Callable[[LaneLoop, SSAValue, Emitter], list[SSAValue]]


class Team(NamedTuple):
    """Threads that share an iteration: so many lanes of a warp, or all threads of a block, with memory for sums."""

    size: int
    block: BlockSums | None = None

    def loop(self, emit: Emitter) -> ParallelOp:
        """An empty loop on the threads of the team."""
        return on_units(emit, emit.index(self.size), LANES if self.block is None else THREADS)

    def share(self, found: LaneLoop) -> None:
        """Make a loop one on the threads of the team: each takes every so manieth iteration, with cells of its own."""
        around = Emitter(Block())
        if self.block is None or not found.reductions:
            shared = self.loop(around)
            emit = Emitter(shared.body.block)
            for one, mine in zip(found.reductions, self._iterations(found, shared.induction, emit), strict=True):
                _reduce_into(one, mine, one.cell.cell, emit)
        else:
            shared = self.block.share(found, self._iterations, around)
        shared.location = found.loop.location
        move_before(around.block, found.loop)
        erase_operation(found.loop)

    def _iterations(self, found: LaneLoop, number: SSAValue, emit: Emitter) -> list[SSAValue]:
        """The iterations of the thread of a number; what they have summed up."""
        loop = found.loop
        own = [emit.cell(emit.constant(one.identity, one.cell.initial.type)) for one in found.reductions]
        for one, mine in zip(found.reductions, own, strict=True):
            mine.name_hint = one.cell.cell.name_hint
            replace_inside(loop, one.cell.cell, mine)
        strided = Strided(loop.lower, loop.upper, number, self.size, emit)
        loop.induction.replace_all_uses_with(strided.index)
        strided.emit.take(operations_of(loop.body.block))
        return [emit.get(mine) for mine in own]


def _reduce_into(reduction: Reduction, value: SSAValue, cell: SSAValue, emit: Emitter) -> None:
    """Emit that lanes combine a cell of their team with a value each."""
    op = emit.insert(ReduceOp.of(value, cell))
    inner = Emitter(op.body.block)
    first, second = op.body.block.args
    inner.insert(YieldOp.of(_combined(reduction, first, second, inner)))


def _combined(reduction: Reduction, first: SSAValue, second: SSAValue, emit: Emitter) -> SSAValue:
    """Two values combined by the operator of a reduction."""
    apply = ApplyOp.of(reduction.operator, (first, second), first.type)
    apply.fastmath = reduction.example.fastmath
    return emit.insert(apply).result


@dataclass
class BlockSums:
    """Sums of all threads of a block: lanes of each warp add up, and all threads add up what the warps have."""

    size: int
    shared: list[SharedOp] = field(default_factory=list[SharedOp])

    def share(self, found: LaneLoop, iterations: _Iterations, around: Emitter) -> ParallelOp:
        """Emit a loop on warps and their lanes in place of a loop, and behind it the sums of all warps."""
        count = self.size // WARP
        warps = on_units(around, around.index(count), UnitsAttr.of("teams", WARP))
        emit = Emitter(warps.body.block)
        cells = [emit.cell(emit.constant(one.identity, one.cell.initial.type)) for one in found.reductions]
        lanes = on_units(emit, emit.index(WARP), LANES)
        inner = Emitter(lanes.body.block)
        number = inner.add(inner.mul(warps.induction, inner.index(WARP)), lanes.induction)
        for one, cell, mine in zip(found.reductions, cells, iterations(found, number, inner), strict=True):
            _reduce_into(one, mine, cell, inner)
        for one, cell in zip(found.reductions, cells, strict=True):
            self.shared.append(SharedOp.of(count, one.cell.initial.type))
            sums = self.shared[-1].buffer
            emit.insert(StoreOp.of(emit.get(cell), sums, warps.induction))
            for warp in range(count):
                value = around.load(sums, around.index(warp))
                around.set(_combined(one, around.get(one.cell.cell), value, around), one.cell.cell)
        return warps
