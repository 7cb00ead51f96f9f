"""Lists whose coordinates are in no order, and the error where a loop needs an order."""

from __future__ import annotations

from xdsl.ir import SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import JumperOp, StepperOp
from irtensor.dialects.loop.loop import LoadOp
from irtensor.dialects.storage.storage import format_of, is_array
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.unordered_error import MERGED, UnorderedError


def check_order(stepper: StepperOp | JumperOp, needs_order: bool = True) -> None:
    """Refuse chunks in no order where they are needed in order. Raises UserError [unordered-merge]."""
    if stepper.nonordered is not None and needs_order:
        tensor, list = _list_of(stepper)
        raise UnorderedError(
            "unordered-merge",
            f"{list} {MERGED}",
            tensor,
            MERGED,
            op=stepper,
            help="sort the operand: convert it to the same format without nonordered, or with compressed for hashed",
        )


def _list_of(stepper: StepperOp | JumperOp) -> tuple[SSAValue | None, str]:
    """The tensor whose coordinates a stepper reads, and how a message names the list that it iterates over."""
    for op in operations_in(stepper, LoadOp):
        if is_array(source := op.buffer.owner, "coordinates"):
            level = source.level.value.data
            name = format_of(source.tensor.type).level_text(level)
            return source.tensor, f"level {level} ({name}) of '{source.tensor.name_hint}', which is not ordered,"
    return None, "an operand with unordered coordinates"
