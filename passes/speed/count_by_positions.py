"""`count-by-positions`: a loop over a block of coordinates counts the positions of its elements."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue

from irtensor.dialects.loop.loop import ForOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.dialects.support.create_operation import create_operation, erase_operation, replace_value
from irtensor.passes.loop.support.segments import position_read
from irtensor.passes.support.emit import is_successor
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass


class CountByPositionsPass(TensorPass):
    """Let a loop over a block of coordinates, whose length is that of a segment, count the positions of the segment.

    It is a loop over a segment then, as that over a list is: threads get equal numbers of elements by the array that
    delimits segments, and elements are found without arithmetic.

    Before: `for %j = %end - (%past - %first) to %end { ... %a[(%past - %end) + %j] * %x[%j] ... }`
    After:  `for %p = %first to %past { %j = %p + (%end - %past); ... %a[%p] * %x[%j] ... }`
    with `%first = load %offsets[%q]` and `%past = load %offsets[%q + 1]`.
    """

    name = "count-by-positions"
    accepts = ("loop",)
    leaves = ("loop",)
    before = {"divide-parallel-loops": "the work of threads is read off the arrays that delimit segments"}

    def on_function(self, function: FuncOp) -> None:
        for loop in operations_in(function, ForOp):
            segment = _segment(loop)
            if segment is not None:
                _count(loop, *segment)


def _segment(loop: ForOp) -> tuple[SSAValue, SSAValue] | None:
    """Where the segment begins and ends that has an element for each iteration."""
    lower = loop.lower.owner
    if not isinstance(lower, arith.SubiOp) or not _is_same(lower.lhs, loop.upper):
        return None
    length = lower.rhs.owner
    if not isinstance(length, arith.SubiOp):
        return None
    past, first = position_read(length.lhs), position_read(length.rhs)
    if past is None or first is None or past.buffer is not first.buffer or not is_successor(past.index, first.index):
        return None
    return (length.rhs, length.lhs) if _positions(loop, length.lhs) else None


def _positions(loop: ForOp, past: SSAValue) -> list[arith.AddiOp]:
    """The operations that compute the position of the element at the coordinate of an iteration."""
    found: list[arith.AddiOp] = []
    for op in loop.body.block.ops:
        if isinstance(op, arith.AddiOp) and op.rhs is loop.induction and isinstance(op.lhs.owner, arith.SubiOp):
            start = op.lhs.owner
            if _is_same(start.lhs, past) and _is_same(start.rhs, loop.upper):
                found.append(op)
    return found


def _is_same(one: SSAValue, other: SSAValue) -> bool:
    """Whether two values are read from the same element of an operand."""
    if one is other:
        return True
    read, again = position_read(one), position_read(other)
    if read is None or again is None or read.buffer is not again.buffer:
        return False
    return isinstance(read.buffer.owner, Block) and _is_number(read.index, again.index)


def _is_number(one: SSAValue, other: SSAValue) -> bool:
    """Whether two values are the same number, or one more than it."""
    if one is other:
        return True
    sums = [value.owner for value in (one, other)]
    if not all(isinstance(op, arith.AddiOp) for op in sums):
        return False
    (first, step), (second, more) = (op.operands for op in sums if isinstance(op, arith.AddiOp))
    return first is second and constant_index(step) is not None and constant_index(step) == constant_index(more)


def _count(loop: ForOp, first: SSAValue, past: SSAValue) -> None:
    around, body, index = loop.parent, loop.body.block, IndexType()
    assert around is not None and body.first_op is not None
    positions = _positions(loop, past)
    shift = create_operation(arith.SubiOp, (loop.upper, past), (index,))
    around.insert_op_before(shift, loop)
    coordinate = create_operation(arith.AddiOp, (shift.result, shift.result), (index,))
    coordinate.result.name_hint, loop.induction.name_hint = loop.induction.name_hint, "p"
    replace_value(loop.induction, coordinate.result)
    coordinate.operands[0] = loop.induction
    body.insert_op_before(coordinate, body.first_op)
    for op in positions:
        replace_value(op.result, loop.induction)
        erase_operation(op)
    loop.operands[0], loop.operands[1] = first, past
