"""Interval level: a run between two gaps, with the child at the position of the parent (Ahrens 2024, 4)."""

from __future__ import annotations

from xdsl.ir import SSAValue

from irtensor.core.diagnostics import UserError
from irtensor.dialects.iteration_lattice.iteration_lattice import RunOp, SequenceOp
from irtensor.dialects.loop.loop import FillOp
from irtensor.dialects.loop.loop_types import held_type
from irtensor.passes.level_formats.interface import Fiber, RangesLevel
from irtensor.passes.level_formats.placed_level import PieceOfParent
from irtensor.passes.level_formats.result_writer import ResultWriter
from irtensor.passes.level_formats.tensor_writer import Body, Slot
from irtensor.passes.support.emit import Emitter


class IntervalLevel(RangesLevel, PieceOfParent):
    """All coordinates from `begins` up to `ends` have the same child."""

    def unfurl(self, emit: Emitter, fiber: Fiber) -> SSAValue:
        run = emit.insert(RunOp.of(fiber.child(emit, fiber.begin))).result
        gap = emit.insert(RunOp.of(fiber.gap(emit))).result
        within = fiber.window is None
        return emit.insert(SequenceOp.of(self._bounds(emit, fiber), (gap, run, gap), within=within)).result

    def locate(self, emit: Emitter, fiber: Fiber, coordinate: SSAValue) -> SSAValue:
        begin, end = self._bounds(emit, fiber)
        is_inside = emit.both(emit.compare("sle", begin, coordinate), emit.compare("slt", coordinate, end))
        return fiber.entry_if(emit, is_inside, fiber.begin)

    def clear(self, emit: Emitter, writer: ResultWriter, level: int, first: SSAValue, past: SSAValue) -> None:
        for name in ("begins", "ends"):
            bounds = writer.data(name, level, emit)
            emit.insert(FillOp.of(emit.narrow(emit.index(0), held_type(bounds)), bounds, first, past))

    def write(self, emit: Emitter, parent: Slot, coordinate: SSAValue, certain: bool, body: Body) -> None:
        # Those of one run would be taken for several.
        writer, level = parent.writer, parent.level
        text = f"level {level} ({writer.format.level_text(level)}) of '{writer.tensor.name_hint}'"
        message = f"{text} is written in ranges of coordinates, and a loop comes to single ones"
        help = f"compute it as {writer.format.writable}, and convert that"
        raise UserError("unwritable-level", message, help=help)

    def write_range(
        self, emit: Emitter, parent: Slot, begin: SSAValue, end: SSAValue, certain: bool, body: Body
    ) -> None:
        self.place_only(emit, parent, certain, body, {"begins": begin, "ends": end})

    def _bounds(self, emit: Emitter, fiber: Fiber) -> tuple[SSAValue, SSAValue]:
        begins, ends = fiber.array(emit, "begins"), fiber.array(emit, "ends")
        return emit.load_index(begins, fiber.begin), emit.load_index(ends, fiber.begin)
