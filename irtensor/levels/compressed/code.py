"""Compressed level: `pos` delimits each parent's segment of `crd` (Kjolstad 2020, table 2.14)."""

from __future__ import annotations

from xdsl.ir import SSAValue

from irtensor.dialects.loop.loop_memory import LowerBoundOp, UpperBoundOp
from irtensor.passes.level_formats.interface import Fiber, NumberedLevel
from irtensor.passes.level_formats.segmented_level import SegmentedLevel
from irtensor.passes.level_formats.stored_list import append, list_nest, list_search
from irtensor.passes.level_formats.tensor_writer import Body, Slot
from irtensor.passes.support.emit import Emitter


class CompressedLevel(SegmentedLevel, NumberedLevel):
    """A sorted list per parent; the segments of consecutive parents are adjacent."""

    def unfurl(self, emit: Emitter, fiber: Fiber) -> SSAValue:
        return list_nest(emit, fiber, *self.children(emit, fiber))

    def locate(self, emit: Emitter, fiber: Fiber, coordinate: SSAValue) -> SSAValue:
        return list_search(emit, fiber, *self.children(emit, fiber), coordinate)

    def first_from(self, emit: Emitter, fiber: Fiber, coordinate: SSAValue) -> SSAValue:
        return emit.insert(LowerBoundOp.of(fiber.coordinates(emit), *self.children(emit, fiber), coordinate)).position

    def entry(self, emit: Emitter, fiber: Fiber, position: SSAValue) -> tuple[SSAValue, SSAValue]:
        coordinate = emit.load_index(fiber.coordinates(emit), position)
        # The last parent whose segment begins at the position or before: those after it that do so too are empty.
        after = emit.insert(UpperBoundOp.of(fiber.positions(emit), fiber.begin, fiber.end, position)).position
        return coordinate, emit.max(emit.sub(after, emit.index(1)), emit.index(0))

    def write(self, emit: Emitter, parent: Slot, coordinate: SSAValue, certain: bool, body: Body) -> None:
        append(emit, parent, coordinate, certain, body)
