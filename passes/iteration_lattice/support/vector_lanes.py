"""The check that the iterations of a loop that is to become vectors append as many entries each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from xdsl.dialects.builtin import IntegerAttr, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from irtensor.core.diagnostics import AskedBy, Note, UserError
from irtensor.dialects.loop.loop import (
    INDEPENDENT,
    VECTORIZE,
    AppendOp,
    AssembledOp,
    ForOp,
    InsertOp,
    LoadOp,
    MapInsertOp,
    StoreOp,
)
from irtensor.dialects.loop.loop_memory import APART
from irtensor.dialects.storage.storage import GrowableOp, IndexMapOp, IndexSetOp, ResultOp, format_of
from irtensor.dialects.support.constant_index import constant_index
from irtensor.dialects.support.is_inside import is_inside
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.analysis.races import OVER, PARALLEL
from irtensor.passes.support.operations_in import operations_in


class _Obstacle(NamedTuple):
    """What lanes of a vector cannot do at once: the tensor that it is about, and a clause."""

    tensor: SSAValue
    problem: str


def check_lanes(function: FuncOp) -> None:
    """Refuse vectors where an iteration has to know what those before it have stored, and mark what lanes may load and
    store at once.

    Where each appends one entry, or as many as the others, its position follows from the number of the iteration. Sets
    and maps of workspaces are changed by one iteration after another.
    Raises UserError [illegal-vectorize].
    """
    for loop in operations_in(function, ForOp):
        width = loop.attributes.get(VECTORIZE)
        if not isinstance(width, IntegerAttr):
            continue
        over = loop.attributes.get(OVER)
        if PARALLEL not in loop.attributes:
            loop.attributes.pop(OVER, None)
        obstacle = next(_obstacles(loop), None) if width.value.data > 1 else None
        if obstacle is not None:
            name = over.data if isinstance(over, StringAttr) else loop.induction.name_hint or "it"
            raise _refused(loop, name, obstacle)
        if INDEPENDENT in loop.attributes:
            for access in operations_in(loop.body, LoadOp, StoreOp):
                # Flags of levels above are the same for all iterations.
                if isinstance(access, LoadOp) or is_inside(access.index, loop):
                    access.attributes[APART] = UnitAttr()


def _obstacles(loop: ForOp) -> Iterator[_Obstacle]:
    for op in operations_in(loop.body, AppendOp, InsertOp, MapInsertOp):
        if isinstance(op, AppendOp):
            if _is_uncertain(op, loop):
                yield _Obstacle(_appended_to(op), "appends entries of '{}' in some of its iterations only")
        elif isinstance(owner := (op.set if isinstance(op, InsertOp) else op.map).owner, IndexSetOp | IndexMapOp):
            yield _Obstacle(owner.tensor, "looks for entries of '{}', and adds those that are not there")


def _is_uncertain(append: AppendOp, loop: ForOp) -> bool:
    """Whether it depends on an iteration how many entries it appends."""
    around: Operation | None = append.parent_op()
    while around is not loop:
        if not isinstance(around, ForOp) or any(is_inside(bound, loop) for bound in (around.lower, around.upper)):
            return True
        around = around.parent_op()
    return is_inside(append.entries, loop) and constant_index(append.entries) is None


def _appended_to(append: AppendOp) -> SSAValue:
    """The result whose entries a counter counts."""
    arrays = (use.operation.growable for use in append.counter.uses if isinstance(use.operation, AssembledOp))
    return next(array.owner.tensor for array in arrays if isinstance(array.owner, GrowableOp))


def _refused(loop: ForOp, name: str, obstacle: _Obstacle) -> UserError:
    tensor = name_of(obstacle.tensor)
    problem = f"{obstacle.problem.format(tensor)}, each behind those before it"
    notes = [Note(f"'{tensor}' is stored {format_of(obstacle.tensor.type)}")]
    help = f"vectorize a loop that does not index '{tensor}', or store '{tensor}' dense in that dimension"
    if not isinstance(obstacle.tensor.owner, ResultOp):
        help = f"vectorize a loop that does not store into '{tensor}', or omit the step"
    message = f"{VECTORIZE}: loop {name} {problem}"
    asked_by = AskedBy((VECTORIZE,), name)
    return UserError("illegal-vectorize", message, op=loop, notes=notes, help=help, asked_by=asked_by)
