"""What a level format tells the compiler: how a fiber unfolds into looplets, and how a result is written.

Rewrites know looplets, cursors and positions. They reach a level through these classes only, and never by its name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import NamedTuple

from xdsl.dialects.builtin import IndexType, StringAttr, TensorType, UnitAttr, i1
from xdsl.ir import Attribute, Block, SSAValue

from irtensor.core.level_format import LevelFormat
from irtensor.dialects.algebra.algebra import ApplyOp, ConstantOp
from irtensor.dialects.iteration_lattice.iteration_lattice import LookupOp, RunOp, SwitchOp, YieldOp
from irtensor.dialects.loop.loop import ForOp
from irtensor.dialects.loop.loop_memory import SPECULATABLE, LoadOp
from irtensor.dialects.storage.storage import (
    ArrayOp,
    FiberOp,
    FillFiberOp,
    ValuesOp,
    fill_of,
    format_of,
    payload_type,
)
from irtensor.dialects.support.create_operation import create_block, create_region
from irtensor.passes.level_formats.level_extent import level_extent, position_in
from irtensor.passes.level_formats.tensor_writer import Body, Slot
from irtensor.passes.support.emit import Emitter, is_successor


class Fiber(NamedTuple):
    """The part of a tensor's level below the parent positions [begin, end)."""

    tensor: SSAValue
    level: int
    begin: SSAValue
    end: SSAValue
    gallops: bool = False
    """Whether a list of stored entries asks to lead an intersection."""
    window: tuple[SSAValue, SSAValue] | None = None
    """The only coordinates that matter, [lo, hi), where they are not all."""
    by_entries: bool = False
    """Whether coordinates from the tensor that the window is computed from are those of entries of this fiber."""
    leads: bool = False
    """Whether nothing happens at coordinates that are not stored, and no list of another tensor leads the loop."""
    path: tuple[SSAValue, ...] = ()
    """The coordinates of the levels above that positions depend on (`TensorFormat.bounding_levels`)."""
    located: bool = False
    """Whether this level locates the coordinates of the loop, and adds none of its own."""

    @property
    def type(self) -> TensorType[Attribute]:
        assert isinstance(self.tensor.type, TensorType)
        return self.tensor.type

    @property
    def format(self) -> LevelFormat:
        return format_of(self.type).levels[self.level].format

    @property
    def payload(self) -> Attribute:
        return payload_type(self.type, self.level + 1)

    def extent(self, emit: Emitter) -> SSAValue:
        """Number of coordinates of the level."""
        return level_extent(emit, self.tensor, self.level)

    def position_of(self, emit: Emitter, coordinate: SSAValue) -> SSAValue:
        """The position of a coordinate below the first parent, of a level with one for each coordinate."""
        start = emit.mul(self.begin, self.extent(emit))
        return emit.add(start, position_in(emit, self.tensor, self.level, coordinate))

    def positions(self, emit: Emitter) -> SSAValue:
        return self.array(emit, "positions")

    def segment_bound(self, emit: Emitter, positions: SSAValue, parent: SSAValue) -> SSAValue:
        """Where the segment of a parent begins; the one before ends there.

        Of an operand that has all coordinates above, any coordinate of the loops around has an element in the array, be
        there an entry or not. A position in a list may be past its end until it has been compared with that.
        """
        load = emit.insert(LoadOp.of(positions, parent))
        above = format_of(self.type).levels[: self.level]
        if isinstance(self.tensor.owner, Block) and all(level.format.properties.is_array for level in above):
            load.attributes[SPECULATABLE] = UnitAttr()
        return emit.to_index(load.value)

    def segment(self, emit: Emitter, array: str = "positions") -> tuple[SSAValue, SSAValue]:
        """Where the segment of the parents begins and ends, by the array that delimits segments."""
        delimiters = self.array(emit, array)
        return self.segment_bound(emit, delimiters, self.begin), self.segment_bound(emit, delimiters, self.end)

    def coordinates(self, emit: Emitter) -> SSAValue:
        return self.array(emit, "coordinates")

    def array(self, emit: Emitter, name: str) -> SSAValue:
        """The array of a name of the level."""
        return emit.insert(ArrayOp.of(self.tensor, name, self.level)).result

    def slots(self, emit: Emitter) -> tuple[SSAValue, SSAValue]:
        """Where the slots of the parents begin and end, of a level that has as many for each."""
        width = emit.load_index(self.positions(emit), emit.index(0))
        return emit.mul(self.begin, width), emit.mul(self.end, width)

    def flags(self, emit: Emitter) -> SSAValue:
        return self.array(emit, "flags")

    def child(
        self, emit: Emitter, begin: SSAValue, end: SSAValue | None = None, coordinate: SSAValue | None = None
    ) -> SSAValue:
        """The payload below positions [begin, end) of this level (one position by default).

        `coordinate` is that of the position, if the level below may be bounded by it.
        """
        if self.level + 1 == len(format_of(self.type).levels):
            if format_of(self.type).is_pattern:
                present = ConstantOp.of(True, i1)
                present.entry = UnitAttr()
                return emit.insert(present).result
            values = emit.insert(ValuesOp.of(self.tensor)).result
            if end is None or self.format.unique or is_successor(end, begin):
                return emit.load(values, begin)
            return self._sum(emit, values, begin, end)
        if end is None:
            end = emit.add(begin, emit.index(1))
        return emit.insert(FiberOp.of(self.tensor, begin, end, self.level + 1, self._path_below(coordinate))).result

    def _path_below(self, coordinate: SSAValue | None) -> tuple[SSAValue, ...]:
        if not format_of(self.type).bounding_levels(self.level + 1):
            return ()
        assert coordinate is not None, "what bounds a level gives the coordinates of its children"
        return (*self.path, coordinate)

    def _sum(self, emit: Emitter, values: SSAValue, begin: SSAValue, end: SSAValue) -> SSAValue:
        """The element that is stored in several parts."""
        total = emit.cell(emit.constant(0, self.type.element_type))
        loop = emit.insert(ForOp.of(begin, end))
        inner = Emitter(loop.body.block)
        part = inner.load(values, loop.induction)
        add = ApplyOp.of(StringAttr("add"), (inner.get(total), part), part.type)
        inner.set(inner.insert(add).result, total)
        return emit.get(total)

    def gap(self, emit: Emitter) -> SSAValue:
        """The payload where nothing is stored: the fill value, or a fiber of nothing else."""
        if self.level + 1 == len(format_of(self.type).levels):
            return emit.constant(fill_of(self.type), self.type.element_type)
        return emit.insert(FillFiberOp.of(self.payload)).result

    def entry_if(
        self,
        emit: Emitter,
        present: SSAValue,
        begin: SSAValue,
        end: SSAValue | None = None,
        coordinate: SSAValue | None = None,
    ) -> SSAValue:
        """The looplet nest at one coordinate: the payload below positions where there is an entry, else the gap."""
        entry = emit.insert(RunOp.of(self.child(emit, begin, end, coordinate))).result
        rest = emit.insert(RunOp.of(self.gap(emit))).result
        return emit.insert(SwitchOp.of(present, entry, rest)).result


class LevelCode(ABC):
    """The code of one level format. Ranges are those of the loop that is being built."""

    @abstractmethod
    def unfurl(self, emit: Emitter, fiber: Fiber) -> SSAValue:
        """The looplet nest of the whole fiber (walk protocol)."""

    @abstractmethod
    def locate(self, emit: Emitter, fiber: Fiber, coordinate: SSAValue) -> SSAValue:
        """The looplet nest of the fiber at a single coordinate (follow protocol)."""


def lookup(emit: Emitter, fiber: Fiber, locate: Callable[[Emitter, Fiber, SSAValue], SSAValue]) -> SSAValue:
    """The looplet nest of a fiber in which each coordinate that the loop reaches is located."""
    body = create_block((IndexType(),))
    inner = Emitter(body)
    inner.insert(YieldOp.of(locate(inner, fiber, body.args[0])))
    return emit.insert(LookupOp.of(fiber.payload, create_region(body))).result


class CompactLevel(LevelCode):
    """A level of operands that has an entry at every position between the first and the last."""

    @abstractmethod
    def children(self, emit: Emitter, fiber: Fiber) -> tuple[SSAValue, SSAValue]:
        """The positions of all entries of the fiber: first, and past the last."""


class NumberedLevel(CompactLevel):
    """A level whose entries are found by number (`LevelProperties.numbers_entries`)."""

    @abstractmethod
    def first_from(self, emit: Emitter, fiber: Fiber, coordinate: SSAValue) -> SSAValue:
        """The position of the first entry at a coordinate or after it, of a fiber in order with one parent."""

    @abstractmethod
    def entry(self, emit: Emitter, fiber: Fiber, position: SSAValue) -> tuple[SSAValue, SSAValue]:
        """The coordinate of the entry at a position, and the position of its parent.

        A position that is not of the fiber is 0: any outcome will do then, as long as it may be read from.
        """


class WrittenLevel(LevelCode):
    """A level of results or workspaces (`LevelProperties.is_written`)."""

    @abstractmethod
    def write(self, emit: Emitter, parent: Slot, coordinate: SSAValue, certain: bool, body: Body) -> None:
        """Emit the body that writes below a coordinate of a result; `certain`: it always writes something."""


class RangesLevel(WrittenLevel):
    """A level of results in which one position stands for a range of coordinates (`LevelProperties.takes_ranges`)."""

    @abstractmethod
    def write_range(
        self, emit: Emitter, parent: Slot, begin: SSAValue, end: SSAValue, certain: bool, body: Body
    ) -> None:
        """Emit the body that writes below a range of coordinates, which is not empty; `certain` as in `write`."""

    def write(self, emit: Emitter, parent: Slot, coordinate: SSAValue, certain: bool, body: Body) -> None:
        self.write_range(emit, parent, coordinate, emit.add(coordinate, emit.index(1)), certain, body)
