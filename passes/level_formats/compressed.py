"""Compressed level: `pos` delimits each parent's segment of `crd` (Kjolstad 2020, table 2.14)."""

from __future__ import annotations

from xdsl.ir import SSAValue

from irtensor.passes.emit import Emitter
from irtensor.passes.level_formats.interface import Fiber, LevelCode
from irtensor.passes.level_formats.stored_list import append, list_nest, list_search
from irtensor.passes.level_formats.tensor_writer import Body, Slot


class CompressedLevel(LevelCode):
    """A sorted list per parent; the segments of consecutive parents are adjacent."""

    def _segment(self, emit: Emitter, fiber: Fiber) -> tuple[SSAValue, SSAValue]:
        positions = fiber.positions(emit)
        return emit.load_index(positions, fiber.begin), emit.load_index(positions, fiber.end)

    def unfurl(self, emit: Emitter, fiber: Fiber) -> SSAValue:
        return list_nest(emit, fiber, *self._segment(emit, fiber))

    def locate(self, emit: Emitter, fiber: Fiber, coordinate: SSAValue) -> SSAValue:
        return list_search(emit, fiber, *self._segment(emit, fiber), coordinate)

    def write(self, emit: Emitter, parent: Slot, coordinate: SSAValue, certain: bool, body: Body) -> None:
        append(emit, parent, coordinate, certain, body)
