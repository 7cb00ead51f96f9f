"""Into how many parts the range of a loop is divided, and where each begins, so that all are about the same work."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import UnitAttr, i64
from xdsl.ir import Block, SSAValue

from irtensor.dialects.loop import AS_IT_IS, SEARCH, ConditionOp, DataOp, ForOp, PartsOp, ReserveOp, ScratchOp, WhileOp
from irtensor.passes.emit import Emitter
from irtensor.passes.loop.loop_work import LoopWork


class Division:
    """The parts of a loop's range: their number, computed before the loop, and the bounds of each."""

    def __init__(self, loop: ForOp, before: Emitter, each: int = 0) -> None:
        """Emit the number of parts where the loop's bounds are known; `each` elements of a part are combined later."""
        self.lower, self.upper = loop.lower, loop.upper
        self._work = LoopWork(loop)
        self._work.prepare(before)
        self._lowest = self._work.before(self.lower, before)
        self._total = before.sub(self._work.before(self.upper, before), self._lowest)
        self.parts = before.insert(PartsOp.of(self._total, before.index(each) if each else None)).parts
        self.parts.name_hint = "parts"

    def bounds(self, part: SSAValue, emit: Emitter) -> tuple[SSAValue, SSAValue]:
        """Emit where a part begins and ends."""
        return self._even(part, emit) if self._work.is_even else self._balanced(part, emit)

    def _even(self, part: SSAValue, emit: Emitter) -> tuple[SSAValue, SSAValue]:
        length = emit.sub(self.upper, self.lower)
        following = emit.add(part, emit.index(1))
        first, last = (emit.divide(emit.mul(length, number), self.parts) for number in (part, following))
        return emit.add(self.lower, first), emit.add(self.lower, last)

    def _balanced(self, part: SSAValue, emit: Emitter) -> tuple[SSAValue, SSAValue]:
        """The first turns before which there is as much work as before this part, and as before the next one."""
        first, last = emit.cell(self.lower), emit.cell(self.lower)
        bounds = emit.insert(ForOp.of(emit.index(0), emit.index(2), AS_IT_IS))
        inner = Emitter(bounds.body.block)
        share = inner.divide(inner.mul(self._total, inner.add(part, bounds.induction)), self.parts)
        found = self._bisect(inner.add(self._lowest, share), inner)
        inner.set(inner.get(last), first)
        inner.set(found, last)
        return emit.get(first), emit.get(last)

    def _bisect(self, target: SSAValue, emit: Emitter) -> SSAValue:
        low, high = emit.cell(self.lower), emit.cell(self.upper)
        search = WhileOp.of()
        search.attributes.update({SEARCH: UnitAttr(), **AS_IT_IS})
        emit.insert(search)
        test = Emitter(search.condition.block)
        test.insert(ConditionOp.of(test.compare("slt", test.get(low), test.get(high))))
        halve = Emitter(search.body.block)
        begin, end = halve.get(low), halve.get(high)
        middle = halve.divide(halve.add(begin, end), halve.index(2))
        less = halve.compare("slt", self._work.before(middle, halve), target)
        halve.set(halve.select(less, halve.add(middle, halve.index(1)), begin), low)
        halve.set(halve.select(less, end, middle), high)
        return emit.get(low)


def numbers_of_parts(parts: SSAValue, entry: Block, emit: Emitter) -> SSAValue:
    """Emit memory of the function whose first block is `entry`: an array of a number per part, and one more."""
    scratch, first = ScratchOp.of(i64), entry.first_op
    assert first is not None
    entry.insert_op_before(scratch, first)
    emit.insert(ReserveOp.of(scratch.growable, emit.add(parts, emit.index(1))))
    return emit.insert(DataOp.of(scratch.growable)).buffer


def counts_to_starts(counts: Mapping[SSAValue, SSAValue], parts: SSAValue, emit: Emitter) -> dict[SSAValue, SSAValue]:
    """Emit sums of what the parts have counted: arrays of counts become arrays of where parts start, and the end.

    The cells that counted become what all parts have counted together, which is returned.
    """
    loop = emit.insert(ForOp.of(emit.index(0), parts, AS_IT_IS))
    inner = Emitter(loop.body.block)
    for counter, buffer in counts.items():
        count, start = inner.load_index(buffer, loop.induction), inner.get(counter)
        inner.store_index(start, buffer, loop.induction)
        inner.set(inner.add(start, count), counter)
    totals = {counter: emit.get(counter) for counter in counts}
    for counter, buffer in counts.items():
        emit.store_index(totals[counter], buffer, parts)
    return totals
