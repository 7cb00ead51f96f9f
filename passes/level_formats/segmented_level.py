"""Levels of results whose entries are appended, and where those of each parent begin is noted (Kjolstad 2020, 5.4)."""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import SSAValue

from irtensor.core.argument_layout import has_static_positions
from irtensor.dialects.loop.loop import CloseOp, ForOp, ReserveOp
from irtensor.passes.level_formats.interface import Fiber
from irtensor.passes.level_formats.result_writer import AppendedLevel, ResultWriter
from irtensor.passes.support.emit import Emitter


class SegmentedLevel(AppendedLevel):
    """An array delimits the segment of each parent; those of consecutive parents are adjacent."""

    delimiters: ClassVar[str] = "positions"

    def children(self, emit: Emitter, fiber: Fiber) -> tuple[SSAValue, SSAValue]:
        return fiber.segment(emit, self.delimiters)

    def counter(self, writer: ResultWriter, level: int) -> SSAValue:
        """What counts the parts of segments that the array counts."""
        return writer.counts[level]

    def begin(self, emit: Emitter, writer: ResultWriter, level: int) -> None:
        zero = emit.index(0)
        if has_static_positions(writer.format, level):
            if writer.leaves_holes(level):
                writer.clear(self.delimiters, level, emit.add(writer.width(-1, level, emit), emit.index(1)), emit)
                return
        else:
            emit.insert(ReserveOp.of(writer.growable(self.delimiters, level, emit), emit.index(1)))
        emit.store_index(zero, writer.data(self.delimiters, level, emit), zero)

    def open(self, emit: Emitter, writer: ResultWriter, level: int, first: SSAValue, past: SSAValue) -> None:
        one = emit.index(1)
        ends = emit.add(first, one), emit.add(past, one)
        emit.insert(
            CloseOp.of(writer.data(self.delimiters, level, emit), ends[0], self.counter(writer, level), ends[1])
        )

    def close(self, emit: Emitter, writer: ResultWriter, level: int, parent: SSAValue) -> None:
        end = emit.add(parent, emit.index(1))
        emit.insert(CloseOp.of(writer.data(self.delimiters, level, emit), end, self.counter(writer, level)))

    def finish(self, emit: Emitter, writer: ResultWriter, level: int) -> None:
        if not writer.leaves_holes(level):
            return
        # A running maximum: the entries of a parent that was never closed end where those of the one before do.
        data, highest = writer.data(self.delimiters, level, emit), emit.cell(emit.index(0))
        loop = emit.insert(ForOp.of(emit.index(1), emit.add(writer.parent_count(level, emit), emit.index(1))))
        inner = Emitter(loop.body.block)
        end = inner.max(inner.get(highest), inner.load_index(data, loop.induction))
        inner.store_index(end, data, loop.induction)
        inner.set(end, highest)
