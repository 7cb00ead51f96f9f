"""Point level: one coordinate per parent, or -1 for none (Ahrens 2024, SparsePinpoint)."""

from __future__ import annotations

from xdsl.ir import SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import RunOp, SequenceOp
from irtensor.dialects.loop.loop import FillOp
from irtensor.dialects.loop.loop_types import held_type
from irtensor.passes.level_formats.interface import Fiber
from irtensor.passes.level_formats.placed_level import PieceOfParent
from irtensor.passes.level_formats.result_writer import ResultWriter
from irtensor.passes.level_formats.tensor_writer import Body, Slot
from irtensor.passes.support.emit import Emitter


class PointLevel(PieceOfParent):
    """An entry between two gaps, at the position of its parent; without an entry the first gap ends before 0."""

    def unfurl(self, emit: Emitter, fiber: Fiber) -> SSAValue:
        at = self._coordinate(emit, fiber)
        entry = emit.insert(RunOp.of(fiber.child(emit, fiber.begin))).result
        gap = emit.insert(RunOp.of(fiber.gap(emit))).result
        return emit.insert(
            SequenceOp.of((at, emit.add(at, emit.index(1))), (gap, entry, gap), within=fiber.window is None)
        ).result

    def locate(self, emit: Emitter, fiber: Fiber, coordinate: SSAValue) -> SSAValue:
        return fiber.entry_if(emit, emit.compare("eq", self._coordinate(emit, fiber), coordinate), fiber.begin)

    def clear(self, emit: Emitter, writer: ResultWriter, level: int, first: SSAValue, past: SSAValue) -> None:
        coordinates = writer.data("coordinates", level, emit)
        emit.insert(FillOp.of(emit.narrow(emit.index(-1), held_type(coordinates)), coordinates, first, past))

    def write(self, emit: Emitter, parent: Slot, coordinate: SSAValue, certain: bool, body: Body) -> None:
        self.place_only(emit, parent, certain, body, {"coordinates": coordinate})

    def _coordinate(self, emit: Emitter, fiber: Fiber) -> SSAValue:
        return emit.load_index(fiber.coordinates(emit), fiber.begin)
