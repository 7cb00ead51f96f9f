"""`divide-appending-loops`: loops that append to a result are divided among threads; their lists are joined."""

from __future__ import annotations

from xdsl.dialects.builtin import UnitAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from irtensor.dialects.loop.loop import (
    AS_IT_IS,
    ORDERED,
    AppendOp,
    CloseOp,
    CopyOp,
    CounterOp,
    DataOp,
    ForOp,
    IfOp,
    LoadOp,
    ParallelOp,
    PartOfOp,
    ReserveOp,
    SetOp,
    StoreOp,
)
from irtensor.dialects.support.create_operation import create_operation, erase_operation
from irtensor.passes.analysis.races import PARALLEL, unmark
from irtensor.passes.loop.support.appending_loop import AppendingLoop
from irtensor.passes.loop.support.division import Division, counts_to_starts, sizes_of
from irtensor.passes.loop.support.entry_steps import KnownCounts
from irtensor.passes.loop.support.function_memory import memory_for, numbers_of_parts
from irtensor.passes.support.balance import even_bounds
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass

_ORDERED: dict[str, Attribute] = {ORDERED: UnitAttr()}


class DivideAppendingLoopsPass(TensorPass):
    """Divide a loop that is marked parallel and appends to a result: each part has counters and lists of its own.

    Before: `loop.for %i = %lo to %hi {parallel = ..} { %q = count %n; store %j, %crd[%q]; append 1 to %n }`
    After:  `loop.parallel %c = 0 to %parts { %next = load %reached[0]; %n1 = counter from %next = %c ? %reached[1] : 0;
            %crd1 = loop.part_of %crd[%next = %c ? 0 : %c]; loop.for ...; if %next = %c { store .. %reached } }`,
            a loop over the parts that gives each its start, and a `loop.parallel` that copies lists behind each other

    The order of the loop is kept, so the result is the same, bit by bit. A part that begins when all before it have
    been appended to the result itself appends there as well: one thread's parts, taken in order, are copied by nobody.
    The ends of segments that the others store from a counter are moved by the start of the part. In an array of the
    caller's, where they are stored at increasing positions, skipped elements are 0 and move as well. Where every entry
    of an operand is appended, positions say where those of a part go: it stores them there at once.
    """

    name = "divide-appending-loops"
    accepts = ("loop",)
    leaves = ("loop",)
    before = {"divide-parallel-loops": "loops that append need parts with lists of their own"}
    needs = "threads"

    def on_function(self, function: FuncOp) -> None:
        marked = [op for op in operations_in(function, ForOp) if PARALLEL in op.attributes]
        for loop in marked:
            found = AppendingLoop.find(loop)
            if found is not None:
                _Parts(found, function.body.block).divide()


class _Parts:
    """Builds the code in place of one loop."""

    def __init__(self, source: AppendingLoop, entry: Block) -> None:
        self.source = source
        self.loop = source.loop
        self.entry = entry
        emit = self.emit = Emitter(Block())
        self.zero, self.one = emit.index(0), emit.index(1)
        entries = {counter: source.entries_of(counter) for counter in source.counters}
        # The counters whose entries are those of operands.
        self.known = {counter: steps for counter, steps in entries.items() if steps is not None}
        self.is_joined = len(self.known) < len(entries)
        # Lists cost little, memory of their own for what parts compute may cost more than what they compute.
        memory = sizes_of(source.private) if self.is_joined else ()
        self.division = Division(self.loop, emit, memory)
        self.parts = self.division.parts
        # The first part that is not in the result itself; how much of each counter is.
        self.reached: SSAValue | None = None
        # Per counter and part: first how much was appended, then where the part starts; one more for the end.
        self.starts: dict[SSAValue, SSAValue] = {}
        # Per array of the caller's that ends of segments are stored to, and part: the last position stored to.
        self.last_positions: dict[SSAValue, SSAValue] = {}

    def divide(self) -> None:
        point = InsertPoint.after(self.loop)
        if self.is_joined:
            self._append()
            self._join()
        else:
            self._write_apart()
        Rewriter.inline_block(self.emit.block, point)

    def _part(self) -> tuple[Emitter, SSAValue]:
        """A parallel loop over the parts, with memory that only the loop uses."""
        parallel = self.emit.insert(ParallelOp.of(self.zero, self.parts))
        emit, part = Emitter(parallel.body.block), parallel.induction
        part.name_hint = "part"
        emit.take(self.source.private)
        return emit, part

    def _run(self, bounds: tuple[SSAValue, SSAValue], own: dict[SSAValue, SSAValue], emit: Emitter) -> None:
        """The loop itself, over the range of one part, with memory of its own."""
        loop = self.loop
        loop.detach()
        unmark(loop)
        loop.operands = bounds
        emit.insert(loop)
        for op in loop.walk():
            for number, operand in enumerate(op.operands):
                if operand in own:
                    op.operands[number] = own[operand]

    def _write_apart(self) -> None:
        """Every entry is appended, so that each part knows where its own go in the result."""
        source, outer = self.source, self.emit
        counts = KnownCounts(self.loop, self.known, outer)
        own: dict[SSAValue, SSAValue] = {}
        for growable in source.growables:
            outer.insert(ReserveOp.of(growable, source.size_for(growable, counts.totals, outer)))
        for op in source.prepared:
            if isinstance(op, DataOp):
                own[op.buffer] = outer.insert(DataOp.of(op.growable)).buffer
        for op in operations_in(self.loop, ReserveOp):
            if op.growable in source.growables:
                erase_operation(op)
        emit, part = self._part()
        bounds = self.division.bounds(part, emit)
        for counter, count in counts.before(bounds[0], emit).items():
            own[counter] = own_counter(counter, count, emit)
        self._run(bounds, own, emit)
        for counter, count in counts.appended.items():
            outer.insert(AppendOp.of(count, counter))

    def _append(self) -> None:
        """Every part appends to lists of its own, from 0 on, or to the result, if all parts before it are there."""
        source, outer = self.source, self.emit
        self.last_positions = {buffer: numbers_of_parts(self.parts, self.entry, outer) for buffer in source.shared_ends}
        self.starts = {c: numbers_of_parts(self.parts, self.entry, outer) for c in source.counters}
        reached = self.reached = memory_for(outer.index(1 + len(source.counters)), i64, self.entry, outer)
        slots = {counter: outer.index(1 + number) for number, counter in enumerate(source.counters)}
        for slot in (self.zero, *slots.values()):
            outer.store_index(self.zero, reached, slot)
        emit, part = self._part()
        loaded = emit.insert(create_operation(LoadOp, (reached, self.zero), (i64,), attributes=_ORDERED))
        is_next = emit.compare("eq", emit.to_index(loaded.value), part)
        first = {c: emit.select(is_next, emit.load_index(reached, slot), self.zero) for c, slot in slots.items()}
        number = emit.select(is_next, self.zero, part)
        own = self._lists(first, number, emit)
        last = {buffer: emit.cell(self.zero) for buffer in self.last_positions}
        self._run(self.division.bounds(part, emit), own, emit)
        for close in [op for op in operations_in(self.loop, CloseOp) if op.positions in last]:
            Rewriter.insert_op(SetOp.of(close.index, last[close.positions]), InsertPoint.after(close))
        counted = {counter: emit.count(own[counter]) for counter in source.counters}
        for counter, counts in self.starts.items():
            emit.store_index(emit.sub(counted[counter], first[counter]), counts, part)
        for buffer, positions in self.last_positions.items():
            emit.store_index(emit.get(last[buffer]), positions, part)
        branch = emit.insert(IfOp.of(is_next))
        inner = Emitter(branch.then.block)
        for counter, slot in slots.items():
            inner.store_index(counted[counter], reached, slot)
        following = inner.narrow(inner.add(part, self.one), i64)
        inner.insert(create_operation(StoreOp, (following, reached, self.zero), attributes=_ORDERED))

    def _lists(self, first: dict[SSAValue, SSAValue], number: SSAValue, emit: Emitter) -> dict[SSAValue, SSAValue]:
        """What a part has in place of counters, which begin at `first`, growables and their buffers."""
        own: dict[SSAValue, SSAValue] = {}
        for counter in self.source.counters:
            own[counter] = own_counter(counter, first[counter], emit)
        for growable in self.source.growables:
            own[growable] = emit.insert(PartOfOp.of(growable, number)).part
            own[growable].name_hint = growable.name_hint
        for op in self.source.prepared:
            # Room for what the whole loop appends is enough for a part of it, with all that is before the part.
            if isinstance(op, ReserveOp):
                emit.insert(ReserveOp.of(own[op.growable], op.count))
            elif isinstance(op, DataOp):
                own[op.buffer] = emit.insert(DataOp.of(own[op.growable])).buffer
        return own

    def _join(self) -> None:
        """Copy the lists of parts that are not in the result behind those that are; there is room for them.

        Each is copied in as many slices as there are parts, so that no thread waits for another that has more to copy.
        """
        source, outer = self.source, self.emit
        totals = counts_to_starts(self.starts, self.parts, outer)
        for growable in source.growables:
            outer.insert(ReserveOp.of(growable, source.size_for(growable, totals, outer)))
        self._fill_in_positions()
        assert self.reached is not None
        reached = outer.load_index(self.reached, self.zero)
        others = outer.sub(self.parts, reached)
        parallel = outer.insert(ParallelOp.of(self.zero, outer.mul(others, self.parts)))
        emit = Emitter(parallel.body.block)
        number = emit.divide(parallel.induction, self.parts)
        part, slice = emit.add(number, reached), emit.sub(parallel.induction, emit.mul(number, self.parts))
        before, next_part = emit.sub(part, self.one), emit.add(part, self.one)

        def sliced(begin: SSAValue, end: SSAValue) -> tuple[SSAValue, SSAValue]:
            return even_bounds(begin, emit.sub(end, begin), slice, self.parts, emit)

        starts = {c: emit.load_index(buffer, part) for c, buffer in self.starts.items()}
        counts = {c: emit.sub(emit.load_index(b, next_part), starts[c]) for c, b in self.starts.items()}
        for growable in source.growables:
            # An element before all appended ones, as the 0 that positions begin with, is there only once.
            first, shift = source.sizes[growable].first, source.elements_for(growable, starts, emit)
            begin, end = sliced(first, source.size_for(growable, counts, emit))
            mine = emit.insert(PartOfOp.of(growable, part)).part
            origin, data = emit.insert(DataOp.of(mine)).buffer, emit.insert(DataOp.of(growable)).buffer
            ends = source.ends.get(growable)
            if ends is None:
                emit.insert(CopyOp.of(origin, begin, data, emit.add(begin, shift), emit.sub(end, begin)))
            else:
                _shift(origin, data, begin, end, shift, starts[ends], emit)
        for buffer, counter in source.shared_ends.items():
            # Where segments of no entries were passed over, an element stored already is not an end, and moves like
            # one.
            positions = self.last_positions[buffer]
            begin, end = sliced(*(emit.add(emit.load_index(positions, p), self.one) for p in (before, part)))
            _shift(buffer, buffer, begin, end, self.zero, starts[counter], emit)

    def _fill_in_positions(self) -> None:
        """A part that has stored no end has stored the last where the part before it has."""
        if not self.last_positions:
            return
        loop = self.emit.insert(ForOp.of(self.one, self.parts, AS_IT_IS))
        inner, part = Emitter(loop.body.block), loop.induction
        for positions in self.last_positions.values():
            before = inner.load_index(positions, inner.sub(part, self.one))
            inner.store_index(inner.max(before, inner.load_index(positions, part)), positions, part)


def own_counter(counter: SSAValue, start: SSAValue, emit: Emitter) -> SSAValue:
    """The counter of a part, which begins where so much has been appended."""
    own = emit.insert(CounterOp.of(start)).counter
    own.name_hint = counter.name_hint
    return own


def _shift(
    source: SSAValue, target: SSAValue, begin: SSAValue, end: SSAValue, by: SSAValue, start: SSAValue, emit: Emitter
) -> None:
    """Copy ends of segments `by` positions further on, each larger by the number of entries appended before the
    part."""
    loop = emit.insert(ForOp.of(begin, end, AS_IT_IS))
    inner = Emitter(loop.body.block)
    value = inner.add(inner.load_index(source, loop.induction), start)
    inner.store_index(value, target, inner.add(loop.induction, by))
