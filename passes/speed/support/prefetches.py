"""Asks for memory early that a gather or a row will read."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import arith
from xdsl.dialects.builtin import FixedBitwidthType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue

from irtensor.dialects.loop.loop import AS_IT_IS, SHORT, DataOp, ForOp, IfOp, PrefetchOp, ReserveOp, ViewOp
from irtensor.dialects.loop.loop_types import held_type
from irtensor.dialects.support.constant_index import constant_index
from irtensor.dialects.support.create_operation import append_operation, clone_operation, copy_of, create_operation
from irtensor.passes.speed.support.dense_matrices import extents_of, product_of
from irtensor.passes.speed.support.gathers import Gather
from irtensor.passes.speed.support.loop_versions import put_in_branch
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_of

_LINE_BITS = 512


def prefetch(gather: Gather, known: dict[SSAValue, SSAValue], ahead: Emitter, most_lines: int) -> None:
    """Repeat the steps to the address; of a row, ask for all lines. `known` has the copy of the gather's source.

    A row that is shorter than a vector is in one line, as a rule.
    """
    load, row = gather.load, gather.row
    if row is not None:
        known[row.induction] = row.lower
    for step in gather.steps:
        if step.results[0] not in known:
            ahead.insert(clone_operation(step, known))
    index = known[load.index]
    if row is None or SHORT in row.attributes:
        ahead.insert(PrefetchOp.of(load.buffer, index))
        return
    width = _LINE_BITS // _bits(load.buffer)
    count = ahead.add(ahead.sub(row.upper, row.lower), ahead.index(width - 1))
    lines = ahead.insert(create_operation(arith.DivSIOp, (count, ahead.index(width)), (count.type,)))
    loop = ahead.insert(ForOp.of(ahead.index(0), ahead.min(lines.result, ahead.index(most_lines)), AS_IT_IS))
    body = Emitter(loop.body.block)
    body.insert(PrefetchOp.of(load.buffer, body.add(index, body.mul(loop.induction, body.index(width)))))


def leave_if_near(loop: ForOp, is_far: SSAValue, *, writes_out: bool) -> None:
    """Put a copy of a loop beside it, for arrays that a cache holds, where asking for what they hold would take longer
    than reading it. LLVM `writes_out` some iterations of the copy, which has nothing else to do."""
    copy = copy_of(loop)
    put_in_branch(loop, is_far, Emitter(Block()), then=loop, otherwise=copy)
    loop.attributes.update(AS_IT_IS)
    if not writes_out:
        copy.attributes.update(AS_IT_IS)


def do_if_far(loop: ForOp, is_far: SSAValue, ahead: Block) -> None:
    """Put all that a block does, in each iteration of a loop, below a condition that all of them have in common."""
    branch = IfOp.of(is_far)
    Emitter(branch.then.block).take(operations_of(ahead))
    append_operation(ahead, branch)
    loop.attributes.update(AS_IT_IS)


def exceed(buffers: Iterable[SSAValue], cache: int, loop: ForOp, function: FuncOp) -> SSAValue | None:
    """Whether arrays take more than so many bytes together, known before all loops around `loop`; None if the size of
    an array is not known there."""
    before = Emitter(Block())
    total = before.index(0)
    for buffer in dict.fromkeys(buffers):
        count = _elements(shared_array(buffer), function, before)
        if count is None:
            return None
        total = before.add(total, before.mul(count, before.index(_bits(buffer) // 8)))
    is_far = before.compare("sgt", total, before.index(cache))
    outermost = function.body.block.find_ancestor_op_in_block(loop)
    assert outermost is not None
    move_before(before.block, outermost)
    return is_far


def _elements(array: SSAValue, function: FuncOp, emit: Emitter) -> SSAValue | None:
    """The number of elements of a dense argument, or of a workspace that the function makes room for once."""
    if extents := extents_of(array):
        return product_of(extents, emit)
    if not isinstance(array.owner, DataOp):
        return None
    reserves = [use.operation for use in array.owner.growable.uses if isinstance(use.operation, ReserveOp)]
    made = [op for op in reserves if op.parent is function.body.block]
    return made[0].count if len(made) == len(reserves) == 1 else None


def shared_array(buffer: SSAValue) -> SSAValue:
    """The array that a buffer is, or that iterations of a parallel loop each have a copy of."""
    if isinstance(buffer.owner, arith.SelectOp):
        buffer = buffer.owner.lhs
    owner = buffer.owner
    return owner.buffer if isinstance(owner, ViewOp) and constant_index(owner.first) == 0 else buffer


def _bits(buffer: SSAValue) -> int:
    element = held_type(buffer)
    return max(8, element.bitwidth) if isinstance(element, FixedBitwidthType) else 64
