"""Map level: a hash table gives each stored coordinate below a parent a position, in order of insertion.

Nothing is as large as an extent, so there may be several, and wide ones; the levels below are as compact as its
entries.
"""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue

from irtensor.dialects.loop.loop import DataOp, MapFindOp, MapInsertOp
from irtensor.dialects.storage.storage import GrowableOp, IndexMapOp
from irtensor.passes.level_formats.interface import Fiber, WrittenLevel, lookup
from irtensor.passes.level_formats.stored_list import list_nest
from irtensor.passes.level_formats.tensor_writer import Body, Slot
from irtensor.passes.support.emit import Emitter

_index = IndexType()


class MapLevel(WrittenLevel):
    """Written at any coordinate; walked, once all is written, along a list of each parent's coordinates.

    A coordinate that is asked for is looked up in the hash table.
    """

    def unfurl(self, emit: Emitter, fiber: Fiber) -> SSAValue:
        if fiber.located:
            return lookup(emit, fiber, self.locate)

        def child(emit: Emitter, position: SSAValue) -> SSAValue:
            return fiber.child(emit, emit.load_index(_slots(emit, fiber), position))

        return list_nest(emit, fiber, *_part(emit, fiber), child)

    def locate(self, emit: Emitter, fiber: Fiber, coordinate: SSAValue) -> SSAValue:
        map = emit.insert(IndexMapOp.of(fiber.tensor, fiber.level)).result
        read = emit.insert(MapFindOp.of(fiber.begin, coordinate, map))
        # Parents from 0 to 0 say that there is none, though there may be one at 0.
        found = emit.both(read.present, emit.compare("slt", fiber.begin, fiber.end))
        return fiber.entry_if(emit, found, read.slot)

    def write(self, emit: Emitter, parent: Slot, coordinate: SSAValue, certain: bool, body: Body) -> None:
        map = emit.insert(IndexMapOp.of(parent.writer.tensor, parent.level)).result

        def insert(emit: Emitter, above: SSAValue) -> tuple[SSAValue, SSAValue]:
            inserted = emit.insert(MapInsertOp.of(above, coordinate, map))
            return inserted.slot, inserted.present

        parent.writer.insert_slot(emit, parent, insert, certain, body)


def _part(emit: Emitter, fiber: Fiber) -> tuple[SSAValue, SSAValue]:
    """The part of the list that belongs to the fiber's parents: empty for a fiber without parents."""
    positions = fiber.positions(emit)
    return emit.load_index(positions, fiber.begin), emit.load_index(positions, fiber.end)


def _slots(emit: Emitter, fiber: Fiber) -> SSAValue:
    return emit.insert(DataOp.of(emit.insert(GrowableOp.of(fiber.tensor, "slots", fiber.level)).result)).buffer
