"""Triangle level: `j(j+1)/2 + i` is the position of coordinates `j >= i`; chains of triangles pack any rank."""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial

from xdsl.ir import SSAValue

from irtensor.core.argument_layout import MISFIT
from irtensor.dialects.loop.loop import IfOp, RequireOp
from irtensor.passes.level_formats.interface import Fiber
from irtensor.passes.level_formats.placed_level import place
from irtensor.passes.level_formats.result_writer import PlacedLevel, ResultWriter, result_writer_of
from irtensor.passes.level_formats.stored_block import Block, BlockLevel
from irtensor.passes.level_formats.tensor_writer import Body, Slot
from irtensor.passes.support.emit import Emitter


class TriangleLevel(BlockLevel, PlacedLevel):
    """A block from 0 to the coordinate above, and a gap.

    Of `d` coordinates that do not grow, `c1 >= c2 >= ...`, there are as many before as those with a lesser `c1`, those
    with the same `c1` and a lesser `c2`, and so on: each number is a binomial coefficient.
    """

    def __init__(self, strict: bool = False) -> None:
        self.strict = strict

    def block(self, emit: Emitter, fiber: Fiber) -> Block:
        last, depth = fiber.path[-1], len(fiber.path)
        end = last if self.strict else emit.add(last, emit.index(1))
        first = self._before(emit, fiber.path, depth + 1)
        if fiber.level > depth:
            # There may be several triangles, one for each position of the levels above.
            extent, one = fiber.extent(emit), emit.index(1)
            above = emit.sub(fiber.begin, self._before(emit, fiber.path, depth))
            number = emit.divide(above, emit.max(self._choose(emit, extent, depth), one))
            first = emit.add(emit.mul(number, self._choose(emit, extent, depth + 1)), first)
        return Block(None, end, first)

    def positions(self, emit: Emitter, writer: ResultWriter, level: int, parents: SSAValue) -> SSAValue:
        extent, depth = writer.extent(level, emit), 1 + writer.format.bounding_levels(level)
        triangles = emit.divide(parents, emit.max(self._choose(emit, extent, depth - 1), emit.index(1)))
        return emit.mul(triangles, self._choose(emit, extent, depth))

    def begin(self, emit: Emitter, writer: ResultWriter, level: int) -> None:
        own, above = writer.extent(level, emit), writer.extent(level - 1, emit)
        emit.insert(RequireOp.of(emit.compare("eq", own, above), MISFIT))

    def write(self, emit: Emitter, parent: Slot, coordinate: SSAValue, certain: bool, body: Body) -> None:
        writer, level = result_writer_of(parent), parent.level
        path = parent.path[: writer.format.bounding_levels(level)]
        end = emit.add(parent.position, emit.index(1))
        block = self.block(emit, Fiber(writer.tensor, level, parent.position, end, path=path))
        is_inside, position = emit.compare("slt", coordinate, block.end), block.position(emit, coordinate)
        if certain or writer.made_below(level) != level + 1:
            writer.require(is_inside, emit)
            place(Emitter(emit.insert(IfOp.of(is_inside)).then.block), parent, position, certain, body)
            return
        # Outside there may be no entries in the list below.
        position = emit.select(is_inside, position, emit.index(0))
        place(emit, parent, position, certain, body, lambda e: writer.require(is_inside, e), exists=is_inside)

    def _before(self, emit: Emitter, path: Sequence[SSAValue], depth: int) -> SSAValue:
        """How many tuples of `depth` coordinates are before the first one that begins with some coordinates."""
        total = emit.index(0)
        for number, coordinate in enumerate(path):
            total = emit.add(self._choose(emit, coordinate, depth - number), total)
        return total

    def _choose(self, emit: Emitter, count: SSAValue, size: int) -> SSAValue:
        """How many tuples of so many coordinates there are below a number."""
        product = count
        for number in range(1, size):
            step = emit.index(number)
            factor = emit.max(emit.sub(count, step), emit.index(0)) if self.strict else emit.add(count, step)
            product = emit.mul(product, factor)
        return product if size == 1 else emit.divide(product, emit.index(factorial(size)))
