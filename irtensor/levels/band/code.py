"""Band level: `ends` say where the block of each parent ends, `offsets` delimit its positions (Ahrens 2024, 4)."""

from __future__ import annotations

from xdsl.ir import SSAValue

from irtensor.passes.level_formats.interface import Fiber, LevelCode
from irtensor.passes.level_formats.stored_block import Block, block_nest, block_search
from irtensor.passes.support.emit import Emitter


class BandLevel(LevelCode):
    """A block between two gaps: loops over it have bounds, and no comparisons."""

    def unfurl(self, emit: Emitter, fiber: Fiber) -> SSAValue:
        return block_nest(emit, fiber, self._block(emit, fiber))

    def locate(self, emit: Emitter, fiber: Fiber, coordinate: SSAValue) -> SSAValue:
        return block_search(emit, fiber, self._block(emit, fiber), coordinate)

    def _block(self, emit: Emitter, fiber: Fiber) -> Block:
        offsets, end = fiber.array(emit, "offsets"), emit.load_index(fiber.array(emit, "ends"), fiber.begin)
        first, past = (fiber.segment_bound(emit, offsets, parent) for parent in (fiber.begin, fiber.end))
        return Block(emit.sub(end, emit.sub(past, first)), end, first)
