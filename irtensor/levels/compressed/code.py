"""Compressed level: `pos` delimits each parent's segment of `crd` (Kjolstad 2020, table 2.14)."""

from __future__ import annotations

from xdsl.ir import SSAValue

from irtensor.core.argument_layout import has_static_positions
from irtensor.dialects.loop.loop import CloseOp, ForOp, ReserveOp
from irtensor.dialects.loop.loop_memory import LowerBoundOp, UpperBoundOp
from irtensor.passes.level_formats.interface import Fiber, NumberedLevel
from irtensor.passes.level_formats.result_writer import AppendedLevel, ResultWriter
from irtensor.passes.level_formats.stored_list import append, list_nest, list_search
from irtensor.passes.level_formats.tensor_writer import Body, Slot
from irtensor.passes.support.emit import Emitter


class CompressedLevel(NumberedLevel, AppendedLevel):
    """A sorted list per parent; the segments of consecutive parents are adjacent."""

    def children(self, emit: Emitter, fiber: Fiber) -> tuple[SSAValue, SSAValue]:
        positions = fiber.positions(emit)
        return fiber.segment_bound(emit, positions, fiber.begin), fiber.segment_bound(emit, positions, fiber.end)

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

    def begin(self, emit: Emitter, writer: ResultWriter, level: int) -> None:
        zero = emit.index(0)
        if has_static_positions(writer.format, level):
            if writer.leaves_holes(level):
                writer.clear("positions", level, emit.add(writer.width(-1, level, emit), emit.index(1)), emit)
                return
        else:
            emit.insert(ReserveOp.of(writer.growable("positions", level, emit), emit.index(1)))
        emit.store_index(zero, writer.data("positions", level, emit), zero)

    def open(self, emit: Emitter, writer: ResultWriter, level: int, first: SSAValue, past: SSAValue) -> None:
        one = emit.index(1)
        ends = emit.add(first, one), emit.add(past, one)
        emit.insert(CloseOp.of(writer.data("positions", level, emit), ends[0], writer.counts[level], ends[1]))

    def close(self, emit: Emitter, writer: ResultWriter, level: int, parent: SSAValue) -> None:
        end = emit.add(parent, emit.index(1))
        emit.insert(CloseOp.of(writer.data("positions", level, emit), end, writer.counts[level]))

    def finish(self, emit: Emitter, writer: ResultWriter, level: int) -> None:
        if not writer.leaves_holes(level):
            return
        # A running maximum: the entries of a parent that was never closed end where those of the one before do.
        data, highest = writer.data("positions", level, emit), emit.cell(emit.index(0))
        loop = emit.insert(ForOp.of(emit.index(1), emit.add(writer.parent_count(level, emit), emit.index(1))))
        inner = Emitter(loop.body.block)
        end = inner.max(inner.get(highest), inner.load_index(data, loop.induction))
        inner.store_index(end, data, loop.induction)
        inner.set(end, highest)
