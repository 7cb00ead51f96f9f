"""Levels of results that store a block for each parent, to which loops append: gaps hold the fill value."""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import SSAValue

from irtensor.dialects.loop.loop import IfOp
from irtensor.passes.level_formats.result_writer import ResultWriter, result_writer_of
from irtensor.passes.level_formats.segmented_level import SegmentedLevel
from irtensor.passes.level_formats.stored_block import BlockLevel
from irtensor.passes.level_formats.tensor_writer import Body, Slot
from irtensor.passes.support.emit import Emitter


class AppendedBlockLevel(BlockLevel, SegmentedLevel):
    """A block for each parent, whose positions `offsets` delimit, from a coordinate up to the last one with an entry.

    All blocks begin at the coordinate `start`, or, where that is None, with their first entry.
    """

    delimiters: ClassVar[str] = "offsets"
    start: ClassVar[int | None] = None

    def begin_segment(self, emit: Emitter, writer: ResultWriter, level: int) -> None:
        # Where the block ends so far; before an entry whose coordinate it begins with, -1.
        writer.of_segment[level] = (emit.cell(emit.index(-1 if self.start is None else self.start)),)

    def write(self, emit: Emitter, parent: Slot, coordinate: SSAValue, certain: bool, body: Body) -> None:
        writer, level = result_writer_of(parent), parent.level
        (last,), first = writer.of_segment[level], writer.next_position(level, emit)
        end, zero = emit.get(last), emit.index(0)
        gap = emit.sub(coordinate, end)
        if self.start is None:
            gap = emit.select(emit.compare("slt", end, zero), zero, gap)
        position = emit.add(first, gap)
        writer.reserve(level, emit.add(position, emit.index(1)), emit)
        branch = emit.insert(IfOp.of(emit.compare("sgt", gap, zero)))
        writer.open_absent(level, first, position, Emitter(branch.then.block))
        written = writer.add_entry(parent, position, (), certain, body, emit, ahead=gap)
        written.set(written.add(coordinate, written.index(1)), last)
