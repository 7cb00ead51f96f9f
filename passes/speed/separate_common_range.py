"""`separate-common-range`: the elements that all rows of a sum have are apart from those that some do not have."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.argument_layout import tensor_named
from irtensor.core.diagnostics import remark
from irtensor.dialects.loop.loop import AS_IT_IS, ForOp, LoadOp
from irtensor.dialects.support.create_operation import clone_operation
from irtensor.passes.cleanup.hoist_invariants import is_speculatable
from irtensor.passes.cleanup.simplify_loops import is_pure
from irtensor.passes.loop.support.accumulation_nests import Row, as_row, find_nests, is_outside
from irtensor.passes.loop.support.memory_roots import is_seen_otherwise, roots_of
from irtensor.passes.speed.accumulate_in_registers import is_row
from irtensor.passes.speed.support.register_tiles import with_what_they_use
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass

# Further than any element from the first one.
_FAR = 1 << 60
# Fewer elements take as long as finding the range.
_SHORT = 2048


@dataclass(frozen=True)
class SeparateCommonRangePass(TensorPass):
    """Sum the elements that all rows have apart from those before and behind, which some rows do not have.

    Before: `for %p { for %i = lo(%p) to hi(%p) { %y[%i] += %a[%p, %i] * %x[...] } }`
    After:  `%first = the greatest lo(%p); %end = the least hi(%p);
             for %p { for %i = lo(%p) to min(hi(%p), %first) { body } }; for %p { for %i = %first to %end { body } };
             for %p { for %i = max(lo(%p), %end) to hi(%p) { body } }`
    Diagonals of a matrix are such rows: most elements of the result belong to all of them, and
    `accumulate-in-registers` then keeps these in vectors while the loop goes over diagonals. An element is in one of
    the three parts, where it is combined with the same values in the same order as before: it is the same bit for bit.
    """

    name = "separate-common-range"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {"lower-algebra-to-arith": "only upstream arithmetic is recognised"}
    before = {"accumulate-in-registers": "sums over a common range are kept in registers"}

    def on_function(self, function: FuncOp) -> None:
        for loop in operations_in(function, ForOp):
            if (row := _row_of(loop)) is not None:
                _rewrite(loop, row)


def _row_of(around: ForOp) -> Row | None:
    """The row inside of a loop, if it is all that the loop does, has another range each time, and is summed over."""
    loops = [op for op in operations_of(around.body.block) if type(op) is ForOp]
    if len(loops) != 1 or around.attributes or not all(_is_harmless(op) for op in around.body.block.ops):
        return None
    loop = loops[0]
    if loop.attributes or (is_outside(loop.lower, around) and is_outside(loop.upper, around)):
        return None
    if not _is_cut(loop.lower, arith.MaxSIOp, around) or not _is_cut(loop.upper, arith.MinSIOp, around):
        return None
    row = as_row(loop) if is_row(loop) else None
    if row is None or row.marks:
        return None
    # Where the ranges are is found in advance.
    read = [op.buffer for op in with_what_they_use((loop.lower, loop.upper), around) if isinstance(op, LoadOp)]
    if not row.targets.keys().isdisjoint(read) or is_seen_otherwise(row.targets, around):
        return None
    return row


def _is_cut(bound: SSAValue, end: type[arith.MaxSIOp | arith.MinSIOp], around: ForOp) -> bool:
    """Whether a bound of a row is the same for all rows, or cut by one that is.

    Ranges that move on, as those of the blocks of a split loop, have nothing in common.
    """
    if is_outside(bound, around):
        return True
    return isinstance(bound.owner, end) and any(is_outside(one, around) for one in bound.owner.operands)


def _is_harmless(op: Operation) -> bool:
    return isinstance(op, ForOp | LoadOp) or is_pure(op) or is_speculatable(op)


def _rewrite(around: ForOp, row: Row) -> None:
    """Put the loop over the common range before that over the other elements, if vectors can hold its sums."""
    before, inside = Emitter(Block()), Emitter(Block())
    first, end = _common_range(around, row.loop, before)
    values: dict[SSAValue, SSAValue] = {}
    inside.insert(clone_operation(around, values))
    common = values[row.loop.induction].owner.parent_op()
    assert isinstance(common, ForOp)
    common.operands = (first, end)
    if [nest.root for nest in find_nests(inside.block, is_row)] != [inside.block.first_op]:
        return
    tensors = [tensor_named(next(roots_of(buffer)).name_hint) for buffer in row.targets]
    names = ", ".join(f"'{name}'" for name in tensors)
    remark(f"elements of {names} that all rows have are computed apart", by="separate-common-range", about=tensors)
    before.take(operations_of(inside.block))
    move_before(before.block, around)
    _leave_the_rest(around, row.loop, first, end)


def _common_range(around: ForOp, row: ForOp, emit: Emitter) -> tuple[SSAValue, SSAValue]:
    """The greatest beginning and the least end of the rows; an empty range where that is short."""
    first, end = emit.cell(emit.index(-_FAR)), emit.cell(emit.index(_FAR))
    loop = emit.insert(ForOp.of(around.lower, around.upper, AS_IT_IS))
    body = Emitter(loop.body.block)
    values: dict[SSAValue, SSAValue] = {around.induction: loop.induction}
    needed = with_what_they_use((row.lower, row.upper), around)
    for op in operations_of(around.body.block):
        if op in needed:
            body.insert(clone_operation(op, values))
    body.set(body.max(body.get(first), values.get(row.lower, row.lower)), first)
    body.set(body.min(body.get(end), values.get(row.upper, row.upper)), end)
    begin, behind = emit.get(first), emit.get(end)
    is_long = emit.compare("sge", emit.sub(behind, begin), emit.index(_SHORT))
    is_used = emit.both(is_long, emit.compare("slt", around.lower, around.upper))
    # Where there is none, all elements are behind it.
    nowhere = emit.index(-_FAR)
    return emit.select(is_used, begin, nowhere), emit.select(is_used, behind, nowhere)


def _leave_the_rest(around: ForOp, row: ForOp, first: SSAValue, end: SSAValue) -> None:
    """Run a loop twice: for the elements before the common range, and for those behind."""
    emit = Emitter(Block())
    sides = emit.insert(ForOp.of(emit.index(0), emit.index(2), AS_IT_IS))
    side = Emitter(sides.body.block)
    is_before = side.compare("eq", sides.induction, side.index(0))
    begin = side.select(is_before, side.index(-_FAR), end)
    behind = side.select(is_before, first, side.index(_FAR))
    move_before(emit.block, around)
    around.detach()
    side.insert(around)
    bounds = Emitter(Block())
    row.operands = (bounds.max(row.lower, begin), bounds.min(row.upper, behind))
    move_before(bounds.block, row)
