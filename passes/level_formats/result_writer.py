"""Assembles one result: positions of dense levels, appended coordinates, segment ends, memory (Kjolstad 2020, 5.4).

An entry is appended because of where the loops are, never because of its value, so that assembly can be repeated.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from xdsl.dialects.builtin import StringAttr, i1
from xdsl.ir import SSAValue

from irtensor.core.argument_layout import MISFIT, has_static_positions
from irtensor.core.operators import same_value
from irtensor.dialects.algebra.algebra import ApplyOp
from irtensor.dialects.algebra.scalar_types import constant_value
from irtensor.dialects.loop.loop import (
    AppendOp,
    AssembledOp,
    CounterOp,
    DataOp,
    FillOp,
    IfOp,
    RequireOp,
    ReserveOp,
)
from irtensor.dialects.loop.loop_types import held_type
from irtensor.dialects.storage.storage import ArrayOp, GrowableOp, ResultOp, ValuesOp, fill_of
from irtensor.passes.level_formats.interface import WrittenLevel
from irtensor.passes.level_formats.tensor_writer import Body, Slot, TensorWriter
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

    def begin_segment(self, emit: Emitter, writer: ResultWriter, level: int) -> None:
        """Entries of another parent come next."""

    def close(self, emit: Emitter, writer: ResultWriter, level: int, parent: SSAValue) -> None:
        """All entries of a parent are stored."""

    def finish(self, emit: Emitter, writer: ResultWriter, level: int) -> None:
        """After all loops: parents that were never reached have no entries (`writer.parent_count`)."""


class PlacedLevel(WrittenLevel):
    """A level of results whose positions follow from those of its parents; loops come to them in order.

    Each parent has the same positions whatever is stored. Where an entry does not fit into them, `writer.require` ends
    the kernel.
    """

    @abstractmethod
    def positions(self, emit: Emitter, writer: ResultWriter, level: int, parents: SSAValue) -> SSAValue:
        """How many positions so many parents have."""

    def begin(self, emit: Emitter, writer: ResultWriter, level: int) -> None:
        """Before all loops: require what has to hold for any entry to fit."""

    def clear(self, emit: Emitter, writer: ResultWriter, level: int, first: SSAValue, past: SSAValue) -> None:
        """Parents from `first` up to `past` have no entries so far."""

    def begin_segment(self, emit: Emitter, writer: ResultWriter, level: int) -> None:
        """Entries of another parent come next."""


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
        # Levels with room for all entries that the loop being built appends.
        self.roomy: frozenset[int] = frozenset()
        # Counters of blocks, of levels that put entries into these.
        self.blocks: dict[int, SSAValue] = {}
        # What levels keep about the parent whose entries are being stored: cells.
        self.of_segment: dict[int, tuple[SSAValue, ...]] = {}
        # Whether all entries have fitted so far: a cell, if some may not.
        self.fits: SSAValue | None = None
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
        below = self.made_below(level)
        for number in range(level + 1, len(self.levels) if below is None else below):
            for array in self.levels[number].properties.arrays:
                yield FilledArray(array.name, number, self.width(level, number + array.is_per_entry, emit), zero)
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
        before, self.roomy = (dict(self.held), self.roomy), self.roomy | {level}
        for array in self._arrays(level, emit):
            self.held[(array.name, array.level)] = self.data(array.name, array.level, emit)
        yield
        self.held, self.roomy = before

    def has_room(self, level: int) -> bool:
        """Whether there is room for the next entry of a level already."""
        return level in self.roomy

    def holds(self, level: int) -> bool:
        listed = self.levels[level].properties.entry_coordinates
        return self.appends(level) and listed is not None and (listed.name, level) in self.held

    # Assembly.

    def _prepare(self, emit: Emitter) -> None:
        zero = emit.index(0)
        for level in range(len(self.levels)):
            if self.appends(level) and self.counter(level) == level:
                self.counts[level] = emit.insert(CounterOp.of()).counter
                self.counts[level].name_hint = f"count{level}"
                self.arrays[level] = list(self._arrays(self._last_of(level), emit))
            if (code := self._ordered(level)) is not None:
                if isinstance(code, PlacedLevel) and self.fits is None:
                    self.fits = emit.cell(emit.constant(True, i1))
                    self.fits.name_hint = "fits"
                code.begin(emit, self, level)
        self._clear_below(-1, zero, None, emit)
        self.clear_flags(-1, zero, emit)
        if self.format.is_positional and not self.format.is_dense:
            self._fill_below(-1, zero, {}, emit)
        self.open_slot(Slot(self, 0, zero), emit)

    def _ordered(self, level: int) -> AppendedLevel | PlacedLevel | None:
        """The code of a level, if it is one to which loops come in order."""
        code = self.codes[level] if level < len(self.codes) else None
        return code if isinstance(code, AppendedLevel | PlacedLevel) else None

    def _appended(self, level: int) -> AppendedLevel | None:
        """The code of a level, if it is one whose entries are appended."""
        code = self._ordered(level)
        return code if isinstance(code, AppendedLevel) else None

    def placed_below(self, level: int) -> list[tuple[int, PlacedLevel]]:
        """The placed levels between `level` and the next one that adds slots as they are needed, with their code."""
        below = self.made_below(level)
        inner = range(level + 1, len(self.levels) if below is None else below)
        return [(number, code) for number in inner if isinstance(code := self._ordered(number), PlacedLevel)]

    def width(self, outer: int, inner: int, emit: Emitter) -> SSAValue:
        width = emit.index(1)
        for level in range(outer + 1, inner):
            code = self._ordered(level)
            if isinstance(code, PlacedLevel):
                width = code.positions(emit, self, level, width)
            else:
                width = emit.mul(width, self.extent(level, emit))
        return width

    def require(self, holds: SSAValue, emit: Emitter) -> None:
        """End the kernel, when all loops are done, if something does not hold of an entry."""
        assert self.fits is not None, "a level that entries may not fit into is placed"
        # By an operator of ours, which passes that divide loops know how to combine between parts.
        emit.set(emit.insert(ApplyOp.of(StringAttr("and"), (emit.get(self.fits), holds), i1)).result, self.fits)

    def count(self, level: int, emit: Emitter) -> SSAValue:
        """How many entries an appended level has by now."""
        return emit.count(self.counts[self.counter(level)])

    def next_position(self, level: int, emit: Emitter) -> SSAValue:
        """Where the next entry of an appended level goes."""
        return self.count(level, emit)

    def open_slot(self, slot: Slot, emit: Emitter) -> None:
        """Initialise the values below a slot of a dense result, if that is where it is to be done."""
        if (code := self._ordered(slot.level)) is not None:
            code.begin_segment(emit, self, slot.level)
        if self.format.is_dense and self.initialize and slot.level == self.fills_below:
            self.fill_below(slot.level - 1, slot.position, slot.blocks, emit)

    def open_entry(self, level: int, position: SSAValue, blocks: Mapping[int, SSAValue], emit: Emitter) -> None:
        """Initialise the children of a new entry of an appended level."""
        self._clear_below(level, position, None, emit)
        self.clear_flags(level, position, emit)
        below = self.made_below(level)
        if below is None:
            if self.accumulates or level + 1 < len(self.levels):
                self._fill_below(level, position, blocks, emit)
        elif below > level + 1:
            width = self.width(level, below, emit)
            first = emit.mul(position, width)
            if (code := self._appended(below)) is not None:
                code.open(emit, self, below, first, emit.add(first, width))

    def open_absent(self, level: int, first: SSAValue, past: SSAValue, emit: Emitter) -> None:
        """Let positions of an appended level, from `first` up to `past`, hold nothing but the fill value."""
        self._clear_below(level, first, past, emit)
        for flagged in self.flagged_below(level):
            width = self.width(level, flagged + 1, emit)
            flags = self.data("flags", flagged, emit)
            emit.insert(FillOp.of(emit.constant(False, i1), flags, emit.mul(first, width), emit.mul(past, width)))
        below = self.made_below(level)
        width = self.width(level, len(self.levels) if below is None else below, emit)
        begin, end = emit.mul(first, width), emit.mul(past, width)
        if below is not None:
            if (code := self._appended(below)) is not None:
                code.open(emit, self, below, begin, end)
        elif self.stores_values:
            self.fill_values(begin, end, emit, fill_of(self.type))

    def _clear_below(self, level: int, first: SSAValue, past: SSAValue | None, emit: Emitter) -> None:
        """Let placed levels have no entries below positions of a level from `first` up to `past`, or below the first
        alone."""
        for number, code in self.placed_below(level):
            width = self.width(level, number, emit)
            begin = emit.mul(first, width)
            code.clear(emit, self, number, begin, emit.add(begin, width) if past is None else emit.mul(past, width))

    def starts_with_entries(self, level: int) -> bool:
        """Whether components below an entry of a placed level start from another value than the fill value, which all
        others have."""
        if same_value(self.initial, fill_of(self.type)) or not self.stores_values:
            return False
        inner = self.made_below(level) is not None or self.placed_below(level)
        return not inner and (self.accumulates or level + 1 < len(self.levels))

    def _fill_below(self, level: int, position: SSAValue, blocks: Mapping[int, SSAValue], emit: Emitter) -> None:
        """Let components below a position have the value that they start from, or where placed levels let them start
        with each entry, the fill value."""
        if not self.placed_below(level):
            self.fill_below(level, position, blocks, emit)
        elif self.stores_values:
            width = self.width(level, len(self.levels), emit)
            begin = emit.mul(position, width)
            self.fill_values(begin, emit.add(begin, width), emit, fill_of(self.type))

    def add_entry(
        self,
        parent: Slot,
        position: SSAValue,
        coordinates: tuple[SSAValue, ...],
        certain: bool,
        body: Body,
        emit: Emitter,
        others: Mapping[str, SSAValue] = MappingProxyType({}),
        ahead: SSAValue | None = None,
    ) -> Emitter:
        """Write below a new entry, then append it: if something was appended or written below it, or always if that is
        `certain`.

        `coordinates` are those of the entry from some level to this one, `others` what its further arrays hold. As many
        positions as `ahead` says become part of the result before it. Gives the block in which more may be done for the
        entry.
        """
        level = parent.level
        self.open_entry(level, position, parent.blocks, emit)
        below = self.made_below(level)
        before = None if below is None else self.count(below, emit)
        dirty = None if certain or below is not None else emit.cell(emit.constant(False, i1))
        slot = Slot(self, level + 1, position, (), dirty, blocks=parent.blocks)
        body(emit, slot)
        return self.commit(replace(slot, marks=parent.marks), level, coordinates, before, emit, others, ahead)

    def commit(
        self,
        slot: Slot,
        level: int,
        coordinates: tuple[SSAValue, ...],
        before: SSAValue | None,
        emit: Emitter,
        others: Mapping[str, SSAValue],
        ahead: SSAValue | None,
    ) -> Emitter:
        """Append an entry at `slot.position`, below which everything is written; see `add_entry`."""
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
        if ahead is not None:
            entries = emit.mul(entries, emit.add(ahead, emit.index(1)))
        emit.insert(AppendOp.of(entries, self.counts[self.counter(level)]))
        return emit

    def close_segment(self, level: int, position: SSAValue, emit: Emitter) -> None:
        """Record where the segment below a position of `level` ends (-1 is the root)."""
        if (code := self._appended(level + 1)) is not None:
            code.close(emit, self, level + 1, position)

    def finish(self, emit: Emitter) -> None:
        """Close the outermost segment, fill holes of skipped parents, and record the sizes."""
        self.close_segment(-1, emit.index(0), emit)
        if self.fits is not None:
            emit.insert(RequireOp.of(emit.get(self.fits), MISFIT))
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
        if not has_static_positions(self.format, level):
            return not self.appends(level - 1)
        return self.may_skip or any(isinstance(self._ordered(outer), PlacedLevel) for outer in range(level))

    def parent_count(self, level: int, emit: Emitter) -> SSAValue:
        """How many positions the level above an appended one has when all loops are done."""
        outer = next((number for number in reversed(range(level)) if self.appends(number)), None)
        entries = emit.index(1) if outer is None else self._entries(outer, emit)
        return emit.mul(entries, self.width(-1 if outer is None else outer, level, emit))

    def _entries(self, level: int, emit: Emitter) -> SSAValue:
        """How many entries an appended level has when all loops are done."""
        return self.count(level, emit)


def result_writer_of(slot: Slot) -> ResultWriter:
    """The writer of a slot of a result."""
    assert isinstance(slot.writer, ResultWriter), "workspaces are written in any order"
    return slot.writer
