"""`carry-elements`: an element that the next iteration reads again stays in a register."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import FixedBitwidthType, IndexType, i1
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block

from irtensor.dialects.loop.buffer_uses import is_only_read
from irtensor.dialects.loop.loop import ForOp, IfOp, LoadOp
from irtensor.dialects.support.create_operation import clone_operation, erase_operation
from irtensor.passes.loop.support.consecutive_indices import is_consecutive
from irtensor.passes.loop.support.value_sources import sources_of
from irtensor.passes.support.emit import Emitter, is_successor, move_before
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass


class CarryElementsPass(TensorPass):
    """Let a cell hold the element that an iteration reads at the next position, for the iteration that reads it there.

    Where a segment of a positions array begins is where the one before ends. That end has been waited for by then, so
    that iterations overlap more.

    Before: `for %i = %a to %b { %begin = %pos[%i]; %end = %pos[%i + 1]; ... }`
    After:  `%next = cell 0; if %a < %b { %next = %pos[%a] };
            for %i = %a to %b { %begin = %next; %end = %pos[%i + 1]; %next = %end; ... }`
    Only of arrays that the function does not write.
    """

    name = "carry-elements"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {
        "prefetch-gathers": "the reads of a positions array are recognised there",
        "mask-remainders": "the reads of a positions array are recognised there",
    }

    def on_function(self, function: FuncOp) -> None:
        for loop in operations_in(function, ForOp):
            # LLVM makes vectors of other loops, in which a value from the iteration before is in the way.
            if any(inner.regions for inner in loop.body.block.ops):
                for one, following in list(_pairs(loop)):
                    _carry(loop, one, following)


def _pairs(loop: ForOp) -> Iterator[tuple[LoadOp, LoadOp]]:
    """Reads of each iteration such that the first one of the next iteration reads what the second one does."""
    loads = [op for op in loop.body.block.ops if type(op) is LoadOp and _may_be_carried(op)]
    for one in loads:
        following = (other for other in loads if other.buffer is one.buffer and is_successor(other.index, one.index))
        other = next(following, None)
        if other is not None and is_consecutive(one.index, loop):
            yield one, other


def _may_be_carried(load: LoadOp) -> bool:
    """Whether a read gives the same at any time, and what it gives is one number."""
    type = load.value.type
    return isinstance(type, FixedBitwidthType | IndexType) and type != i1 and is_only_read(load.buffer)


def _carry(loop: ForOp, one: LoadOp, following: LoadOp) -> None:
    """Read the first element before the loop, if there is an iteration that would, and the others in the iteration
    before."""
    before, start, behind = Emitter(Block()), Emitter(Block()), Emitter(Block())
    carried = before.cell(before.number(0, one.value.type))
    branch = before.insert(IfOp.of(before.compare("slt", loop.lower, loop.upper)))
    inside, known = Emitter(branch.then.block), {loop.induction: loop.lower}
    needed = set(sources_of([one.index]))
    for op in loop.body.block.ops:
        if op is one or any(result in needed for result in op.results):
            inside.insert(clone_operation(op, known))
        if op is one:
            break
    inside.set(known[one.value], carried)
    move_before(before.block, loop)
    one.value.replace_all_uses_with(start.get(carried))
    erase_operation(one)
    behind.set(following.value, carried)
    first, next_op = loop.body.block.first_op, following.next_op
    assert first is not None and next_op is not None
    move_before(behind.block, next_op)
    move_before(start.block, first)
