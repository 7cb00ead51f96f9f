"""Whether something is written below a slot each time it is reached."""

from __future__ import annotations

from xdsl.dialects import arith

from irtensor.dialects.iteration_lattice.iteration_lattice import PlaceOp, UpdateOp
from irtensor.dialects.loop.loop import ForOp
from irtensor.dialects.storage.storage import DimOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.passes.iteration_lattice.support.updates import is_certain


def is_written_once(place: PlaceOp) -> bool:
    """Whether one update writes below a slot of a workspace, each time it is reached.

    What a later one finds an earlier one wrote, whether or not the component was there before both.
    """
    return is_certain(place) and sum(isinstance(inner, UpdateOp) for inner in place.walk()) == 1


def is_written_in_full(place: PlaceOp) -> bool:
    """Whether something is written below a slot each time it is reached: only loops over whole levels lie between.

    Where such a level has extent 0, nothing is written, as no values exist.
    """
    block = place.body.block
    for use in block.args[0].uses:
        op = use.operation
        if isinstance(op, UpdateOp) or (isinstance(op, PlaceOp) and is_written_in_full(op)):
            around = op.parent_op()
            while isinstance(around, ForOp) and _is_over_level(around):
                around = around.parent_op()
            if around is place:
                return True
    return False


def _is_over_level(loop: ForOp) -> bool:
    """Whether a loop runs over all coordinates of a level, or of a block all that are inside of the shape; or over a
    known number of them, one at least."""
    upper = loop.upper.owner
    if constant_index(loop.lower) != 0:
        return False
    if (count := constant_index(loop.upper)) is not None:
        return count > 0
    return isinstance(upper, DimOp) or (isinstance(upper, arith.MinSIOp) and _is_left_of_block(upper))


def _is_left_of_block(op: arith.MinSIOp) -> bool:
    """Whether a number is `min(size, extent - block * size)`, which is positive for every block there is."""
    size, rest = constant_index(op.lhs), op.rhs.owner
    if size is None or not isinstance(rest, arith.SubiOp) or not isinstance(rest.lhs.owner, DimOp):
        return False
    first = rest.rhs.owner
    return isinstance(first, arith.MuliOp) and constant_index(first.rhs) == size
