"""What writing into a tensor needs to know: where a component is, and the arrays it goes to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from xdsl.dialects.builtin import TensorType, i1
from xdsl.ir import Attribute, SSAValue

from irtensor.core.level_format import LevelFormat
from irtensor.core.operators import Scalar, same_value
from irtensor.dialects.loop.loop import FillOp, ForOp, IfOp, StoreOp
from irtensor.dialects.storage.storage import DimOp, fill_of, format_of
from irtensor.passes.level_formats.level_extent import level_extent, offsets_in_block
from irtensor.passes.support.emit import Emitter


@dataclass(frozen=True)
class Slot:
    """A slot of a result: `level` levels are resolved, the position in the last of them is `position`."""

    writer: TensorWriter
    level: int
    position: SSAValue
    coordinates: tuple[SSAValue, ...] = ()
    """Coordinates of nonunique levels above that are appended together with the next one."""
    dirty: SSAValue | None = None
    """Cell that records whether anything was written, where that is not certain."""
    present: SSAValue | None = None
    """Whether the component was written before, where that decides between combining and storing."""
    pending: Callable[[Emitter], Slot] | None = None
    """Adds the slot when something is written below it, which is not certain yet, and gives it."""
    marks: tuple[tuple[int, SSAValue], ...] = ()
    """Levels and positions above that are flagged as stored as soon as something is written below them."""
    blocks: Mapping[int, SSAValue] = field(default_factory=dict[int, SSAValue])
    """By dimensions that are stored in blocks, the number of the block that this is in."""
    path: tuple[SSAValue, ...] = ()
    """The coordinates of the levels above that positions depend on (`TensorFormat.bounding_levels`)."""

    def reached(self, emit: Emitter) -> Slot:
        """The slot where something is about to be written."""
        return self if self.pending is None else self.pending(emit)

    def above(self, coordinate: SSAValue) -> Slot:
        """The same slot, above one at a coordinate of the next level, which may number the blocks of a dimension, or
        bound the level below it."""
        format, slot = self.writer.format, self
        expression = format.levels[self.level].expression
        if expression.form == "floordiv":
            slot = replace(slot, blocks={**self.blocks, expression.dimension: coordinate})
        if format.bounding_levels(self.level + 1):
            slot = replace(slot, path=(*self.path[: format.bounding_levels(self.level)], coordinate))
        return slot

    def mark(self, emit: Emitter) -> Slot:
        """Flag the slots above one that is written to; gives the slot without that duty."""
        for level, position in self.marks:
            self.writer.flag(level, position, emit)
        return replace(self, marks=())


class TensorWriter(ABC):
    """A tensor while the loops that compute it are lowered."""

    def __init__(self, tensor: SSAValue):
        self.tensor = tensor
        self.format = format_of(self.type)
        self.levels: list[LevelFormat] = [level.format for level in self.format.levels]
        self.initial: Scalar = fill_of(self.type)
        self.predicate: SSAValue | None = None
        """Where it does not hold, an entry is written behind the last one and does not count."""

    @property
    def type(self) -> TensorType[Attribute]:
        assert isinstance(self.tensor.type, TensorType)
        return self.tensor.type

    @property
    def stores_values(self) -> bool:
        """Whether there is an array of values to write to."""
        return not self.format.is_pattern

    @property
    def is_provisional(self) -> bool:
        """Whether values stored for an entry that is dropped are stored anew for the next, or never read."""
        return False

    def appends(self, level: int) -> bool:
        """Whether entries of a level are counted: they are stored one after the other."""
        access = self.levels[level].access
        return not (access.inserts or access.computed)

    @abstractmethod
    def adds_slots(self, level: int) -> bool:
        """Whether a level, and those inside of it, add a slot as soon as there is an entry."""

    def made_below(self, level: int) -> int | None:
        """The next level inside `level` that adds slots as they are needed."""
        return next((inner for inner in range(level + 1, len(self.levels)) if self.adds_slots(inner)), None)

    def flagged_below(self, level: int) -> list[int]:
        """Levels with flags between `level` and the next one that adds slots as they are needed."""
        end = self.made_below(level)
        inner = range(level + 1, len(self.levels) if end is None else end)
        return [number for number in inner if self.levels[number].properties.has_flags]

    def extent(self, level: int, emit: Emitter) -> SSAValue:
        return level_extent(emit, self.tensor, level)

    def width(self, outer: int, inner: int, emit: Emitter) -> SSAValue:
        """Positions of the levels between `outer` and `inner` (both excluded) per position of `outer`."""
        width = emit.index(1)
        for level in range(outer + 1, inner):
            width = emit.mul(width, self.extent(level, emit))
        return width

    @abstractmethod
    def data(self, array: str, level: int, emit: Emitter) -> SSAValue:
        """The present storage of an array."""

    def holds(self, level: int) -> bool:
        """Whether room for the entries that a loop appends is held already."""
        return False

    def close_segment(self, level: int, position: SSAValue, emit: Emitter) -> None:
        """Record where the segment below a position of `level` ends (-1 is the root)."""

    def flag(self, level: int, position: SSAValue, emit: Emitter) -> None:
        """Record that a position of a level is stored."""
        flags = self.data("flags", level, emit)
        stored = emit.constant(True, i1)
        if self.predicate is not None:
            stored = emit.either(emit.load(flags, position), self.predicate)
        emit.insert(StoreOp.of(stored, flags, position))

    def clear_flags(self, level: int, position: SSAValue, emit: Emitter) -> None:
        """Let nothing be stored below a position of a level (-1 is the root)."""
        for flagged in self.flagged_below(level):
            width = self.width(level, flagged + 1, emit)
            begin = emit.mul(position, width)
            end = emit.add(begin, width)
            emit.insert(FillOp.of(emit.constant(False, i1), self.data("flags", flagged, emit), begin, end))

    def open_slot(self, slot: Slot, emit: Emitter) -> None:
        """Initialise the children of a slot that is about to be written, if that is where it is to be done."""

    def reserve_below(self, slot: Slot, emit: Emitter) -> None:
        """Make room for the children of one more position."""

    def open_inserted(self, slot: Slot, emit: Emitter) -> Slot:
        """Let the children of a slot that may be new hold their first value, if there is more than one component."""
        if slot.level == len(self.levels) or slot.present is None:
            return slot
        # A child of a set or a map is added when it is written.
        is_added = any(level.workspace is not None for level in self.levels[slot.level :])
        if not is_added or self.flagged_below(slot.level - 1):
            branch = emit.insert(IfOp.of(slot.present, with_else=True))
            new = Emitter(branch.otherwise.block)
            self.clear_flags(slot.level - 1, slot.position, new)
            if not is_added:
                self.fill_below(slot.level - 1, slot.position, slot.blocks, new)
        return replace(slot, present=None)

    def insert_slot(self, emit: Emitter, parent: Slot, insert: Insertion, certain: bool, body: Body) -> None:
        """Emit the body that writes below a slot which `insert` adds: first, or where that is not certain, by need."""

        def add(emit: Emitter) -> Slot:
            outer = parent.reached(emit)
            position, present = insert(emit, outer.position)
            slot = replace(outer, level=parent.level + 1, position=position, present=present)
            self.reserve_below(slot, emit)
            return self.open_inserted(slot, emit)

        if certain:
            body(emit, add(emit))
            return
        added, written = emit.cell(emit.index(-1)), emit.cell(emit.constant(False, i1))

        def reach(emit: Emitter) -> Slot:
            branch = emit.insert(IfOp.of(emit.compare("slt", emit.get(added), emit.index(0))))
            inner = Emitter(branch.then.block)
            slot = add(inner)
            inner.set(slot.position, added)
            if slot.present is None:
                return replace(slot, position=emit.get(added))
            inner.set(slot.present, written)
            slot = replace(slot, position=emit.get(added), present=emit.get(written))
            emit.set(emit.constant(True, i1), written)
            return slot

        body(emit, replace(parent, level=parent.level + 1, pending=reach))

    def fill_below(self, level: int, position: SSAValue, blocks: Mapping[int, SSAValue], emit: Emitter) -> None:
        """Let components below a position of a level (-1 is the root) have the value that they start from; those in the
        padding of `blocks`, to which no loop goes, the fill value."""
        if not self.stores_values:
            return
        width = self.width(level, len(self.levels), emit)
        begin = emit.mul(position, width)
        end = emit.add(begin, width)
        if same_value(self.initial, fill_of(self.type)) or not self._has_padding(level):
            self.fill_values(begin, end, emit)
            return
        self.fill_values(begin, end, emit, fill_of(self.type))
        self._fill_extents(level + 1, position, blocks, emit)

    def _has_padding(self, level: int) -> bool:
        """Whether levels below one iterate over the offsets in blocks."""
        return any(below.expression.form == "mod" for below in self.format.levels[level + 1 :])

    def _fill_extents(self, level: int, parent: SSAValue, blocks: Mapping[int, SSAValue], emit: Emitter) -> None:
        """The same for those below a position of the level above that are within the extents of the tensor."""
        expression, extent = self.format.levels[level].expression, self.extent(level, emit)
        begin, size = emit.mul(parent, extent), extent
        if expression.form == "mod":
            whole = emit.insert(DimOp.of(self.tensor, expression.dimension)).result
            size = offsets_in_block(emit, whole, blocks[expression.dimension], extent)
        if not self._has_padding(level):
            width = self.width(level, len(self.levels), emit)
            self.fill_values(emit.mul(begin, width), emit.mul(emit.add(begin, size), width), emit)
            return
        loop = emit.insert(ForOp.of(emit.index(0), size))
        inner = Emitter(loop.body.block)
        inside = {expression.dimension: loop.induction} if expression.form == "floordiv" else {}
        self._fill_extents(level + 1, inner.add(begin, loop.induction), {**blocks, **inside}, inner)

    def fill_values(self, begin: SSAValue, end: SSAValue, emit: Emitter, value: Scalar | None = None) -> None:
        """Let components in a range of positions have a value: by default the one that they start from."""
        initial = emit.constant(self.initial if value is None else value, self.type.element_type)
        emit.insert(FillOp.of(initial, self.data("values", len(self.levels), emit), begin, end))

    def finish(self, emit: Emitter) -> None:
        """End the tensor, after all loops."""


Body = Callable[[Emitter, Slot], None]
# Adds a coordinate below a position; gives its own position, and whether it was there.
Insertion = Callable[[Emitter, SSAValue], tuple[SSAValue, SSAValue]]
