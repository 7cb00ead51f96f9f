"""Loops that store a row of a result, element by element."""

from __future__ import annotations

from xdsl.ir import SSAValue

from irtensor.dialects.loop.loop import DataOp, ForOp, GetOp, LoadOp, StoreOp
from irtensor.dialects.support.create_operation import erase_operation
from irtensor.dialects.support.is_inside import is_inside
from irtensor.passes.cleanup.simplify_loops import is_pure
from irtensor.passes.loop.support.consecutive_indices import is_consecutive
from irtensor.passes.speed.support.memory_effects import memory_behind
from irtensor.passes.support.operations_in import is_argument, operations_of


def only_row_store(loop: ForOp) -> StoreOp | None:
    """The store of a loop, in every iteration and to one element after the other, if nothing else in it has to do with
    that array of the caller."""
    stores = [op for op in operations_of(loop.body.block) if isinstance(op, StoreOp)]
    memory = memory_behind(stores[0].buffer) if len(stores) == 1 else None
    if memory is None or not is_argument(memory) or is_inside(stores[0].buffer, loop):
        return None
    stored = stores[0]
    buffers = [use.operation.results[0] for use in memory.uses if isinstance(use.operation, DataOp)]
    uses = [use for name in (memory, *buffers) for use in name.uses]
    users = [use.operation for use in uses if loop.is_ancestor(use.operation)]
    varying = _varying(loop)
    return stored if users == [stored] and is_consecutive(stored.index, loop, varying.__contains__) else None


def _varying(loop: ForOp) -> set[SSAValue]:
    """What a loop computes from its own number, or reads."""
    found: set[SSAValue] = {loop.induction}
    for op in operations_of(loop.body.block):
        if not is_pure(op) or any(operand in found for operand in op.operands):
            found.update(op.results)
    return found


def remove_unused(loop: ForOp) -> None:
    """Remove what a loop computes and reads for nothing, other than in loops inside."""
    for op in reversed(operations_of(loop.body.block)):
        is_unused = all(result.first_use is None for result in op.results)
        if is_unused and (is_pure(op) or isinstance(op, GetOp | LoadOp)):
            erase_operation(op)
