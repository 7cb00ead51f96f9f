"""`divide-appending-loops`: loops that append to a result are divided among threads; their lists are joined."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, i64
from xdsl.ir import Block, SSAValue

from irtensor.dialects.loop import (
    CopyOp,
    DataOp,
    ForOp,
    ParallelOp,
    PartOfOp,
    PartsOp,
    ReserveOp,
    ScratchOp,
)
from irtensor.passes.emit import Emitter
from irtensor.passes.loop.appending_loop import AppendingLoop, copy_expression
from irtensor.passes.pass_base import TensorPass, structured_functions

PARALLEL = "parallel"


@dataclass(frozen=True)
class DivideAppendingLoopsPass(TensorPass):
    """Divide a loop that is marked parallel and appends to a result: each part has counters and lists of its own.

    Before: `loop.for %i = %lo to %hi {parallel = ..} { %q = get %count; store %j, %crd[%q]; set %q + 1, %count }`
    After:  `loop.parallel %c = 0 to %parts { %count1 = cell 0; %crd1 = loop.part_of %crd[%c]; loop.for ... }`,
            a loop over the parts that gives each its start, and a `loop.parallel` that copies lists behind each other

    The order of the loop is kept, so the result is the same, bit by bit. What is stored of a counter (where segments
    end) is moved by the start of the part. The first part appends to the result itself, so that one part costs nothing.
    """

    name = "divide-appending-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in structured_functions(op):
            marked = [op for op in function.walk() if isinstance(op, ForOp) and PARALLEL in op.attributes]
            for loop in marked:
                found = AppendingLoop.find(loop)
                if found is not None:
                    _Division(found, function.body.block).divide()


class _Division:
    """Builds the code in place of one loop."""

    def __init__(self, source: AppendingLoop, entry: Block) -> None:
        self.source = source
        self.loop = source.loop
        self.lower, self.upper = self.loop.lower, self.loop.upper
        self.block = Block()
        emit = self.emit = Emitter(self.block)
        self.zero, self.one = emit.index(0), emit.index(1)
        trip = emit.sub(self.upper, self.lower)
        self.parts = emit.insert(PartsOp.of(source.work(emit))).parts
        self.parts.name_hint = "parts"
        self.trip = trip
        # Per counter and part: first how much was appended, then where the part starts; one more for the end.
        self.starts: dict[SSAValue, SSAValue] = {}
        for counter in source.counters:
            made, first = ScratchOp.of(i64), entry.first_op
            assert first is not None
            entry.insert_op_before(made, first)
            scratch = made.growable
            emit.insert(ReserveOp.of(scratch, emit.add(self.parts, self.one)))
            self.starts[counter] = emit.insert(DataOp.of(scratch)).buffer

    def divide(self) -> None:
        parent, after = self.loop.parent, self.loop.next_op
        assert parent is not None
        self._append()
        self._scan()
        self._join()
        for op in list(self.block.ops):
            op.detach()
            if after is None:
                parent.add_op(op)
            else:
                parent.insert_op_before(op, after)

    def _bound(self, part: SSAValue, emit: Emitter) -> SSAValue:
        """The index of the loop that a part begins with."""
        return emit.add(self.lower, emit.divide(emit.mul(self.trip, part), self.parts))

    def _append(self) -> None:
        """The loop itself, over the range of one part, with memory of its own."""
        source, loop = self.source, self.loop
        parallel = self.emit.insert(ParallelOp.of(self.zero, self.parts))
        emit, part = Emitter(parallel.body.block), parallel.induction
        part.name_hint = "part"
        for op in source.private:
            op.detach()
            emit.insert(op)
        own: dict[SSAValue, SSAValue] = {}
        for counter in source.counters:
            own[counter] = emit.cell(self.zero)
            own[counter].name_hint = counter.name_hint
        for growable in source.growables:
            own[growable] = emit.insert(PartOfOp.of(growable, part)).part
            own[growable].name_hint = growable.name_hint
        for op in source.prepared:
            # Room for what the whole loop appends is enough for a part of it.
            if isinstance(op, ReserveOp):
                emit.insert(ReserveOp.of(own[op.growable], copy_expression(op.count, own, emit)))
            elif isinstance(op, DataOp):
                own[op.buffer] = emit.insert(DataOp.of(own[op.growable])).buffer
        loop.detach()
        del loop.attributes[PARALLEL]
        loop.operands = (self._bound(part, emit), self._bound(emit.add(part, self.one), emit))
        emit.insert(loop)
        for op in loop.walk():
            for number, operand in enumerate(op.operands):
                if operand in own:
                    op.operands[number] = own[operand]
        for counter in source.counters:
            emit.store_index(emit.get(own[counter]), self.starts[counter], part)

    def _scan(self) -> None:
        """Turn counts into starts; the counters themselves become what all parts have appended, with room for it."""
        emit = self.emit
        loop = emit.insert(ForOp.of(self.zero, self.parts))
        inner = Emitter(loop.body.block)
        for counter, buffer in self.starts.items():
            count, start = inner.load_index(buffer, loop.induction), inner.get(counter)
            inner.store_index(start, buffer, loop.induction)
            inner.set(inner.add(start, count), counter)
        totals = {counter: emit.get(counter) for counter in self.source.counters}
        for counter, buffer in self.starts.items():
            emit.store_index(totals[counter], buffer, self.parts)
        for growable in self.source.growables:
            emit.insert(ReserveOp.of(growable, self.source.size_for(growable, totals, emit)))

    def _join(self) -> None:
        """Copy the other parts' lists behind the first's, every list by as many threads as there are parts."""
        emit = self.emit
        turns = emit.mul(self.parts, self.parts)
        parallel = emit.insert(ParallelOp.of(self.parts, turns))
        emit = Emitter(parallel.body.block)
        part = emit.divide(parallel.induction, self.parts)
        share = emit.sub(parallel.induction, emit.mul(part, self.parts))
        next_part = emit.add(part, self.one)
        starts = {c: emit.load_index(buffer, part) for c, buffer in self.starts.items()}
        counts = {c: emit.sub(emit.load_index(b, next_part), starts[c]) for c, b in self.starts.items()}
        nothing = dict.fromkeys(self.source.counters, self.zero)

        def shared(begin: SSAValue, end: SSAValue) -> tuple[SSAValue, SSAValue]:
            length = emit.sub(end, begin)
            first = emit.divide(emit.mul(length, share), self.parts)
            last = emit.divide(emit.mul(length, emit.add(share, self.one)), self.parts)
            return emit.add(begin, first), emit.add(begin, last)

        for growable in self.source.growables:
            # What is there before anything is appended, as the 0 that positions begin with, is there only once.
            first = self.source.size_for(growable, nothing, emit)
            target = self.source.size_for(growable, starts, emit)
            begin, end = shared(first, self.source.size_for(growable, counts, emit))
            mine = emit.insert(PartOfOp.of(growable, part)).part
            origin, data = emit.insert(DataOp.of(mine)).buffer, emit.insert(DataOp.of(growable)).buffer
            ends = self.source.ends_in(growable)
            if ends is None:
                place = emit.add(target, emit.sub(begin, first))
                emit.insert(CopyOp.of(origin, begin, data, place, emit.sub(end, begin)))
            else:
                _shift(origin, data, begin, end, emit.sub(target, first), starts[ends], emit)
        for buffer, (counter, width) in self.source.shared_ends.items():
            begin = emit.add(emit.mul(self._bound(part, emit), width), self.one)
            end = emit.add(emit.mul(self._bound(next_part, emit), width), self.one)
            _shift(buffer, buffer, *shared(begin, end), self.zero, starts[counter], emit)


def _shift(
    source: SSAValue, target: SSAValue, begin: SSAValue, end: SSAValue, by: SSAValue, start: SSAValue, emit: Emitter
) -> None:
    """Copy ends of segments `by` places further on, each larger by what was appended before the part."""
    loop = emit.insert(ForOp.of(begin, end))
    inner = Emitter(loop.body.block)
    value = inner.add(inner.load_index(source, loop.induction), start)
    inner.store_index(value, target, inner.add(loop.induction, by))
