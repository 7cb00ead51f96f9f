"""`sink-sets`: a cell that all iterations of a loop set to the same value is set once, behind the loop."""

from __future__ import annotations

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.loop.loop import ForOp, IfOp, SetOp, WhileOp
from irtensor.dialects.support.is_inside import is_inside
from irtensor.passes.analysis.races import PARALLEL
from irtensor.passes.loop.support.iteration_steps import erase_idle
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass


class SinkSetsPass(TensorPass):
    """Move what sets a cell to the same value in each iteration behind the loop, where it is done if there is any.

    Before: `loop.for %k = %lo to %hi { ...; loop.set %true, %found }`
    After:  `loop.for %k = %lo to %hi { ... }; loop.if %lo < %hi { loop.set %true, %found }`
    It moves out of the loops around in the same way, conditions included. The loop must not read the cell. A loop that
    has nothing else to do is gone. The iterations that are left do not have the cell in common.
    """

    name = "sink-sets"
    accepts = ("loop",)
    leaves = ("loop",)
    before = {"spread-loops": "lanes share a loop whose iterations have nothing in common"}

    def on_function(self, function: FuncOp) -> None:
        _sink(function.body.block)


def _sink(block: Block) -> None:
    """Sink what loops in a block set, inner ones first."""
    for op in operations_of(block):
        for region in op.regions:
            for inner in region.blocks:
                _sink(inner)
        if type(op) is ForOp and PARALLEL not in op.attributes:
            _sink_from(op)


def _sink_from(loop: ForOp) -> None:
    steps = [op for op in loop.body.block.ops if _is_repeated(op, loop)]
    sets = [one for step in steps for one in operations_in(step, SetOp)]
    apart = [step for step in steps if all(_agrees(one, sets, loop) for one in operations_in(step, SetOp))]
    if not apart:
        return
    branch = IfOp.of(_is_entered(loop))
    Emitter(branch.then.block).take(apart)
    assert loop.parent is not None
    loop.parent.insert_op_after(branch, loop)
    erase_idle(loop)


def _is_entered(loop: ForOp) -> SSAValue:
    """Whether a loop has an iteration, computed before the loops around that its bounds do not depend on."""
    before: Operation = loop
    around = loop.parent_op()
    while isinstance(around, ForOp | WhileOp | IfOp) and PARALLEL not in around.attributes:
        if is_inside(loop.lower, around) or is_inside(loop.upper, around):
            break
        before, around = around, around.parent_op()
    emit = Emitter(Block())
    condition = emit.compare("slt", loop.lower, loop.upper)
    move_before(emit.block, before)
    return condition


def _is_repeated(op: Operation, loop: ForOp) -> bool:
    """Whether an operation only sets cells of the code around to values of the code around, or does so if one holds."""
    if isinstance(op, SetOp):
        return not (is_inside(op.cell, loop) or is_inside(op.value, loop))
    if not isinstance(op, IfOp) or is_inside(op.condition, loop) or op.otherwise.first_block is not None:
        return False
    return all(_is_repeated(inner, loop) for inner in op.then.block.ops)


def _agrees(one: SetOp, sets: list[SetOp], loop: ForOp) -> bool:
    """Whether the loop does nothing with the cell of an operation but to set it to the same value."""
    inside = [use.operation for use in one.cell.uses if loop.is_ancestor(use.operation)]
    return all(isinstance(op, SetOp) and op in sets and op.value is one.value for op in inside)
