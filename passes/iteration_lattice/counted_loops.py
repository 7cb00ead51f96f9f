"""The check that a loop of which several iterations are to be done at a time is a counted one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Attribute

from irtensor.dialects.diagnostics import UserError
from irtensor.dialects.iteration_lattice import CoiterateOp, JumperOp, StepperOp
from irtensor.dialects.loop_memory import LoadOp
from irtensor.dialects.storage import CoordinatesOp, format_of
from irtensor.passes.operations_in import operations_in

# Of each step that is about counted loops, the error for others.
_SLUGS = {"vectorize": "illegal-vectorize", "unroll": "illegal-unroll"}


def check_counted(op: CoiterateOp, steppers: Iterable[StepperOp | JumperOp]) -> None:
    """Refuse to merge lists in a loop that a schedule unrolls or vectorises: how many iterations are left is not known.

    Raises UserError [illegal-unroll] or [illegal-vectorize].
    """
    step = next((step for step in _SLUGS if _several(op.attributes, step)), None)
    if step is None:
        return
    name = op.body.block.args[0].name_hint or "?"
    lists = " and ".join(dict.fromkeys(text for stepper in steppers for text in _lists_of(stepper)))
    raise UserError(
        _SLUGS[step],
        f"{step}: loop {name} merges {lists or 'lists'} with what else it visits, so that the number of its iterations "
        "is not known before",
        op=op,
        help=f"{step} a loop over one list or over all coordinates, or store the operands dense in that dimension",
    )


def _several(attributes: Mapping[str, Attribute], step: str) -> bool:
    count = attributes.get(step)
    return isinstance(count, IntegerAttr) and count.value.data > 1


def _lists_of(stepper: StepperOp | JumperOp) -> Iterable[str]:
    for load in operations_in(stepper.load, LoadOp):
        if isinstance(source := load.buffer.owner, CoordinatesOp):
            number = source.level.value.data
            level = format_of(source.tensor.type).level_text(number)
            yield f"level {number} ({level}) of '{source.tensor.name_hint}'"
