"""What writing into a tensor needs to know: where a component is, and the arrays it goes to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import TensorType, i1
from xdsl.ir import Attribute, SSAValue

from irtensor.dialects.loop import FillOp, IfOp, StoreOp
from irtensor.dialects.operators import Scalar
from irtensor.dialects.storage import fill_of, format_of
from irtensor.dialects.tensor_format import LevelFormat
from irtensor.passes.emit import Emitter
from irtensor.passes.level_formats.level_extent import level_extent


@dataclass(frozen=True)
class Slot:
    """A place in a result: `level` levels are resolved, the position in the last of them is `position`."""

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
    """Adds the place where something is written below it, which is not certain yet, and gives its slot."""
    marks: tuple[tuple[int, SSAValue], ...] = ()
    """Levels and positions above that are flagged as stored as soon as something is written below them."""

    def reached(self, emit: Emitter) -> Slot:
        """The slot where something is about to be written."""
        return self if self.pending is None else self.pending(emit)

    def mark(self, emit: Emitter) -> Slot:
        """Flag what is above a place that is written to; gives the place without that duty."""
        for level, position in self.marks:
            self.writer.flag(level, position, emit)
        return replace(self, marks=())


class TensorWriter(ABC):
    """A tensor while the loops that compute it are lowered."""

    stores_values = True

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

    def appends(self, level: int) -> bool:
        return not self.levels[level].properties.inserts

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

    def open_place(self, slot: Slot, emit: Emitter) -> None:
        """Initialise what lies below a place that is about to be written, if that is where it is to be done."""

    def reserve_below(self, slot: Slot, emit: Emitter) -> None:
        """Make room for what lies below a position that is one more than there was."""

    def open_inserted(self, slot: Slot, emit: Emitter) -> Slot:
        """Let what lies below a place that may be new hold its first value, if there is more than one component."""
        if slot.level == len(self.levels) or slot.present is None:
            return slot
        if any(level.properties.workspace_only for level in self.levels[slot.level :]):
            # It is added when it is written.
            return replace(slot, present=None)
        branch = emit.insert(IfOp.of(slot.present, with_else=True))
        inner = Emitter(branch.otherwise.block)
        width = self.width(slot.level - 1, len(self.levels), inner)
        begin = inner.mul(slot.position, width)
        self.fill_values(begin, inner.add(begin, width), inner)
        return replace(slot, present=None)

    def place_inserted(self, emit: Emitter, parent: Slot, insert: Insertion, certain: bool, body: Body) -> None:
        """Emit the body that writes below a place which `insert` adds: first, or where that is not certain, by need."""

        def add(emit: Emitter) -> Slot:
            outer = parent.reached(emit)
            position, present = insert(emit, outer.position)
            slot = replace(outer, level=parent.level + 1, position=position, present=present)
            self.reserve_below(slot, emit)
            return self.open_inserted(slot, emit)

        if certain:
            body(emit, add(emit))
            return
        place, written = emit.cell(emit.index(-1)), emit.cell(emit.constant(False, i1))

        def reach(emit: Emitter) -> Slot:
            branch = emit.insert(IfOp.of(emit.compare("slt", emit.get(place), emit.index(0))))
            inner = Emitter(branch.then.block)
            slot = add(inner)
            inner.set(slot.position, place)
            if slot.present is None:
                return replace(slot, position=emit.get(place))
            inner.set(slot.present, written)
            slot = replace(slot, position=emit.get(place), present=emit.get(written))
            emit.set(emit.constant(True, i1), written)
            return slot

        body(emit, replace(parent, level=parent.level + 1, pending=reach))

    def fill_values(self, begin: SSAValue, end: SSAValue, emit: Emitter) -> None:
        """Let components in a range of positions have the value that they start from."""
        initial = emit.constant(self.initial, self.type.element_type)
        emit.insert(FillOp.of(initial, self.data("values", len(self.levels), emit), begin, end))

    def finish(self, emit: Emitter) -> None:
        """End the tensor, after all loops."""


Body = Callable[[Emitter, Slot], None]
# Adds a coordinate below a position; gives its own position, and whether it was there.
Insertion = Callable[[Emitter, SSAValue], tuple[SSAValue, SSAValue]]
