"""Ragged level: a dense prefix per parent, whose positions `offsets` delimit (a band that begins at 0)."""

from __future__ import annotations

from irtensor.passes.level_formats.appended_block import AppendedBlockLevel
from irtensor.passes.level_formats.interface import Fiber
from irtensor.passes.level_formats.stored_block import Block
from irtensor.passes.support.emit import Emitter


class RaggedLevel(AppendedBlockLevel):
    """A block that begins at 0, and a gap."""

    start = 0

    def block(self, emit: Emitter, fiber: Fiber) -> Block:
        first, past = fiber.segment(emit, "offsets")
        return Block(None, emit.sub(past, first), first)
