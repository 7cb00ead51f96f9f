"""Finds loops that do nothing but reduce what they read into one cell, in any order."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import Block, Operation

from irtensor.dialects.algebra.order_of_sums import may_reassociate
from irtensor.dialects.loop.loop import ForOp, GetOp, LoadOp, SetOp
from irtensor.passes.cleanup.hoist_invariants import is_speculatable

_FLOATS = (arith.AddfOp, arith.MulfOp)
_INTEGERS = (arith.AddiOp, arith.MuliOp, arith.AndIOp, arith.OrIOp, arith.XOrIOp)
# No order makes a difference to them.
_EXTREMES = (arith.MaximumfOp, arith.MinimumfOp)


def update_of(loop: ForOp, *, extremes: bool = False) -> SetOp | None:
    """The update of the cell into which a loop reduces what it reads, if that is all that it does, in any order; with
    `extremes` it may be the least or the greatest number, too."""
    updates: list[SetOp] = []
    for op in loop.body.block.ops:
        if isinstance(op, SetOp):
            updates.append(op)
        elif not isinstance(op, GetOp | LoadOp) and not is_speculatable(op):
            return None
    if len(updates) != 1 or old_value(updates[0]) is None:
        return None
    combined = updates[0].value.owner
    return updates[0] if _may_be_regrouped(combined) or (extremes and isinstance(combined, _EXTREMES)) else None


def old_value(update: SetOp) -> GetOp | None:
    """The value that a cell had, if it is an operand of what gives the new one."""
    combined = update.value.owner
    for operand in combined.operands if isinstance(combined, Operation) else ():
        if isinstance(operand.owner, GetOp) and operand.owner.cell is update.cell:
            return operand.owner
    return None


def _may_be_regrouped(op: Operation | Block) -> bool:
    return isinstance(op, _INTEGERS) or (isinstance(op, _FLOATS) and may_reassociate(op.fastmath))
