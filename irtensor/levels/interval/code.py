"""Interval level: a run between two gaps, with the child at the position of the parent (Ahrens 2024, 4)."""

from __future__ import annotations

from xdsl.ir import SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import RunOp, SequenceOp
from irtensor.passes.level_formats.interface import Fiber, LevelCode
from irtensor.passes.support.emit import Emitter


class IntervalLevel(LevelCode):
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

    def _bounds(self, emit: Emitter, fiber: Fiber) -> tuple[SSAValue, SSAValue]:
        begins, ends = fiber.array(emit, "begins"), fiber.array(emit, "ends")
        return emit.load_index(begins, fiber.begin), emit.load_index(ends, fiber.begin)
