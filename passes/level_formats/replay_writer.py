"""Writes the values of a result whose index exists: every append is repeated, and compared with the stored index.

Appends are structural, so on the operands that the index was assembled from they come out the same. On others the
function ends with a status of its own, and nothing was written outside the arrays: an entry goes to the position that
it is counted to, or to the one behind the last, for which the values have room, if its parent has no more entries.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import reduce
from typing import NamedTuple

from xdsl.dialects.builtin import StringAttr, UnitAttr, i1, i64
from xdsl.ir import SSAValue

from irtensor.core.argument_layout import INDEX_MISMATCH
from irtensor.dialects.algebra.algebra import ApplyOp
from irtensor.dialects.loop.loop import SPECULATABLE, LoadOp, RequireOp
from irtensor.dialects.storage.storage import ArrayOp, ValuesOp
from irtensor.passes.analysis.replayed_levels import levels_found_by_segment
from irtensor.passes.level_formats.result_writer import ResultWriter
from irtensor.passes.level_formats.tensor_writer import Slot
from irtensor.passes.support.emit import Emitter


class Walk(NamedTuple):
    """A loop along the entries that a level stores; a workspace has to hold each of them as well."""

    position: SSAValue
    remove: Callable[[SSAValue, Emitter], SSAValue]
    """Takes a coordinate out of the workspace, and gives whether it was there."""


class ReplayWriter(ResultWriter):
    """State of a result whose values are computed."""

    def _prepare(self, emit: Emitter) -> None:
        # Of levels whose entries the loop that is being built iterates over.
        self.walks: dict[int, Walk] = {}
        self.agrees = self._agreement(emit)
        # Saved flags of the enclosing entries; a tentative entry has its own flag until it is committed.
        self.around: list[SSAValue] = []
        # How many entries each appended level stores, and how many parents it has.
        self.stored: dict[int, SSAValue] = {}
        self.parents: dict[int, SSAValue] = {}
        # Of levels whose segments are found without counting the entries before, where the entries of the open parent
        # end.
        self.found = levels_found_by_segment(self.format)
        self.ends: dict[int, SSAValue] = {}
        # How many entries were in the segments that were visited, of those of them with other parents than entries.
        # Iterations of a loop that visit different segments then depend on nothing but sums.
        self.visited: dict[int, SSAValue] = {}
        zero = emit.index(0)
        for level in range(len(self.levels)):
            if self.appends(level) and self.counter(level) == level:
                self.counts[level] = emit.cell(zero)
                self.counts[level].name_hint = f"count{level}"
                self.parents[level] = self.parent_count(level, emit)
                self.stored[level] = emit.load_index(self.data("positions", level, emit), self.parents[level])
                if level in self.found and not any(map(self.appends, range(level))):
                    self.visited[level] = emit.cell(emit.constant(0, i64))
        if self.format.is_positional and not self.format.is_dense:
            self.fill_below(-1, zero, {}, emit)
        self.open_slot(Slot(self, 0, zero), emit)

    def _entries(self, level: int, emit: Emitter) -> SSAValue:
        return self.stored[self.counter(level)]

    @property
    def is_provisional(self) -> bool:
        # Entries with one value go to the position that they are counted to, unless a loop iterates over stored
        # entries.
        last = len(self.levels) - 1
        return last >= 0 and self.appends(last) and not self.walks

    # Memory: all of it is there.

    def reserve(self, level: int, count: SSAValue, emit: Emitter) -> None:
        pass

    def data(self, array: str, level: int, emit: Emitter) -> SSAValue:
        if array == "values":
            return emit.insert(ValuesOp.of(self.tensor)).result
        return emit.insert(ArrayOp.of(self.tensor, array, level)).result

    @contextmanager
    def room_for(self, level: int, bound: SSAValue, emit: Emitter) -> Generator[None]:
        yield

    def holds(self, level: int) -> bool:
        return True

    def has_room(self, level: int) -> bool:
        return True

    # Replay.

    def next_entries(self, level: int, count: SSAValue, emit: Emitter) -> tuple[SSAValue, SSAValue]:
        """Where the next so many stored entries of a level begin and end; where fewer are left, with the last."""
        begin, stored = self.next_position(level, emit), self.stored[self.counter(level)]
        return begin, emit.min(emit.add(begin, count), stored)

    def count_walked(self, level: int, count: SSAValue, emit: Emitter) -> None:
        """Count the entries that a workspace has given, be they stored or not."""
        counter = self.counts[self.counter(level)]
        emit.set(emit.add(emit.get(counter), count), counter)

    def count(self, level: int, emit: Emitter) -> SSAValue:
        # A number that is compared, and also set to the stored number: nothing is appended.
        return emit.get(self.counts[self.counter(level)])

    def next_position(self, level: int, emit: Emitter) -> SSAValue:
        if level in self.walks:
            return self.walks[level].position
        counter, position = self.counter(level), super().next_position(level, emit)
        if counter not in self.ends:
            return emit.min(position, self.stored[counter])
        # An entry begun behind a parent's entries is dropped. Those of the next may be there by then.
        is_entry = emit.compare("slt", position, self.ends[counter])
        return emit.select(is_entry, position, self.stored[counter])

    def clear_flags(self, level: int, position: SSAValue, emit: Emitter) -> None:
        """They are there."""

    def flag(self, level: int, position: SSAValue, emit: Emitter) -> None:
        last = emit.sub(self.parent_count(level + 1, emit), emit.index(1))
        nearest = emit.max(emit.min(position, last), emit.index(0))
        stored = emit.load(self.data("flags", level, emit), nearest)
        if self.predicate is not None:
            stored = emit.either(stored, emit.compare("eq", emit.to_index(self.predicate), emit.index(0)))
        self._agree(stored, emit)

    def open_slot(self, slot: Slot, emit: Emitter) -> None:
        """Entries appended so far have to be those stored before the slot, or are taken to be them."""
        if slot.level in self.found and slot.level in self.counts:
            emit.set(self._end(slot.level, slot.position, emit), self.counts[slot.level])
            self.ends[slot.level] = self._end(slot.level, emit.add(slot.position, emit.index(1)), emit)
        elif slot.level < len(self.levels) and self.levels[slot.level].properties.has_positions:
            self._compare_end(slot.level, slot.position, emit)

    def open_entry(self, level: int, position: SSAValue, blocks: Mapping[int, SSAValue], emit: Emitter) -> None:
        if self.made_below(level) is None:
            super().open_entry(level, position, blocks, emit)
        else:
            self.around.append(self.agrees)
            self.agrees = self._agreement(emit)

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
        below, same = self.made_below(level), list[SSAValue]()
        if below is not None:
            self.close_segment(level, slot.position, emit)
            same.append(emit.get(self.agrees))
            self.agrees = self.around.pop()
        walk = self.walks.get(level)
        position = slot.position
        if walk is None:
            last = emit.max(emit.sub(self.stored[self.counter(level)], emit.index(1)), emit.index(0))
            position = emit.min(position, last)
        for number, coordinate in enumerate(coordinates, level - len(coordinates) + 1):
            if walk is not None and number == level:
                same.append(walk.remove(coordinate, emit))
                continue
            same.append(self._is_stored("coordinates", number, position, coordinate, emit))
        same += [self._is_stored(name, level, position, value, emit) for name, value in others.items()]
        matches = reduce(emit.both, same)
        if walk is not None:
            self._agree(matches, emit)
            return emit
        # A comparison for an entry that is dropped says nothing.
        conditions, yes = list(self._conditions(slot, below, before, emit)), emit.constant(True, i1)
        self._agree(reduce(lambda same, condition: emit.select(condition, same, yes), conditions, matches), emit)
        counter = self.counts[self.counter(level)]
        step = emit.index(1)
        for condition in conditions:
            step = emit.select(condition, step, emit.index(0))
        emit.set(emit.add(emit.get(counter), step), counter)
        return emit

    def _is_stored(self, array: str, level: int, position: SSAValue, value: SSAValue, emit: Emitter) -> SSAValue:
        """Whether an array has a value at a position."""
        load = emit.insert(LoadOp.of(self.data(array, level, emit), position))
        # One of those that are stored, or the first of none, which can be read as well.
        load.attributes[SPECULATABLE] = UnitAttr()
        return emit.compare("eq", emit.to_index(load.value), value)

    def _conditions(self, slot: Slot, below: int | None, before: SSAValue | None, emit: Emitter) -> Generator[SSAValue]:
        """Under which conditions the entry is one."""
        if below is not None and before is not None:
            begin = self._end(below, slot.position, emit) if below in self.found else before
            yield emit.compare("sgt", emit.get(self.counts[self.counter(below)]), begin)
        elif slot.dirty is not None:
            yield emit.get(slot.dirty)
        if self.predicate is not None:
            yield self.predicate

    def close_segment(self, level: int, position: SSAValue, emit: Emitter) -> None:
        below = level + 1
        if below < len(self.levels) and self.levels[below].properties.has_positions:
            end = self._compare_end(below, emit.add(position, emit.index(1)), emit)
            if below in self.visited:
                entries = emit.sub(end, self._end(below, position, emit))
                self._combine("add", self.visited[below], emit.narrow(entries, i64), emit)

    def _end(self, level: int, parent: SSAValue, emit: Emitter) -> SSAValue:
        """How many entries of a level are stored before those of a parent."""
        return emit.load_index(self.data("positions", level, emit), emit.min(parent, self.parents[level]))

    def _compare_end(self, level: int, parent: SSAValue, emit: Emitter) -> SSAValue:
        """Appended entries have to be those stored before the entries of a parent; gives their number."""
        end = self._end(level, parent, emit)
        self._agree(emit.compare("eq", end, emit.get(self.counts[level])), emit)
        return end

    def _agreement(self, emit: Emitter) -> SSAValue:
        """A cell that says whether everything so far is as the index says."""
        agrees = emit.cell(emit.constant(True, i1))
        agrees.name_hint = "agrees"
        return agrees

    def _agree(self, condition: SSAValue, emit: Emitter) -> None:
        self._combine("and", self.agrees, condition, emit)

    def _combine(self, operator: str, cell: SSAValue, value: SSAValue, emit: Emitter) -> None:
        """By an operator of ours, which passes that divide loops know how to combine between parts."""
        emit.set(emit.insert(ApplyOp.of(StringAttr(operator), (emit.get(cell), value), value.type)).result, cell)

    def finish(self, emit: Emitter) -> None:
        agrees = emit.get(self.agrees)
        for level, count in self.counts.items():
            if level in self.found and level not in self.visited:
                continue  # each was found by an entry
            found = emit.to_index(emit.get(self.visited[level])) if level in self.visited else emit.get(count)
            agrees = emit.both(agrees, emit.compare("eq", found, self.stored[level]))
        emit.insert(RequireOp.of(agrees, INDEX_MISMATCH))
