"""Finds loops that do nothing but reduce what they read into one cell, in any order."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import Operation

from irtensor.dialects.loop import ForOp, GetOp, LoadOp, SetOp
from irtensor.dialects.order_of_sums import may_reassociate
from irtensor.passes.loop.hoist_invariants import is_speculatable

_FLOATS = (arith.AddfOp, arith.MulfOp)
_INTEGERS = (arith.AddiOp, arith.MuliOp, arith.AndIOp, arith.OrIOp, arith.XOrIOp)


def update_of(loop: ForOp) -> SetOp | None:
    """The update of the cell into which a loop reduces what it reads, if that is all that it does, in any order."""
    updates: list[SetOp] = []
    for op in loop.body.block.ops:
        if isinstance(op, SetOp):
            updates.append(op)
        elif not isinstance(op, GetOp | LoadOp) and not is_speculatable(op):
            return None
    return updates[0] if len(updates) == 1 and old_value(updates[0]) is not None else None


def old_value(update: SetOp) -> GetOp | None:
    """The value that a cell had, if it is combined with something by an operation that may be done in any order."""
    combined = update.value.owner
    if not isinstance(combined, Operation) or not _may_be_regrouped(combined):
        return None
    for operand in combined.operands:
        if isinstance(operand.owner, GetOp) and operand.owner.cell is update.cell:
            return operand.owner
    return None


def _may_be_regrouped(op: Operation) -> bool:
    return isinstance(op, _INTEGERS) or (isinstance(op, _FLOATS) and may_reassociate(op.fastmath))
