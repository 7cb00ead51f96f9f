"""Assembles one result: positions of dense levels, appended coordinates, segment ends, memory (Kjolstad 2020, 5.4).

An entry is appended because of where the loops are, never because of its value, so that assembly can be repeated.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import NamedTuple

from xdsl.ir import SSAValue

from irtensor.core.argument_layout import has_static_positions
from irtensor.dialects.algebra.scalar_types import constant_value
from irtensor.dialects.loop.loop import (
    AppendOp,
    AssembledOp,
    CounterOp,
    DataOp,
    FillOp,
    IfOp,
    ReserveOp,
)
from irtensor.dialects.loop.loop_types import held_type
from irtensor.dialects.storage.storage import ArrayOp, GrowableOp, ResultOp, ValuesOp
from irtensor.passes.level_formats.interface import WrittenLevel
from irtensor.passes.level_formats.tensor_writer import Slot, TensorWriter
from irtensor.passes.support.emit import Emitter


class AppendedLevel(WrittenLevel):
    """A level of results whose entries are stored one after the other, in the order in which loops come to them.

    The writer counts the entries (`writer.counts`) and gives them room in the arrays with an element per entry; what
    those with an element per parent hold is for the level to say. A parent is a position of the level above.
    """

    def begin(self, emit: Emitter, writer: ResultWriter, level: int) -> None:
        """Before all loops: make ready the arrays with an element per parent."""

    def open(self, emit: Emitter, writer: ResultWriter, level: int, first: SSAValue, past: SSAValue) -> None:
        """Parents from `first` up to `past` are new, and some may never be closed: they have no entries."""

    def close(self, emit: Emitter, writer: ResultWriter, level: int, parent: SSAValue) -> None:
        """All entries of a parent are stored."""

    def finish(self, emit: Emitter, writer: ResultWriter, level: int) -> None:
        """After all loops: parents that were never reached have no entries (`writer.parent_count`)."""


class FilledArray(NamedTuple):
    """An array that entries of a level fill: so many elements each, after those that are there without entries."""

    name: str
    level: int
    width: SSAValue
    first: SSAValue

    def size(self, count: SSAValue, emit: Emitter) -> SSAValue:
        """How long it is with so many entries."""
        return emit.add(emit.mul(count, self.width), self.first)


class ResultWriter(TensorWriter):
    """State of one result while the loops that compute it are lowered."""

    def __init__(
        self,
        result: ResultOp,
        emit: Emitter,
        codes: Sequence[WrittenLevel],
        *,
        visits_all: bool,
        accumulates: bool,
        fills_below: int = 0,
    ):
        """`codes` are those of the levels; `fills_below`: how many levels are visited in full before their values have
        to be initialised."""
        super().__init__(result.result)
        self.codes = codes
        self.initialize = result.initialize is not None
        self.is_counted = result.counted is not None
        self.accumulates = accumulates
        if result.initial is not None:
            initial = constant_value(result.initial)
            assert initial is not None
            self.initial = initial
        self.may_skip = self.initialize or not visits_all
        # How many entries each appended level has: its counter.
        self.counts: dict[int, SSAValue] = {}
        # The arrays of each, beside those whose lengths follow from its level.
        self.arrays: dict[int, list[FilledArray]] = {}
        self.held: dict[tuple[str, int], SSAValue] = {}
        self.fills_below = fills_below
        self._prepare(emit)

    # What the levels are.

    def adds_slots(self, level: int) -> bool:
        return self.appends(level)

    def counter(self, level: int) -> int:
        """The level whose counter numbers the entries of `level`: entries of branchless levels have their parent's."""
        while self.levels[level].pattern.branchless:
            level -= 1
        return level

    # Memory.

    def reserve(self, level: int, count: SSAValue, emit: Emitter) -> None:
        """Make room for `count` entries of an appended level in all arrays that they fill."""
        for array in self._arrays(level, emit):
            emit.insert(ReserveOp.of(self.growable(array.name, array.level, emit), array.size(count, emit)))

    def _arrays(self, level: int, emit: Emitter) -> Iterator[FilledArray]:
        zero, one = emit.index(0), emit.index(1)
        first = self.counter(level)
        for number in reversed(range(first, level + 1)):
            for array in self.levels[number].properties.arrays:
                if array.is_per_entry:
                    yield FilledArray(array.name, number, one, zero)
        for flagged in self.flagged_below(level):
            yield FilledArray("flags", flagged, self.width(level, flagged + 1, emit), zero)
        below = self.made_below(level)
        if below is None:
            if self.stores_values:
                yield FilledArray("values", len(self.levels), self.width(level, len(self.levels), emit), zero)
            return
        for array in self.levels[below].properties.arrays:
            if array.length in ("parents", "segments"):
                extra = one if array.length == "segments" else zero
                yield FilledArray(array.name, below, self.width(level, below, emit), extra)

    def growable(self, array: str, level: int, emit: Emitter) -> SSAValue:
        return emit.insert(GrowableOp.of(self.tensor, array, level)).result

    def data(self, array: str, level: int, emit: Emitter) -> SSAValue:
        """The present storage of an array; of growable ones, the one held by an enclosing loop."""
        if (array, level) in self.held:
            return self.held[(array, level)]
        if array == "values":
            if self.format.is_positional:
                return emit.insert(ValuesOp.of(self.tensor)).result
        elif self._is_static(array, level):
            return emit.insert(ArrayOp.of(self.tensor, array, level)).result
        return emit.insert(DataOp.of(self.growable(array, level, emit))).buffer

    def clear(self, array: str, level: int, count: SSAValue, emit: Emitter) -> None:
        """Let the first `count` elements of an array of positions be 0."""
        data, zero = self.data(array, level, emit), emit.index(0)
        emit.insert(FillOp.of(emit.narrow(zero, held_type(data)), data, zero, count))

    def _is_static(self, name: str, level: int) -> bool:
        """Whether the length of an array follows from the extents."""
        array = self.levels[level].properties.array(name)
        return array is not None and has_static_positions(self.format, array.known_levels(level))

    @contextmanager
    def room_for(self, level: int, bound: SSAValue, emit: Emitter) -> Generator[None]:
        """Reserve once for a loop that appends at most `bound` entries, and hold the arrays meanwhile."""
        self.reserve(level, emit.add(self.count(level, emit), bound), emit)
        before = dict(self.held)
        for array in self._arrays(level, emit):
            self.held[(array.name, array.level)] = self.data(array.name, array.level, emit)
        yield
        self.held = before

    def holds(self, level: int) -> bool:
        listed = self.levels[level].properties.entry_coordinates
        return listed is not None and (listed.name, level) in self.held

    # Assembly.

    def _prepare(self, emit: Emitter) -> None:
        zero = emit.index(0)
        for level in range(len(self.levels)):
            if self.appends(level) and self.counter(level) == level:
                self.counts[level] = emit.insert(CounterOp.of()).counter
                self.counts[level].name_hint = f"count{level}"
                self.arrays[level] = list(self._arrays(self._last_of(level), emit))
                if (code := self._appended(level)) is not None:
                    code.begin(emit, self, level)
        self.clear_flags(-1, zero, emit)
        if self.format.is_positional and not self.format.is_dense:
            self.fill_below(-1, zero, {}, emit)
        self.open_slot(Slot(self, 0, zero), emit)

    def _appended(self, level: int) -> AppendedLevel | None:
        """The code of a level, if it is one whose entries are appended."""
        code = self.codes[level] if level < len(self.codes) else None
        return code if isinstance(code, AppendedLevel) else None

    def count(self, level: int, emit: Emitter) -> SSAValue:
        """How many entries an appended level has by now."""
        return emit.count(self.counts[self.counter(level)])

    def next_position(self, level: int, emit: Emitter) -> SSAValue:
        """Where the next entry of an appended level goes."""
        return self.count(level, emit)

    def open_slot(self, slot: Slot, emit: Emitter) -> None:
        """Initialise the values below a slot of a dense result, if that is where it is to be done."""
        if self.format.is_dense and self.initialize and slot.level == self.fills_below:
            self.fill_below(slot.level - 1, slot.position, slot.blocks, emit)

    def open_entry(self, level: int, position: SSAValue, blocks: Mapping[int, SSAValue], emit: Emitter) -> None:
        """Initialise the children of a new entry of an appended level."""
        self.clear_flags(level, position, emit)
        below = self.made_below(level)
        if below is None:
            if self.accumulates or level + 1 < len(self.levels):
                self.fill_below(level, position, blocks, emit)
        elif below > level + 1:
            width = self.width(level, below, emit)
            first = emit.mul(position, width)
            if (code := self._appended(below)) is not None:
                code.open(emit, self, below, first, emit.add(first, width))

    def commit(
        self,
        slot: Slot,
        level: int,
        coordinates: tuple[SSAValue, ...],
        before: SSAValue | None,
        emit: Emitter,
        others: Mapping[str, SSAValue] = MappingProxyType({}),
    ) -> None:
        """Append an entry at `slot.position`: always, or if something was appended or written below it.

        `coordinates` are those of the entry from some level to this one, `others` what its further arrays hold.
        """
        below = self.made_below(level)
        if below is not None and before is not None:
            condition = emit.compare("sgt", self.count(below, emit), before)
            branch = emit.insert(IfOp.of(condition))
            emit = Emitter(branch.then.block)
        elif slot.dirty is not None:
            branch = emit.insert(IfOp.of(emit.get(slot.dirty)))
            emit = Emitter(branch.then.block)
        slot.mark(emit)
        first = level - len(coordinates) + 1
        for number, coordinate in enumerate(coordinates, first):
            listed = self.levels[number].properties.entry_coordinates
            assert listed is not None, "a level whose entries are appended lists coordinates"
            emit.store_index(coordinate, self.data(listed.name, number, emit), slot.position)
        for name, value in others.items():
            emit.store_index(value, self.data(name, level, emit), slot.position)
        if below is not None:
            self.close_segment(level, slot.position, emit)
        entries = emit.index(1) if self.predicate is None else emit.to_index(self.predicate)
        emit.insert(AppendOp.of(entries, self.counts[self.counter(level)]))

    def close_segment(self, level: int, position: SSAValue, emit: Emitter) -> None:
        """Record where the segment below a position of `level` ends (-1 is the root)."""
        if (code := self._appended(level + 1)) is not None:
            code.close(emit, self, level + 1, position)

    def finish(self, emit: Emitter) -> None:
        """Close the outermost segment, fill holes of skipped parents, and record the sizes."""
        self.close_segment(-1, emit.index(0), emit)
        for level, counter in self.counts.items():
            if (code := self._appended(level)) is not None:
                code.finish(emit, self, level)
            for array in self.arrays[level]:
                growable = self.growable(array.name, array.level, emit)
                emit.insert(AssembledOp.of(growable, counter, array.width, array.first))

    def _last_of(self, level: int) -> int:
        """The innermost level whose entries are those of a level."""
        while level + 1 < len(self.levels) and self.levels[level + 1].pattern.branchless:
            level += 1
        return level

    def leaves_holes(self, level: int) -> bool:
        """Whether loops may never close some parents of an appended level."""
        if level == 0:
            return False
        return self.may_skip if has_static_positions(self.format, level) else not self.appends(level - 1)

    def parent_count(self, level: int, emit: Emitter) -> SSAValue:
        """How many positions the level above an appended one has when all loops are done."""
        outer = next((number for number in reversed(range(level)) if self.appends(number)), None)
        entries = emit.index(1) if outer is None else self._entries(outer, emit)
        return emit.mul(entries, self.width(-1 if outer is None else outer, level, emit))

    def _entries(self, level: int, emit: Emitter) -> SSAValue:
        """How many entries an appended level has when all loops are done."""
        return self.count(level, emit)
