"""Two versions of a loop; one of them runs."""

from __future__ import annotations

from xdsl.ir import SSAValue

from irtensor.dialects.loop.loop import ForOp, IfOp
from irtensor.passes.support.emit import Emitter, move_before


def put_in_branch(loop: ForOp, condition: SSAValue, emit: Emitter, *, then: ForOp, otherwise: ForOp) -> IfOp:
    """Put a branch in the place of a loop, which is one of the two versions; behind what computes the condition, which
    `emit` has."""
    branch = emit.insert(IfOp.of(condition, with_else=True))
    move_before(emit.block, loop)
    loop.detach()
    branch.then.block.add_op(then)
    branch.otherwise.block.add_op(otherwise)
    return branch
