"""Padded level: as many slots per parent for every parent, the coordinates in order and then padding (ELL).

Source: Kjolstad 2020, section 2.5. Positions hold one number, the slots per parent; a slot that is not used holds the
level's extent as its coordinate, so that a segment is in order as a whole.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from irtensor.dialects.loop.loop_memory import LowerBoundOp
from irtensor.passes.level_formats.interface import Fiber, LevelCode
from irtensor.passes.level_formats.stored_list import list_nest, list_search
from irtensor.passes.support.emit import Emitter


class PaddedLevel(LevelCode):
    """A sorted list per parent, in segments of equal length."""

    def unfurl(self, emit: Emitter, fiber: Fiber) -> SSAValue:
        begin, end = fiber.slots(emit)
        # Padding is behind all that is stored.
        last = emit.insert(LowerBoundOp.of(fiber.coordinates(emit), begin, end, fiber.extent(emit))).position
        return list_nest(emit, fiber, begin, last)

    def locate(self, emit: Emitter, fiber: Fiber, coordinate: SSAValue) -> SSAValue:
        return list_search(emit, fiber, *fiber.slots(emit), coordinate)
