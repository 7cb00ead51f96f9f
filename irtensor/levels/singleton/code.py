"""Singleton level: one coordinate per parent position (Kjolstad 2020, table 2.14)."""

from __future__ import annotations

from xdsl.ir import SSAValue

from irtensor.dialects.loop.loop_memory import LowerBoundOp
from irtensor.passes.level_formats.interface import Fiber, NumberedLevel
from irtensor.passes.level_formats.result_writer import AppendedLevel
from irtensor.passes.level_formats.stored_list import append, list_nest, list_search
from irtensor.passes.level_formats.tensor_writer import Body, Slot
from irtensor.passes.support.emit import Emitter


class SingletonLevel(NumberedLevel, AppendedLevel):
    """The parent's positions are this level's positions; a nonunique parent gives a list, a unique one an entry."""

    def unfurl(self, emit: Emitter, fiber: Fiber) -> SSAValue:
        return list_nest(emit, fiber, fiber.begin, fiber.end)

    def locate(self, emit: Emitter, fiber: Fiber, coordinate: SSAValue) -> SSAValue:
        return list_search(emit, fiber, fiber.begin, fiber.end, coordinate)

    def children(self, emit: Emitter, fiber: Fiber) -> tuple[SSAValue, SSAValue]:
        return fiber.begin, fiber.end

    def first_from(self, emit: Emitter, fiber: Fiber, coordinate: SSAValue) -> SSAValue:
        return emit.insert(LowerBoundOp.of(fiber.coordinates(emit), fiber.begin, fiber.end, coordinate)).position

    def entry(self, emit: Emitter, fiber: Fiber, position: SSAValue) -> tuple[SSAValue, SSAValue]:
        return emit.load_index(fiber.coordinates(emit), position), position

    def write(self, emit: Emitter, parent: Slot, coordinate: SSAValue, certain: bool, body: Body) -> None:
        append(emit, parent, coordinate, certain, body)
