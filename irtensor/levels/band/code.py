"""Band level: `ends` say where the block of each parent ends, `offsets` delimit its positions (Ahrens 2024, 4)."""

from __future__ import annotations

from xdsl.ir import SSAValue

from irtensor.core.argument_layout import has_static_positions
from irtensor.dialects.loop.loop import FillOp
from irtensor.dialects.loop.loop_types import held_type
from irtensor.passes.level_formats.appended_block import AppendedBlockLevel
from irtensor.passes.level_formats.interface import Fiber
from irtensor.passes.level_formats.result_writer import ResultWriter
from irtensor.passes.level_formats.stored_block import Block
from irtensor.passes.support.emit import Emitter


class BandLevel(AppendedBlockLevel):
    """A block that ends where `ends` says."""

    def block(self, emit: Emitter, fiber: Fiber) -> Block:
        end = emit.load_index(fiber.array(emit, "ends"), fiber.begin)
        first, past = fiber.segment(emit, "offsets")
        return Block(emit.sub(end, emit.sub(past, first)), end, first)

    def begin(self, emit: Emitter, writer: ResultWriter, level: int) -> None:
        super().begin(emit, writer, level)
        if has_static_positions(writer.format, level) and writer.leaves_holes(level):
            writer.clear("ends", level, writer.width(-1, level, emit), emit)

    def open(self, emit: Emitter, writer: ResultWriter, level: int, first: SSAValue, past: SSAValue) -> None:
        super().open(emit, writer, level, first, past)
        ends = writer.data("ends", level, emit)
        emit.insert(FillOp.of(emit.narrow(emit.index(0), held_type(ends)), ends, first, past))

    def close(self, emit: Emitter, writer: ResultWriter, level: int, parent: SSAValue) -> None:
        super().close(emit, writer, level, parent)
        end = emit.max(emit.get(*writer.of_segment[level]), emit.index(0))
        emit.store_index(end, writer.data("ends", level, emit), parent)
