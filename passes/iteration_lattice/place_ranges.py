"""`place-ranges`: the same value at each coordinate of a range is written to all of it at once."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import (
    CoiterateOp,
    IfOp,
    MergeOp,
    PlaceOp,
    PointOp,
    UpdateOp,
)
from irtensor.dialects.loop.loop_memory import SetOp
from irtensor.dialects.storage.storage import FiberType
from irtensor.dialects.support.create_operation import create_block, create_region
from irtensor.dialects.support.is_inside import is_inside
from irtensor.passes.iteration_lattice.support.coiteration import replace, rewrite_all
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass


class PlaceRangesPass(TensorPass):
    """Write to a range of coordinates at once, where a level of the result takes ranges and no value depends on which.

    Before: `coiterate %c to %e { (%i): place %fiber at %i { update %v } }`
    After:  `if %c < %e { place %fiber at %c until %e { update %v } }`
    The condition is omitted in the range of a merge or a point, which is not empty. A level that takes single
    coordinates keeps its loop.
    """

    name = "place-ranges"
    accepts = ("iteration_lattice.coiterate",)
    leaves = ("iteration_lattice", "iteration_lattice.coiterate", "storage", "algebra", "loop")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite_all(op, place_ranges)


def place_ranges(op: CoiterateOp) -> bool:
    """Write to the range of one coiterate, if all that it does is alike at each coordinate."""
    place_ops = _places_of_range(op)
    if not place_ops:
        return False
    outer, inside = create_block(), create_block()
    Emitter(inside).take(operations_of(op.body.block))
    for place in place_ops:
        range_place = PlaceOp.of(place.fiber, op.lo, place.detach_region(place.body), op.hi)
        assert place.parent is not None
        place.parent.insert_op_before(range_place, place)
        place.detach()
        place.drop_all_references()
    if _is_never_empty(op.lo, op.hi):
        move_before(inside, op)
    else:
        emit = Emitter(outer)
        some = emit.compare("slt", op.lo, op.hi)
        emit.insert(IfOp.of(some, create_region(inside), create_region(create_block())))
    replace(op, outer)
    return True


def _places_of_range(op: CoiterateOp) -> list[PlaceOp]:
    """The `place` operations at the coordinate of a loop that may be of its range; none if it does anything else."""
    if op.unit is not None or op.nests:
        return []
    place_ops: list[PlaceOp] = []
    for use in op.body.block.args[0].uses:
        place = use.operation
        if not isinstance(place, PlaceOp) or not _takes_range(place, op):
            return []
        place_ops.append(place)
    others = [place for place in operations_in(op.body, PlaceOp) if place not in place_ops]
    changed = [place.fiber for place in others]
    changed += [
        one.target if isinstance(one, UpdateOp) else one.cell for one in operations_in(op.body, UpdateOp, SetOp)
    ]
    return place_ops if all(is_inside(target, op) for target in changed) else []


def _takes_range(place: PlaceOp, loop: CoiterateOp) -> bool:
    """Whether a place is reached once in each iteration, or in none, and may be at all of them together."""
    around = place.parent_op()
    while isinstance(around, IfOp):
        around = around.parent_op()
    fiber = place.fiber.type
    assert isinstance(fiber, FiberType)
    return around is loop and place.until is None and fiber.level_format.properties.takes_ranges


def _is_never_empty(lo: SSAValue, hi: SSAValue) -> bool:
    """Whether a range is that of an iteration of a merge, or of a point."""
    block = lo.owner
    if not isinstance(block, Block) or hi.owner is not block or not isinstance(block.parent_op(), MergeOp | PointOp):
        return False
    return block.args[0] is lo and block.args[1] is hi
