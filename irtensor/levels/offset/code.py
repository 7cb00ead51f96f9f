"""Offset level: the coordinate follows from the diagonal and the other one above (Kjolstad 2020, table 2.14)."""

from __future__ import annotations

from xdsl.ir import SSAValue

from irtensor.core.diagnostics import UserError
from irtensor.dialects.iteration_lattice.iteration_lattice import RunOp
from irtensor.dialects.storage.storage import format_of
from irtensor.passes.level_formats.interface import CompactLevel, Fiber
from irtensor.passes.support.emit import Emitter


class OffsetLevel(CompactLevel):
    """A single coordinate, at the position of the level above."""

    def unfurl(self, emit: Emitter, fiber: Fiber) -> SSAValue:
        text = format_of(fiber.type).level_text(fiber.level)
        raise UserError(
            "diagonal-mismatch",
            f"a loop is over level {fiber.level} ({text}), whose coordinate follows from the diagonal",
            help="compute the coordinate from those of the levels above (concrete_index.let), as split-diagonals does",
        )

    def locate(self, emit: Emitter, fiber: Fiber, coordinate: SSAValue) -> SSAValue:
        return emit.insert(RunOp.of(fiber.child(emit, fiber.begin))).result

    def children(self, emit: Emitter, fiber: Fiber) -> tuple[SSAValue, SSAValue]:
        return fiber.begin, fiber.end
