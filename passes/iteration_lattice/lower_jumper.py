"""`lower-jumper`: an intersection of lists in which the operand furthest ahead leads (Ahrens 2024, section 5)."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import SSAValue

from irtensor.core.schedule_words import GALLOP
from irtensor.dialects.iteration_lattice.iteration_lattice import (
    CoiterateOp,
    JumperOp,
    StepperOp,
)
from irtensor.dialects.support.create_operation import copy_of_region, create_block, create_operation
from irtensor.passes.analysis.merges import other_list
from irtensor.passes.iteration_lattice.support.coiteration import (
    erase_unused,
    nests_of,
    replace,
    rewrite_all,
    waits_for_others,
)
from irtensor.passes.iteration_lattice.support.merging import Merge
from irtensor.passes.iteration_lattice.support.seeking import seek_all
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.pass_base import TensorPass


class LowerJumperPass(TensorPass):
    """Let jumpers gallop where only coordinates that all of them store matter; elsewhere they become steppers.

    Before: `coiterate %lo to %stop over (jumper %q ...), (jumper %r ...) { body }`
    After:  `merge "gallop" ... cursors %q, %r ... cases [[0, 1]] { body }`
    An iteration either finds all cursors aligned, or searches each of them for the largest of their coordinates.
    """

    name = "lower-jumper"
    accepts = ("iteration_lattice.coiterate",)
    leaves = ("iteration_lattice", "iteration_lattice.coiterate", "storage", "algebra", "loop")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite_all(op, lower_jumper)


def lower_jumper(op: CoiterateOp) -> bool:
    """Lower the jumpers of one coiterate."""
    jumpers = nests_of(op, JumperOp)
    if not jumpers or waits_for_others(op, JumperOp):
        return False
    merge = Merge(op, jumpers, max_cases=1)
    if len(jumpers) > 1 and not nests_of(op, StepperOp) and merge.is_intersection:
        block = create_block()
        emit = Emitter(block)
        seek_all(op, emit)
        merge.emit(emit, "gallop")
        replace(op, block)
        return True
    # An unordered list is refused, or sorted, where it is walked.
    in_order = all(stepper.nonordered is None for _, stepper in nests_of(op, StepperOp))
    if len(jumpers) > 1 and in_order and op.merge == StringAttr(GALLOP):
        raise other_list(op.body.block.args[0].name_hint or "?", op)
    for number, jumper in jumpers:
        op.operands[2 + number] = _as_stepper(jumper)
        erase_unused(jumper.result)
    return True


def _as_stepper(jumper: JumperOp) -> SSAValue:
    """The same chunks, visited one after the other."""
    parent = jumper.parent
    assert parent is not None
    stepper = create_operation(
        StepperOp,
        jumper.operands,
        (jumper.result.type,),
        dict(jumper.properties),
        regions=[copy_of_region(jumper.load), copy_of_region(jumper.chunk)],
    )
    parent.insert_op_before(stepper, jumper)
    return stepper.result
