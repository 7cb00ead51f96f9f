"""`count-entries`: an appending loop runs twice, first to count its entries, then to store them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects import arith
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.diagnostics import AskedBy, UserError
from irtensor.dialects.loop.loop import (
    AppendOp,
    CloseOp,
    CopyOp,
    CounterOp,
    CountOp,
    DataOp,
    FillOp,
    ForOp,
    ParallelOp,
    ReserveOp,
    StoreOp,
)
from irtensor.dialects.support.constant_index import constant_index
from irtensor.dialects.support.create_operation import clone_operation, erase_operation
from irtensor.passes.analysis.races import PARALLEL, TEAM, unmark
from irtensor.passes.cleanup.remove_unread_memory import erase_unread
from irtensor.passes.iteration_lattice.support.counted_results import COUNTED
from irtensor.passes.loop.support.appending_loop import AppendingLoop, root_of
from irtensor.passes.loop.support.division import Division, Parts, counts_to_starts, sizes_of
from irtensor.passes.loop.support.entry_steps import KnownCounts
from irtensor.passes.loop.support.function_memory import numbers_of_parts
from irtensor.passes.loop.support.shared_between_iterations import users_of
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import everything_in, operations_in
from irtensor.passes.support.pass_base import TensorPass

_Values = dict[SSAValue, SSAValue]
# The parts that a loop is divided into, if each part makes memory of some lengths.
_Divide = Callable[[ForOp, Emitter, Sequence[SSAValue]], Parts]
_WRITES = (StoreOp, FillOp, CopyOp, CloseOp)


class CountEntriesPass(TensorPass):
    """Run a loop marked `counted` twice: first to count what it appends, then to store it at the counted positions.

    Before: `loop.for %i = %lo to %hi {counted} { ...; %q = count %n; store %j, %crd[%q]; append 1 to %n }`
    After:  `loop.parallel %p = 0 to %parts { %own = counter; loop.for ... { ...; append 1 to %own } }`,
            a loop over the parts that turns counts into starts, `loop.reserve %crd, %total`, and a `loop.parallel`
            whose parts begin at their starts

    The first run computes no values. Where every iteration appends, as where each entry of an operand gives one,
    positions and extents say where the entries of a part go: such a counter is not counted, and without another counter
    the loop runs once. A loop that is not marked parallel has one part. A loop may write an entry, or the values below
    it, and then not count it: in the second run that goes behind all others, not where the next part's first entry is.
    """

    name = "count-entries"
    accepts = ("loop",)
    leaves = ("loop",)
    before = {
        "divide-appending-loops": "a loop that counts its entries first is divided already",
        "divide-parallel-loops": "a loop that counts its entries first is divided already",
        "lower-algebra-to-arith": "sums are recognised by the operators that they are made of",
    }

    def on_function(self, function: FuncOp) -> None:
        loops = operations_in(function, ForOp)
        for loop in [loop for loop in loops if COUNTED in loop.attributes]:
            TwoRuns(loop, function).make()


class TwoRuns:
    """Builds the code in place of one loop; `divide` says into which parts it is divided, if it is parallel."""

    def __init__(self, loop: ForOp, function: FuncOp, divide: _Divide = Division) -> None:
        source = AppendingLoop.find(loop)
        if source is None:
            raise _refused(loop, "it does more than count up and store what it counts")
        if source.needs_branch:
            raise _refused(loop, "it uses values computed in the branch that it is in")
        self.source, self.loop, self.function = source, loop, function
        emit = self.emit = Emitter(Block())
        self.zero, self.one = emit.index(0), emit.index(1)
        is_parallel = PARALLEL in loop.attributes
        unmark(loop)
        self.team = loop.attributes.pop(TEAM, None)
        self.division = divide(loop, emit, sizes_of(source.private)) if is_parallel else None
        self.parts = self.one if self.division is None else self.division.parts
        loop.attributes.pop(COUNTED, None)
        steps = {counter: source.entries_of(counter) for counter in source.counters}
        self.known = KnownCounts(loop, {counter: path for counter, path in steps.items() if path is not None}, emit)
        counted = [counter for counter, path in steps.items() if path is None]
        self.uncertain = [counter for counter in counted if self._may_skip(counter)]
        if any(_is_several(op.entries) for counter in self.uncertain for op in self._appends_to(counter)):
            raise _refused(loop, "an entry that may be none comes with others before it")
        # Per counter and part: first how much is appended, then where the part starts; one more for the end.
        entry = function.body.block
        self.starts = {counter: numbers_of_parts(self.parts, entry, emit) for counter in counted}

    def _may_skip(self, counter: SSAValue) -> bool:
        """Whether something is stored for an entry that may turn out to be none."""
        uses = [use.operation for use in counter.uses]
        appends = self._appends_to(counter)
        certain = [op.parent for op in appends if constant_index(op.entries) == 1 or _is_several(op.entries)]
        counts = [op.count for op in uses if isinstance(op, CountOp) and self.loop.is_ancestor(op)]
        return any(
            self._stores(op) and not any(block and block.is_ancestor(op) for block in certain)
            for op in users_of(counts)
        )

    def _appends_to(self, counter: SSAValue) -> list[AppendOp]:
        return [op for use in counter.uses if isinstance(op := use.operation, AppendOp)]

    def _stores(self, op: Operation) -> bool:
        """Whether an operation writes to an array that the loop appends to."""
        return isinstance(op, _WRITES) and any(map(self._is_result, op.operands))

    def make(self) -> None:
        counting = self._count() if self.starts else None
        self._scan()
        self._store()
        move_before(self.emit.block, self.source.top)
        self._erase_loop()
        erase_unread(self.function)
        if counting is not None and any(
            self._is_result(operand) for op in everything_in(counting) for operand in op.operands
        ):
            raise _refused(self.loop, "which entries there are depends on earlier stores")

    def _run(self) -> tuple[Emitter, SSAValue, tuple[SSAValue, SSAValue]]:
        """Where the code of a run goes, the number of the part, and the bounds of its iterations."""
        if self.division is None:
            return self.emit, self.zero, (self.loop.lower, self.loop.upper)
        parallel = self.emit.insert(ParallelOp.of(self.zero, self.parts))
        parallel.induction.name_hint = "part"
        if self.team is not None:
            parallel.attributes[TEAM] = self.team
        emit = Emitter(parallel.body.block)
        return emit, parallel.induction, self.division.bounds(parallel.induction, emit)

    def _copy(
        self, first: Mapping[SSAValue, SSAValue], bounds: tuple[SSAValue, SSAValue], emit: Emitter
    ) -> tuple[ForOp, _Values]:
        """The loop over one part, with memory and counters of its own."""
        own: _Values = {}
        for op in self.source.private:
            copy = emit.insert(clone_operation(op, own))
            own.update(zip(op.results, copy.results, strict=True))
        for counter, start in first.items():
            own[counter] = emit.insert(CounterOp.of(start)).counter
            own[counter].name_hint = counter.name_hint
        for op in self.source.prepared:
            if isinstance(op, DataOp):
                own[op.buffer] = emit.insert(DataOp.of(op.growable)).buffer
        loop = clone_operation(self.loop, own)
        loop.operands = bounds
        emit.insert(loop)
        for op in operations_in(loop, ReserveOp):
            if op.growable in self.source.growables:
                _erase(op)
        return loop, own

    def _count(self) -> ForOp:
        emit, part, bounds = self._run()
        loop, own = self._copy(dict.fromkeys(self.source.counters, self.zero), bounds, emit)
        for op in filter(self._stores, operations_in(loop, *_WRITES)):
            _erase(op)
        for counter, starts in self.starts.items():
            emit.store_index(emit.count(own[counter]), starts, part)
        return loop

    def _is_result(self, value: SSAValue) -> bool:
        """Whether a value is an array that the loop appends to."""
        root = root_of(value)
        return root in self.source.growables or root in self.source.ends

    def _scan(self) -> None:
        """Turn counts into starts; the counters themselves become what all parts append, with room for just that."""
        emit = self.emit
        self.totals = self.known.totals | counts_to_starts(self.starts, self.parts, emit)
        for counter, count in self.known.appended.items():
            emit.insert(AppendOp.of(count, counter))
        room = {n: emit.add(total, self.one) if n in self.uncertain else total for n, total in self.totals.items()}
        for growable in self.source.growables:
            emit.insert(ReserveOp.of(growable, self.source.size_for(growable, room, emit)))

    def _store(self) -> None:
        emit, part, bounds = self._run()
        first = self.known.before(bounds[0], emit)
        first |= {counter: emit.load_index(starts, part) for counter, starts in self.starts.items()}
        after = emit.add(part, self.one)
        ends = {counter: emit.load_index(self.starts[counter], after) for counter in self.uncertain}
        loop, own = self._copy(first, bounds, emit)
        for counter, end in ends.items():
            self._keep_apart(loop, own[counter], end, self.totals[counter])

    def _keep_apart(self, loop: ForOp, counter: SSAValue, end: SSAValue, total: SSAValue) -> None:
        """Let an element stored behind the last entry of a part go behind all entries.

        Counts that are compared stay in the same order.
        """
        for op in operations_in(loop, CountOp):
            if op.counter is counter and any(map(self._stores, users_of([op.count]))):
                emit, uses = Emitter(Block()), list(op.count.uses)
                chosen = emit.select(emit.compare("slt", op.count, end), op.count, total)
                for use in uses:
                    use.operation.operands[use.index] = chosen
                assert op.next_op is not None
                move_before(emit.block, op.next_op)

    def _erase_loop(self) -> None:
        _erase(self.loop)
        for op in reversed([*self.source.private, *self.source.prepared]):
            if not any(result.first_use for result in op.results) and not isinstance(op, ReserveOp):
                _erase(op)


def _is_several(entries: SSAValue) -> bool:
    """Whether entries are one and as many before it as something says: gaps up to a coordinate."""
    return isinstance(entries.owner, arith.AddiOp) and constant_index(entries.owner.rhs) == 1


def _erase(op: Operation) -> None:
    erase_operation(op)


def _refused(loop: ForOp, why: str) -> UserError:
    message = f"assemble: what the loop over {loop.induction.name_hint or 'it'} appends cannot be counted before: {why}"
    asked_by = AskedBy(("assemble",), "")
    return UserError("illegal-assemble", message, op=loop, help="assemble the result by append", asked_by=asked_by)
