"""Elements that every part of a parallel loop has for itself, because its iterations would meet in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import PlaceOp, UpdateOp
from irtensor.dialects.loop.loop import PrivateOp
from irtensor.dialects.storage.storage import FiberType
from irtensor.passes.analysis.races import PARALLEL, TEMPORARY
from irtensor.passes.iteration_lattice.support.updates import written_tensor
from irtensor.passes.level_formats.tensor_writer import Slot
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.operations_in import operations_in


class PrivateElements(NamedTuple):
    """Consecutive components of a tensor: a buffer of them, and the position of the first."""

    data: SSAValue
    first: SSAValue

    @staticmethod
    def of(update: UpdateOp, slot: Slot, emit: Emitter) -> PrivateElements:
        """The components below a slot that is the same for all iterations."""
        writer = slot.writer
        levels = len(writer.levels)
        width = writer.width(slot.level - 1, levels, emit)
        first = emit.mul(slot.position, width)
        assert update.operator is not None
        data = writer.data("values", levels, emit)
        return PrivateElements(
            emit.insert(PrivateOp.of(update.operator, data, first, emit.add(first, width))).own, first
        )


def updates_apart(loop: Operation) -> Iterator[tuple[SSAValue, UpdateOp, SSAValue]]:
    """Tensors that iterations of a parallel loop would meet in: an update, and the fiber outside of the loop."""
    if PARALLEL not in loop.attributes:
        return
    found: set[SSAValue] = set()
    for update in operations_in(loop, UpdateOp):
        if update.races == TEMPORARY and isinstance(update.target.type, FiberType):
            tensor = written_tensor(update.target)
            if tensor is not None and tensor not in found:
                found.add(tensor)
                yield tensor, update, _fiber_outside(update.target, loop)


def _fiber_outside(target: SSAValue, loop: Operation) -> SSAValue:
    """The part of a tensor that all iterations of a loop write to."""
    fiber = target
    while isinstance(place := fiber.owner.parent_op(), PlaceOp) and loop.is_ancestor(place):
        fiber = place.fiber
    return fiber
