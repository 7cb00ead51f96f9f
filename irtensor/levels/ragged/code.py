"""Ragged level: a dense prefix per parent, whose positions `offsets` delimit (a band that begins at 0)."""

from __future__ import annotations

from xdsl.ir import SSAValue

from irtensor.passes.level_formats.interface import Fiber, LevelCode
from irtensor.passes.level_formats.stored_block import Block, block_nest, block_search
from irtensor.passes.support.emit import Emitter


class RaggedLevel(LevelCode):
    """A block that begins at 0, and a gap."""

    def unfurl(self, emit: Emitter, fiber: Fiber) -> SSAValue:
        return block_nest(emit, fiber, self._block(emit, fiber))

    def locate(self, emit: Emitter, fiber: Fiber, coordinate: SSAValue) -> SSAValue:
        return block_search(emit, fiber, self._block(emit, fiber), coordinate)

    def _block(self, emit: Emitter, fiber: Fiber) -> Block:
        offsets = fiber.array(emit, "offsets")
        first, past = (fiber.segment_bound(emit, offsets, parent) for parent in (fiber.begin, fiber.end))
        return Block(None, emit.sub(past, first), first)
