"""Bitmap level: positions as in a dense level, and a flag per position that says whether it is stored.

Source: Ahrens 2024 (Finch, SparseByteMap). Written in any order, as a dense level is; children of a position that is
not stored are never read.
"""

from __future__ import annotations

from dataclasses import replace

from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import LookupOp, RunOp, SwitchOp, YieldOp
from irtensor.dialects.support.create_operation import create_block, create_region
from irtensor.passes.level_formats.interface import Fiber, WrittenLevel
from irtensor.passes.level_formats.tensor_writer import Body, Slot
from irtensor.passes.support.emit import Emitter


class BitmapLevel(WrittenLevel):
    """Any coordinate is looked up; a flag decides between the entry and the fill value."""

    def unfurl(self, emit: Emitter, fiber: Fiber) -> SSAValue:
        start, flags = fiber.position_of(emit, emit.index(0)), fiber.flags(emit)
        body = create_block((IndexType(),))
        inner = Emitter(body)
        inner.insert(YieldOp.of(self._entry(inner, fiber, flags, inner.add(start, body.args[0]))))
        return emit.insert(LookupOp.of(fiber.payload, create_region(body))).result

    def locate(self, emit: Emitter, fiber: Fiber, coordinate: SSAValue) -> SSAValue:
        return self._entry(emit, fiber, fiber.flags(emit), fiber.position_of(emit, coordinate))

    def _entry(self, emit: Emitter, fiber: Fiber, flags: SSAValue, position: SSAValue) -> SSAValue:
        stored = emit.load(flags, position)
        entry = emit.insert(RunOp.of(fiber.child(emit, position))).result
        rest = emit.insert(RunOp.of(fiber.gap(emit))).result
        return emit.insert(SwitchOp.of(stored, entry, rest)).result

    def write(self, emit: Emitter, parent: Slot, coordinate: SSAValue, certain: bool, body: Body) -> None:
        writer, level = parent.writer, parent.level
        position = emit.add(emit.mul(parent.position, writer.extent(level, emit)), coordinate)
        slot = replace(parent, level=level + 1, position=position, marks=(*parent.marks, (level, position)))
        if certain:
            slot = slot.mark(emit)
        body(emit, slot)
        writer.close_segment(level, position, emit)
