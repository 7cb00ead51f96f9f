"""`fold-repetitions`: what a loop combines in every iteration alike is combined at once."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr, f64, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, SSAValue

from irtensor.core.operators import OPERATORS, is_float
from irtensor.dialects.algebra.algebra import ApplyOp, CastOp
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.loop.loop import ForOp, IfOp
from irtensor.dialects.support.create_operation import create_block, erase_operation
from irtensor.passes.speed.support.repeated_iterations import repeats_first
from irtensor.passes.speed.support.updates import Update, folded_updates, is_foldable
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_of
from irtensor.passes.support.pass_base import TensorPass

_MUL = OPERATORS["mul"]


class FoldRepetitionsPass(TensorPass):
    """Combine a value that is the same in all iterations of a loop once, however often the loop runs.

    An operator that is idempotent, such as the maximum, takes the value; a sum takes a multiple of it, and a product a
    power. So what a fill value contributes takes no loop over the coordinates that have it. Sums and products of floats
    stay as they are unless they may be reassociated, for a multiple is rounded once.

    Before: `loop.for %i = %lo to %hi { %old = loop.get %t; %new = algebra.apply max(%old, %v); loop.set %new, %t }`
    After:  `loop.if %lo < %hi { %old = loop.get %t; %new = algebra.apply max(%old, %v); loop.set %new, %t }`
    Of a loop over rows or blocks that an idempotent operator combines elements in, the first iteration is enough, if
    later ones do the same or, like the last block of a dimension, a part of it.
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
            if type(op) is ForOp and "parallel" not in op.attributes and not op.induction.uses:
                updates = list(folded_updates(op).values())
                if updates and all(is_foldable(update) for update in updates):
                    _replace(op, updates)
                    continue
            if type(op) is ForOp and "parallel" not in op.attributes and repeats_first(op):
                _keep_first(op)


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


def _replace(loop: ForOp, updates: list[Update]) -> None:
    block = create_block()
    emit = Emitter(block)
    branch = emit.insert(IfOp.of(emit.compare("slt", loop.lower, loop.upper)))
    inside = create_block()
    count: SSAValue | None = None
    for update in updates:
        if update.operator.idempotent:
            continue
        if count is None:
            counting = Emitter(inside)
            count = counting.narrow(counting.sub(loop.upper, loop.lower), i64)
        repeated = repeated_value(update, count)
        for position, argument in enumerate(update.apply.arguments):
            if argument is update.given:
                update.apply.operands[position] = repeated
    Emitter(branch.then.block).take((*operations_of(inside), *operations_of(loop.body.block)))
    move_before(block, loop)
    erase_operation(loop)


def repeated_value(update: Update, count: SSAValue) -> SSAValue:
    """The value that a sum or product takes for as many of the given one as there are."""
    block = create_block()
    emit = Emitter(block)
    type, operator = update.given.type, "mul"
    wide = type
    if update.operator is _MUL:
        # The exponent is exact there: it says which sign the power of a negative number has.
        wide, operator = f64 if is_float(element_name(type)) else i64, "pow"
    arguments = _cast(emit, update.given, wide), _cast(emit, count, wide)
    value = emit.insert(ApplyOp.of(StringAttr(operator), arguments, wide)).result
    result = _cast(emit, value, type)
    move_before(block, update.apply)
    return result


def _cast(emit: Emitter, value: SSAValue, type: Attribute) -> SSAValue:
    return value if value.type == type else emit.insert(CastOp.of(value, type)).result
