"""Levels of results whose entries are appended, and where those of each parent begin is noted (Kjolstad 2020, 5.4)."""

from __future__ import annotations

from xdsl.ir import SSAValue

from irtensor.core.argument_layout import has_static_positions
from irtensor.dialects.loop.loop import CloseOp, ForOp, ReserveOp
from irtensor.passes.level_formats.interface import Fiber
from irtensor.passes.level_formats.result_writer import AppendedLevel, ResultWriter
from irtensor.passes.support.emit import Emitter


class SegmentedLevel(AppendedLevel):
    """`positions` delimit the segment of each parent; those of consecutive parents are adjacent."""

    def children(self, emit: Emitter, fiber: Fiber) -> tuple[SSAValue, SSAValue]:
        return fiber.segment(emit)

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
