"""Levels that store a block of coordinates per parent: bands, rows that begin at 0, triangles."""

from __future__ import annotations

from abc import abstractmethod
from typing import NamedTuple

from xdsl.ir import SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import RunOp, SequenceOp
from irtensor.passes.level_formats.interface import Fiber, LevelCode, lookup
from irtensor.passes.support.emit import Emitter


class Block(NamedTuple):
    """The coordinates [begin, end), from 0 if `begin` is None; `first` is the position of the first one."""

    begin: SSAValue | None
    end: SSAValue
    first: SSAValue

    def position(self, emit: Emitter, coordinate: SSAValue) -> SSAValue:
        """The position of a coordinate of the block."""
        return emit.add(self._start(emit), coordinate)

    def _start(self, emit: Emitter) -> SSAValue:
        return self.first if self.begin is None else emit.sub(self.first, self.begin)


class BlockLevel(LevelCode):
    """A block between two gaps: loops over it have bounds, and no comparisons."""

    @abstractmethod
    def block(self, emit: Emitter, fiber: Fiber) -> Block:
        """The block of a fiber."""

    def unfurl(self, emit: Emitter, fiber: Fiber) -> SSAValue:
        return _nest(emit, fiber, self.block(emit, fiber))

    def locate(self, emit: Emitter, fiber: Fiber, coordinate: SSAValue) -> SSAValue:
        return _search(emit, fiber, self.block(emit, fiber), coordinate)


def _nest(emit: Emitter, fiber: Fiber, block: Block) -> SSAValue:
    """A gap, the block, in which each coordinate is looked up, and a gap."""
    start = block.position(emit, emit.index(0))

    def child(inner: Emitter, _: Fiber, coordinate: SSAValue) -> SSAValue:
        return fiber.child(inner, inner.add(start, coordinate), coordinate=coordinate)

    inside = lookup(emit, fiber, child)
    gap = emit.insert(RunOp.of(fiber.gap(emit))).result
    if block.begin is None:
        return emit.insert(SequenceOp.of((block.end,), (inside, gap), within=fiber.window is None)).result
    return emit.insert(SequenceOp.of((block.begin, block.end), (gap, inside, gap), within=fiber.window is None)).result


def _search(emit: Emitter, fiber: Fiber, block: Block, coordinate: SSAValue) -> SSAValue:
    """The entry at one coordinate, or the fill value: two comparisons."""
    is_inside = emit.compare("slt", coordinate, block.end)
    if block.begin is not None:
        is_inside = emit.both(emit.compare("sle", block.begin, coordinate), is_inside)
    position = emit.select(is_inside, block.position(emit, coordinate), emit.index(0))
    return fiber.entry_if(emit, is_inside, position, coordinate=coordinate)
