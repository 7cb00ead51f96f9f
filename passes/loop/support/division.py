"""Into how many parts the range of a loop is divided, and where each begins, so that all are about the same work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, SSAValue

from irtensor.dialects.loop.loop import AppendOp, ForOp, IndexSetOp, PartsOp, PrefixSumOp, ReserveOp
from irtensor.dialects.support.create_operation import erase_operation
from irtensor.passes.loop.support.loop_work import LoopWork
from irtensor.passes.support.balance import balanced_bounds, even_bounds
from irtensor.passes.support.emit import Emitter

# How many iterations of inner loops a part has at least for each element of memory that it makes ready, where there are
# more parts than threads.
_ITERATIONS_PER_ELEMENT = 16


class Parts(Protocol):
    """Parts of a loop's range: how many there are, and where each begins and ends."""

    @property
    def parts(self) -> SSAValue: ...

    def bounds(self, part: SSAValue, emit: Emitter) -> tuple[SSAValue, SSAValue]: ...


class Division:
    """The parts of a loop's range: their number, computed before the loop, and the bounds of each."""

    def __init__(self, loop: ForOp, before: Emitter, memory: Sequence[SSAValue] = ()) -> None:
        """Emit the number of parts where the loop's bounds are known; a part makes `memory` ready, so many elements.

        It has one part per thread at least, and more if each of them has much more work than that.
        """
        self.lower, self.upper = loop.lower, loop.upper
        self._work = None if is_divided(loop) else LoopWork(loop)
        if self._work is None:
            self.parts = self.upper = _parts_again(loop, memory, before)
            return
        self._work.prepare(before)
        self._lowest = self._work.before(self.lower, before)
        self._total = before.sub(self._work.before(self.upper, before), self._lowest)
        self.parts = before.insert(PartsOp.of(self._total)).parts
        self.parts.name_hint = "parts"
        if memory:
            self.parts = _fewer(self.parts, self._total, memory, before)

    def bounds(self, part: SSAValue, emit: Emitter) -> tuple[SSAValue, SSAValue]:
        """Emit where a part begins and ends."""
        if self._work is None:
            return part, emit.add(part, emit.index(1))
        return self._even(part, emit) if self._work.is_even else self._balanced(self._work, part, emit)

    def _even(self, part: SSAValue, emit: Emitter) -> tuple[SSAValue, SSAValue]:
        return even_bounds(self.lower, emit.sub(self.upper, self.lower), part, self.parts, emit)

    def _balanced(self, loop: LoopWork, part: SSAValue, emit: Emitter) -> tuple[SSAValue, SSAValue]:
        """The first iterations before which there is as much work as before this part, and as before the next one."""

        def work(iteration: SSAValue, emit: Emitter) -> SSAValue:
            return emit.sub(loop.before(iteration, emit), self._lowest)

        return balanced_bounds((self.lower, self.upper), part, self.parts, self._total, work, emit)


def is_divided(loop: ForOp) -> bool:
    """Whether the iterations of a loop are parts already."""
    return isinstance(loop.upper.owner, PartsOp)


def _parts_again(loop: ForOp, memory: Sequence[SSAValue], before: Emitter) -> SSAValue:
    """The parts that are the iterations of a loop: one per thread, where each makes memory ready."""
    counted = loop.upper.owner
    assert isinstance(counted, PartsOp)
    if not memory:
        return counted.parts
    parts = before.insert(PartsOp.of(counted.work, before.index(1))).parts
    parts.name_hint = counted.parts.name_hint
    counted.parts.replace_all_uses_with(parts)
    erase_operation(counted)
    return parts


def _fewer(parts: SSAValue, work: SSAValue, memory: Sequence[SSAValue], emit: Emitter) -> SSAValue:
    """Emit so many of some parts that each has much more work than to make its memory ready, or one per thread."""
    elements = emit.index(1)
    for count in memory:
        elements = emit.add(elements, count)
    worth = emit.divide(work, emit.mul(elements, emit.index(_ITERATIONS_PER_ELEMENT)))
    threads = emit.insert(PartsOp.of(work, emit.index(1))).parts
    return emit.min(parts, emit.max(worth, threads))


def counts_to_starts(counts: Mapping[SSAValue, SSAValue], parts: SSAValue, emit: Emitter) -> dict[SSAValue, SSAValue]:
    """Emit sums of what the parts have counted: arrays of counts become arrays of where parts start, and the end.

    The counters become what all parts have counted together, which is returned.
    """
    zero, before = emit.index(0), {counter: emit.count(counter) for counter in counts}
    starts = {counter: emit.narrow(count, i64) for counter, count in before.items()}
    for counter, buffer in counts.items():
        emit.insert(PrefixSumOp.of(buffer, zero, parts, starts[counter]))
    totals = {counter: emit.load_index(buffer, parts) for counter, buffer in counts.items()}
    for counter, total in totals.items():
        emit.insert(AppendOp.of(emit.sub(total, before[counter]), counter))
    return totals


def sizes_of(private: Sequence[Operation]) -> list[SSAValue]:
    """How long the memory is that operations make."""
    made = {result for op in private for result in op.results}
    counts = [op.operands[-1] for op in private if isinstance(op, ReserveOp | IndexSetOp)]
    return [count for count in counts if count not in made]
