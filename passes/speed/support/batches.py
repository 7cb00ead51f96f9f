"""Loops over batches of iterations, which keep a value of each in memory from one loop to the next."""

from __future__ import annotations

from collections.abc import Collection

from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.dialects.loop.loop import DataOp, ForOp, ParallelOp, ReserveOp, ScratchOp, StoreOp
from irtensor.dialects.support.create_operation import clone_operation, erase_operation
from irtensor.dialects.support.is_inside import innermost_around
from irtensor.passes.analysis.windows import known_distance
from irtensor.passes.loop.support.segments import position_read
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_of

# Fewer iterations do not make a vector.
_FEWEST = 4
# So few iterations are unrolled, or are one vector.
_SHORT = 32


def may_have_batches(loop: ForOp) -> bool:
    """Whether a loop has no hints, and is not known to have too few iterations."""
    return not loop.attributes and known_distance(loop.lower, loop.upper).most >= _FEWEST


def are_long_dimensions(*loops: ForOp) -> bool:
    """Whether no loop is known to be short, or runs over a segment of a list, which may be short."""
    bounds = [bound for loop in loops for bound in (loop.lower, loop.upper)]
    return all(known_distance(loop.lower, loop.upper).most >= _SHORT for loop in loops) and not any(
        position_read(bound) for bound in bounds
    )


class Batches:
    """A loop over batches of so many iterations that takes the place of a loop when it is complete."""

    def __init__(self, loop: ForOp, size: int) -> None:
        self.loop = loop
        self._size = size
        self._before = Emitter(Block())
        length = self._before.max(self._before.sub(loop.upper, loop.lower), self._before.index(0))
        outer = self._before.insert(ForOp.of(self._before.index(0), self._before.divide_up(length, size)))
        self._emit = emit = Emitter(outer.body.block)
        self.start = emit.add(loop.lower, emit.mul(outer.induction, emit.index(size)))
        self.end = emit.min(emit.add(self.start, emit.index(size)), loop.upper)

    def room(self, type: Attribute) -> SSAValue:
        """A buffer for a value of each iteration of a batch."""
        return _room(self.loop, type, self._size)

    def add_loop(self, from_zero: bool = False) -> BatchLoop:
        """A loop over the iterations of a batch, or over their numbers in it."""
        emit = self._emit
        start, end = (emit.index(0), emit.sub(self.end, self.start)) if from_zero else (self.start, self.end)
        return BatchLoop(self.loop, emit.insert(ForOp.of(start, end)))

    def replace(self) -> None:
        """Put the loop over batches in the place of the loop."""
        move_before(self._before.block, self.loop)
        erase_operation(self.loop)


class BatchLoop:
    """A loop over a batch that does some of what another one does; `values` stand for those of the other one."""

    def __init__(self, original: ForOp, loop: ForOp) -> None:
        loop.induction.name_hint = original.induction.name_hint
        self.values: dict[SSAValue, SSAValue] = {original.induction: loop.induction}
        self.loop = loop
        self._original = original
        self._emit = Emitter(loop.body.block)

    def take(self, part: Collection[Operation]) -> None:
        for op in operations_of(self._original.body.block):
            if op in part:
                self._emit.insert(clone_operation(op, self.values))

    def load(self, room: SSAValue, value: SSAValue) -> None:
        """Let what a room has of the iteration stand for a value."""
        self.values[value] = self._emit.load(room, self._number())

    def store(self, value: SSAValue, room: SSAValue) -> None:
        """Keep the replacement of a value."""
        self._emit.insert(StoreOp.of(self.values[value], room, self._number()))

    def _number(self) -> SSAValue:
        return self._emit.sub(self.loop.induction, self.loop.lower)


def _room(loop: ForOp, type: Attribute, size: int) -> SSAValue:
    """Room for a batch, which is made once for each call or part for a thread."""
    around = innermost_around(loop, FuncOp, ParallelOp)
    assert around is not None
    before = Emitter(Block())
    scratch = before.insert(ScratchOp.of(type)).growable
    before.insert(ReserveOp.of(scratch, before.index(size)))
    buffer = before.insert(DataOp.of(scratch)).buffer
    buffer.name_hint = "batch"
    first = around.body.block.first_op
    assert first is not None
    move_before(before.block, first)
    return buffer
