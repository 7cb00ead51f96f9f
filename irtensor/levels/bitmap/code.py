"""Bitmap level: positions as in a dense level, and a flag per position that says whether it is stored.

Source: Ahrens 2024 (Finch, SparseByteMap). Written in any order, as a dense level is; children of a position that is
not stored are never read.
"""

from __future__ import annotations

from dataclasses import replace

from xdsl.ir import SSAValue

from irtensor.passes.level_formats.interface import Fiber, WrittenLevel, lookup
from irtensor.passes.level_formats.tensor_writer import Body, Slot
from irtensor.passes.support.emit import Emitter


class BitmapLevel(WrittenLevel):
    """Any coordinate is looked up; a flag decides between the entry and the fill value."""

    def unfurl(self, emit: Emitter, fiber: Fiber) -> SSAValue:
        start, flags = fiber.position_of(emit, emit.index(0)), fiber.flags(emit)
        return lookup(emit, fiber, lambda inner, _, index: self._entry(inner, fiber, flags, inner.add(start, index)))

    def locate(self, emit: Emitter, fiber: Fiber, coordinate: SSAValue) -> SSAValue:
        return self._entry(emit, fiber, fiber.flags(emit), fiber.position_of(emit, coordinate))

    def _entry(self, emit: Emitter, fiber: Fiber, flags: SSAValue, position: SSAValue) -> SSAValue:
        return fiber.entry_if(emit, emit.load(flags, position), position)

    def write(self, emit: Emitter, parent: Slot, coordinate: SSAValue, certain: bool, body: Body) -> None:
        writer, level = parent.writer, parent.level
        position = emit.add(emit.mul(parent.position, writer.extent(level, emit)), coordinate)
        slot = replace(parent, level=level + 1, position=position, marks=(*parent.marks, (level, position)))
        if certain:
            slot = slot.mark(emit)
        body(emit, slot)
        writer.close_segment(level, position, emit)
