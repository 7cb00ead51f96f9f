"""`lower-prefix-sums`: sums of counts are computed by a loop."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block
from xdsl.rewriter import Rewriter

from irtensor.dialects.loop.loop import AS_IT_IS, ForOp, PrefixSumOp
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass


class LowerPrefixSumsPass(TensorPass):
    """Compute prefix sums one after the other.

    Before: `loop.prefix_sum %b[%lo to %hi]`
    After:  `loop.for %p = %lo to %hi { %n = load %b[%p]; store %sum, %b[%p]; %sum += %n }; store %sum, %b[%hi]`

    Sums that follow each other, over the same range, are computed by one loop.
    """

    name = "lower-prefix-sums"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {
        "count-all-entries": "what the iterations of a loop have counted is added up",
        "count-entries": "what the parts of a loop have counted is added up",
        "divide-appending-loops": "what the parts of a loop have appended is added up",
    }

    def on_function(self, function: FuncOp) -> None:
        found = operations_in(function, PrefixSumOp)
        while found:
            count = _of_one_range(found)
            _add_up(found[:count])
            del found[:count]


def _of_one_range(found: Sequence[PrefixSumOp]) -> int:
    """How many sums, from the first on, follow each other and are over the same range of different buffers."""
    count = 1
    while count < len(found) and _follows(found[count], found[:count]):
        count += 1
    return count


def _follows(op: PrefixSumOp, before: Sequence[PrefixSumOp]) -> bool:
    is_next = before[-1].next_op is op and (op.lower, op.upper) == (before[0].lower, before[0].upper)
    return is_next and all(op.buffer is not other.buffer for other in before)


def _add_up(group: Sequence[PrefixSumOp]) -> None:
    first = group[0]
    emit = Emitter(Block())
    sums = [emit.cell(emit.index(0) if op.start is None else emit.to_index(op.start)) for op in group]
    loop = emit.insert(ForOp.of(first.lower, first.upper, AS_IT_IS))
    inner, position = Emitter(loop.body.block), loop.induction
    for op, sum in zip(group, sums, strict=True):
        count, before = inner.load_index(op.buffer, position), inner.get(sum)
        inner.store_index(before, op.buffer, position)
        inner.set(inner.add(before, count), sum)
    for op, sum in zip(group, sums, strict=True):
        emit.store_index(emit.get(sum), op.buffer, op.upper)
    move_before(emit.block, first)
    for op in group:
        Rewriter.erase_op(op)
