"""`fold-repetitions`: what a loop combines in every iteration alike is combined at once."""

from __future__ import annotations

from xdsl.dialects.builtin import i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.loop.loop import ForOp, IfOp, WhileOp
from irtensor.dialects.support.create_operation import create_block, erase_operation
from irtensor.passes.speed.support.alike_operations import alike_operations
from irtensor.passes.speed.support.repeated_iterations import repeated_updates, repeats_first
from irtensor.passes.speed.support.updates import Update
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_of
from irtensor.passes.support.pass_base import TensorPass
from irtensor.passes.support.repeated_values import repeated


class FoldRepetitionsPass(TensorPass):
    """Combine a value that is the same in all iterations of a loop once, however often the loop runs.

    An operator that is idempotent, such as the maximum, takes the value; a sum takes a multiple of it, and a product a
    power. Of values that cancel each other, as by `xor`, one is left or none; for any other associative operator,
    squaring takes as many steps as the number has bits. So what a fill value contributes, or a run of equal values,
    takes no loop over the coordinates that have it. Loops inside do this to each of the elements that they combine.
    Sums and products of floats stay as they are unless they may be reassociated, for a multiple is rounded once.

    Before: `loop.for %i = %lo to %hi { %old = loop.get %t; %new = algebra.apply max(%old, %v); loop.set %new, %t }`
    After:  `loop.if %lo < %hi { %old = loop.get %t; %new = algebra.apply max(%old, %v); loop.set %new, %t }`
    Of a loop over rows or blocks that an idempotent operator combines elements in, the first iteration is enough, if
    later ones do the same or, like the last block of a dimension, a part of it. In a loop inside of another one, a loop
    that computes the same in each iteration comes before it.
    """

    name = "fold-repetitions"
    accepts = ("loop",)
    leaves = ("loop", "algebra")
    after = {"simplify-loops": "the clean-up finds what a body does not need the loop for"}

    def on_function(self, function: FuncOp) -> None:
        self._fold(function.body.block)

    def _fold(self, block: Block) -> None:
        """Fold the loops in a block, inner ones first."""
        for op in operations_of(block):
            for region in op.regions:
                for inner in region.blocks:
                    self._fold(inner)
            # Iterations that are divided among threads stay, unless each is a part of another loop's.
            if type(op) is not ForOp or ("parallel" in op.attributes and not _is_repeated(op)):
                continue
            if updates := repeated_updates(op):
                _replace(op, updates)
            elif repeats_first(op):
                _keep_first(op)
            elif _is_repeated(op) and (alike := alike_operations(op)):
                _compute_once(op, alike)


def _is_repeated(loop: ForOp) -> bool:
    """Whether a loop is inside of another one."""
    around = loop.parent_op()
    while isinstance(around, IfOp):
        around = around.parent_op()
    return isinstance(around, ForOp | WhileOp)


def _keep_first(loop: ForOp) -> None:
    """Put the first iteration, if there is one, in place of a loop."""
    block = create_block()
    emit = Emitter(block)
    branch = emit.insert(IfOp.of(emit.compare("slt", loop.lower, loop.upper)))
    loop.induction.name_hint = None
    loop.induction.replace_all_uses_with(loop.lower)
    move_before(block, loop)
    Emitter(branch.then.block).take(operations_of(loop.body.block))
    erase_operation(loop)


def _compute_once(loop: ForOp, alike: list[Operation]) -> None:
    """Compute before a loop, if it has any iterations, what they compute alike."""
    block = create_block()
    emit = Emitter(block)
    branch = emit.insert(IfOp.of(emit.compare("slt", loop.lower, loop.upper)))
    move_before(block, loop)
    Emitter(branch.then.block).take((*alike, loop))


def _replace(loop: ForOp, updates: list[Update]) -> None:
    block = create_block()
    emit = Emitter(block)
    branch = emit.insert(IfOp.of(emit.compare("slt", loop.lower, loop.upper)))
    inside = create_block()
    counting = Emitter(inside)
    count: SSAValue | None = None
    for update in updates:
        if update.operator.idempotent:
            continue
        if count is None:
            count = counting.narrow(counting.sub(loop.upper, loop.lower), i64)
        _combine_at_once(update, count)
    Emitter(branch.then.block).take((*operations_of(inside), *operations_of(loop.body.block)))
    move_before(block, loop)
    erase_operation(loop)


def _combine_at_once(update: Update, count: SSAValue) -> None:
    """Let an update combine what so many of its value are combined to."""
    value = repeated_value(update, count)
    for position, operand in enumerate(update.apply.operands):
        if operand is update.given:
            update.apply.operands[position] = value


def repeated_value(update: Update, count: SSAValue) -> SSAValue:
    """What as many values as there are are combined to, computed right before an update takes it."""
    block = create_block()
    value = repeated(Emitter(block), update.apply, update.operator, update.given, count)
    move_before(block, update.apply)
    return value
