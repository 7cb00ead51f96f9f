"""Accumulator level: positions as in a dense level, and a set of those that are stored (the sparse accumulator, SPA).

Source: Gilbert, Moler, Schreiber 1992; Kjolstad 2020, section 5.4. Listing and emptying take time proportional to the
entries, never to the extent.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from irtensor.dialects.loop.loop_memory import LowerBoundOp
from irtensor.dialects.loop.loop_sets import ContainsOp
from irtensor.dialects.storage.storage import IndexSetOp, StoredOp
from irtensor.passes.level_formats.interface import Fiber, WrittenLevel, lookup
from irtensor.passes.level_formats.stored_list import list_nest
from irtensor.passes.level_formats.tensor_writer import Body, Slot
from irtensor.passes.level_formats.workspace_writer import WorkspaceWriter
from irtensor.passes.support.emit import Emitter


class AccumulatorLevel(WrittenLevel):
    """Written at any coordinate; read in order of coordinates, or where another list leads, looked up in the set."""

    def unfurl(self, emit: Emitter, fiber: Fiber) -> SSAValue:
        return self._walk(emit, fiber) if fiber.leads else lookup(emit, fiber, self.locate)

    def _walk(self, emit: Emitter, fiber: Fiber) -> SSAValue:
        members, stored = fiber.coordinates(emit), emit.insert(StoredOp.of(fiber.tensor, fiber.level)).result

        def child(emit: Emitter, position: SSAValue) -> SSAValue:
            return fiber.child(emit, emit.load_index(members, position))

        if fiber.level == 0:
            # There is one parent, so that all members are its coordinates.
            return list_nest(emit, fiber, emit.index(0), stored, child)
        start = fiber.position_of(emit, emit.index(0))
        begin = emit.insert(LowerBoundOp.of(members, emit.index(0), stored, start)).position
        after = emit.add(start, fiber.extent(emit))
        end = emit.insert(LowerBoundOp.of(members, begin, stored, after)).position
        return list_nest(emit, fiber, begin, end, child, start)

    def locate(self, emit: Emitter, fiber: Fiber, coordinate: SSAValue) -> SSAValue:
        members = emit.insert(IndexSetOp.of(fiber.tensor, fiber.level)).result
        position = fiber.position_of(emit, coordinate)
        found = emit.insert(ContainsOp.of(position, members)).present
        # An element that is not stored has never been written, but its slot can be read.
        return fiber.entry_if(emit, found, position)

    def write(self, emit: Emitter, parent: Slot, coordinate: SSAValue, certain: bool, body: Body) -> None:
        writer, level = parent.writer, parent.level
        assert isinstance(writer, WorkspaceWriter), "results have no sets"

        def insert(emit: Emitter, above: SSAValue) -> tuple[SSAValue, SSAValue]:
            position = emit.add(emit.mul(above, writer.extent(level, emit)), coordinate)
            return position, writer.insert(level, position, emit)

        parent.writer.insert_slot(emit, parent, insert, certain, body)
