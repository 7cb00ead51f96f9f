"""The check that a loop is a counted one, if several of its iterations are to be done at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Attribute

from irtensor.core.diagnostics import AskedBy, UserError
from irtensor.dialects.iteration_lattice.iteration_lattice import CoiterateOp, JumperOp, StepperOp
from irtensor.dialects.loop.loop import ForOp
from irtensor.dialects.loop.loop_memory import LoadOp
from irtensor.dialects.storage.storage import format_of, is_array
from irtensor.dialects.support.is_inside import innermost_around
from irtensor.passes.support.operations_in import operations_in

# Of each step that is about counted loops, the error for others.
_SLUGS = {"vectorize": "illegal-vectorize", "unroll": "illegal-unroll"}


def check_counted(op: CoiterateOp, steppers: Iterable[StepperOp | JumperOp]) -> None:
    """Refuse to merge lists in a loop that a schedule unrolls or vectorises: how many iterations are left is not known.

    Raises UserError [illegal-unroll] or [illegal-vectorize].
    """
    step = next((step for step in _SLUGS if _several(op.attributes, step)), None)
    if step is None:
        return
    name = _name_of(op)
    problem, help = _problem(list(dict.fromkeys(text for stepper in steppers for text in _lists_of(stepper))))
    # Loops inside of one for vectors are written out.
    around = innermost_around(op, CoiterateOp, ForOp) if step == "unroll" else None
    if around is not None and _several(around.attributes, "vectorize"):
        inner, name = name, _name_of(around)
        problem, step = f"is around loop {inner}, which {problem}", "vectorize"
        instead = "vectorize a loop with none inside"
    else:
        instead = f"{step} a loop over one list or over all coordinates"
    raise UserError(
        _SLUGS[step],
        f"{step}: loop {name} {problem}, so that the number of its iterations is not known before",
        op=op,
        help=f"omit the step, {instead}, {help}",
        asked_by=AskedBy((step,), name),
    )


def _problem(lists: Sequence[str]) -> tuple[str, str]:
    """What a loop along some lists does, and how to change that."""
    if len(lists) == 1:
        return (
            f"iterates over {lists[0]} and visits other coordinates as well",
            "or store the operand dense in that dimension",
        )
    return f"merges {' and '.join(lists) or 'lists'}", "or store the operands dense in that dimension"


def _name_of(loop: CoiterateOp | ForOp) -> str:
    variable = loop.induction if isinstance(loop, ForOp) else loop.body.block.args[0]
    return variable.name_hint or "?"


def _several(attributes: Mapping[str, Attribute], step: str) -> bool:
    count = attributes.get(step)
    return isinstance(count, IntegerAttr) and count.value.data > 1


def _lists_of(stepper: StepperOp | JumperOp) -> Iterable[str]:
    for load in operations_in(stepper.load, LoadOp):
        if is_array(source := load.buffer.owner, "coordinates"):
            number = source.level.value.data
            level = format_of(source.tensor.type).level_text(number)
            yield f"level {number} ({level}) of '{source.tensor.name_hint}'"
