"""What an iteration of a loop computes on the way to its work, and whether that gives the same at another time."""

from __future__ import annotations

from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.loop.buffer_uses import is_only_read
from irtensor.dialects.loop.loop import CellOp, ForOp, GetOp, LoadOp
from irtensor.dialects.support.create_operation import erase_operation
from irtensor.passes.cleanup.hoist_invariants import is_speculatable
from irtensor.passes.cleanup.simplify_loops import is_pure


def does_only(loop: ForOp, work: Operation) -> bool:
    """Whether nothing but one operation of a loop's body has an effect."""
    return all(
        op is work or is_speculatable(op) or isinstance(op, LoadOp | CellOp | GetOp) for op in loop.body.block.ops
    )


def repeatable_steps(block: Block, *values: SSAValue) -> list[Operation] | None:
    """The operations of a block that give values, in order; None if these may be others at another time."""
    needed: set[Operation] = set()
    open_values = list(values)
    while open_values:
        owner = open_values.pop().owner
        if owner is block or not block.is_ancestor(owner) or owner in needed:
            continue
        if isinstance(owner, Block) or owner.parent is not block:
            return None
        if not (is_speculatable(owner) or (isinstance(owner, LoadOp) and is_only_read(owner.buffer))):
            return None
        needed.add(owner)
        open_values += owner.operands
    return [op for op in block.ops if op in needed]


def erase_idle(loop: ForOp) -> None:
    """Erase a loop whose iterations change nothing."""
    if all(is_pure(op) or isinstance(op, LoadOp | CellOp | GetOp) for op in loop.body.block.ops):
        erase_operation(loop)
