"""Dense level: every coordinate is stored; position = parent * extent + coordinate (Kjolstad 2020, table 2.11)."""

from __future__ import annotations

from dataclasses import replace

from xdsl.ir import SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import RunOp
from irtensor.passes.level_formats.interface import Fiber, LevelCode, NumberedLevel, WrittenLevel, lookup
from irtensor.passes.level_formats.tensor_writer import Body, Slot
from irtensor.passes.support.emit import Emitter


class DirectLevel(LevelCode):
    """A slot for every coordinate, which is located directly."""

    def unfurl(self, emit: Emitter, fiber: Fiber) -> SSAValue:
        # Where the parent's positions begin, and the coordinates, is known before the loop.
        start = fiber.position_of(emit, emit.index(0))

        def child(inner: Emitter, _: Fiber, coordinate: SSAValue) -> SSAValue:
            return fiber.child(inner, inner.add(start, coordinate), coordinate=coordinate)

        return lookup(emit, fiber, child)

    def locate(self, emit: Emitter, fiber: Fiber, coordinate: SSAValue) -> SSAValue:
        position = fiber.position_of(emit, coordinate)
        return emit.insert(RunOp.of(fiber.child(emit, position, coordinate=coordinate))).result


class DenseLevel(DirectLevel, NumberedLevel, WrittenLevel):
    """Every slot is an entry."""

    def children(self, emit: Emitter, fiber: Fiber) -> tuple[SSAValue, SSAValue]:
        extent = fiber.extent(emit)
        return emit.mul(fiber.begin, extent), emit.mul(fiber.end, extent)

    def first_from(self, emit: Emitter, fiber: Fiber, coordinate: SSAValue) -> SSAValue:
        return fiber.position_of(emit, coordinate)

    def entry(self, emit: Emitter, fiber: Fiber, position: SSAValue) -> tuple[SSAValue, SSAValue]:
        extent = emit.max(fiber.extent(emit), emit.index(1))
        parent = emit.divide(position, extent)
        return emit.sub(position, emit.mul(parent, extent)), parent

    def write(self, emit: Emitter, parent: Slot, coordinate: SSAValue, certain: bool, body: Body) -> None:
        writer, level = parent.writer, parent.level
        position = emit.add(emit.mul(parent.position, writer.extent(level, emit)), coordinate)
        body(emit, replace(parent, level=level + 1, position=position))
        writer.close_segment(level, position, emit)
