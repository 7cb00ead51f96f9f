"""Band level: `ends` say where the block of each parent ends, `offsets` delimit its positions (Ahrens 2024, 4)."""

from __future__ import annotations

from irtensor.passes.level_formats.interface import Fiber
from irtensor.passes.level_formats.stored_block import Block, BlockLevel
from irtensor.passes.support.emit import Emitter


class BandLevel(BlockLevel):
    """A block that ends where `ends` says."""

    def block(self, emit: Emitter, fiber: Fiber) -> Block:
        end = emit.load_index(fiber.array(emit, "ends"), fiber.begin)
        first, past = fiber.segment(emit, "offsets")
        return Block(emit.sub(end, emit.sub(past, first)), end, first)
