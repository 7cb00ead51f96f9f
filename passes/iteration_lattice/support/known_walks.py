"""Walks along the list of a workspace; each entry goes to a result whose index exists already.

The result lists the same coordinates then, so that nothing has to list those of the workspace (Kjolstad et al. 2019,
section 5: the kernel that computes walks the result's index).
"""

from __future__ import annotations

from typing import NamedTuple

from xdsl.dialects.arith import IndexCastOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import PlaceOp, WalkOp
from irtensor.dialects.loop.loop import CellOp, GetOp, LoadOp, SetOp
from irtensor.dialects.storage.storage import FiberType, FinalizeOp, IndexSetOp, ResultOp, StoredOp, format_of, is_array
from irtensor.dialects.support.constant_index import constant_index
from irtensor.passes.cleanup.simplify_loops import is_pure
from irtensor.passes.iteration_lattice.support.updates import is_certain, written_tensor
from irtensor.passes.support.operations_in import operations_in


class KnownWalk(NamedTuple):
    """A walk along the list of a workspace's level, and the slot of the result that each iteration writes to."""

    workspace: SSAValue
    level: int
    place: PlaceOp
    reads: list[LoadOp]
    """Where iterations read the coordinate that the list has for them."""


def known_walks(function: FuncOp) -> dict[WalkOp, KnownWalk]:
    """All of these walks in a function; each walk is the only use of its workspace's list."""
    walks = operations_in(function, WalkOp)
    return {walk: known for walk in walks if (known := _known_walk(walk)) is not None}


def _known_walk(walk: WalkOp) -> KnownWalk | None:
    listed = walk.end.owner
    if not isinstance(listed, StoredOp) or not _is_zero(walk.begin):
        return None
    users = [use.operation for use in listed.tensor.uses]
    if any(isinstance(op, IndexSetOp) or (isinstance(op, StoredOp) and op is not listed) for op in users):
        return None
    if any(isinstance(op, FinalizeOp) and op.parent is not walk.parent for op in users):
        # It is walked again before it is filled again, and by then nothing would be left in it.
        return None
    level = listed.level.value.data
    lists = [op for op in users if is_array(op, "coordinates") and op.level.value.data == level]
    uses = [use.operation for op in lists for use in op.result.uses]
    reads = [op for op in uses if isinstance(op, LoadOp) and op.index is walk.body.block.args[0]]
    if not all(op in reads or _is_dead(op) for op in uses):
        return None
    place = _only_place(walk)
    if place is None or not any(_gives(read, place.coordinate) for read in reads):
        return None
    return KnownWalk(listed.tensor, level, place, reads)


def _is_zero(value: SSAValue) -> bool:
    """Whether a walk starts at 0, be it through a cursor that nothing moves."""
    if isinstance(value.owner, GetOp) and isinstance(cell := value.owner.cell.owner, CellOp):
        if any(isinstance(use.operation, SetOp) for use in cell.cell.uses):
            return False
        value = cell.initial
    return constant_index(value) == 0


def _is_dead(op: Operation) -> bool:
    """Whether nothing depends on an operation."""
    if not (isinstance(op, LoadOp) or is_pure(op)):
        return False
    return all(_is_dead(use.operation) for result in op.results for use in result.uses)


def _only_place(walk: WalkOp) -> PlaceOp | None:
    """The `place` operation by which each iteration of a walk appends, once, in a result whose index exists."""
    place_ops = [op for op in walk.body.block.ops if op.regions]
    if len(place_ops) != 1 or not isinstance(place := place_ops[0], PlaceOp) or not is_certain(place):
        return None
    tensor, fiber = written_tensor(place.fiber), place.fiber.type
    assert isinstance(fiber, FiberType)
    if tensor is None or not isinstance(tensor.owner, ResultOp) or tensor.owner.kernel_purpose != "compute":
        return None
    levels = [level.format.properties for level in format_of(fiber.tensor).levels[fiber.level.data :]]
    appends = not levels[0].access.inserts and not (len(levels) > 1 and levels[1].pattern.branchless)
    return place if appends else None


def _gives(read: LoadOp, coordinate: SSAValue) -> bool:
    return isinstance(coordinate.owner, IndexCastOp) and coordinate.owner.input is read.value
