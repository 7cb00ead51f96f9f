"""Offset level: the coordinate follows from the diagonal and the other one above (Kjolstad 2020, table 2.14)."""

from __future__ import annotations

from xdsl.ir import SSAValue

from irtensor.dialects.iteration_lattice import RunOp
from irtensor.passes.emit import Emitter
from irtensor.passes.level_formats.interface import Fiber, LevelCode


class OffsetLevel(LevelCode):
    """A single coordinate, at the position of the level above."""

    def locate(self, emit: Emitter, fiber: Fiber, coordinate: SSAValue) -> SSAValue:
        return emit.insert(RunOp.of(fiber.child(emit, fiber.begin))).result

    def children(self, emit: Emitter, fiber: Fiber) -> tuple[SSAValue, SSAValue]:
        return fiber.begin, fiber.end
