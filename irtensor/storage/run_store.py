"""Levels of runs: positions that stand for the coordinates from where a run begins up to where it ends."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from irtensor.core.tensor_format import TensorFormat
from irtensor.storage.element_types import fill_element
from irtensor.storage.level_storage import Array, LevelStorage
from irtensor.storage.level_store import Climbed, LevelStore
from irtensor.storage.listed_ranges import listed_ranges, numbers_of_segments
from irtensor.storage.packed_runs import Misfit, Runs
from irtensor.storage.packing import Packing
from irtensor.storage.sort_coordinates import distinct_starts


class PieceStore(LevelStore):
    """A level whose positions are runs of consecutive coordinates with the same child, some of them maybe empty."""

    @abstractmethod
    def runs_of(self, level: LevelStorage, format: TensorFormat, number: int, extent: int) -> Runs:
        """The run at each position of a level."""

    @abstractmethod
    def level_of(self, runs: Runs) -> tuple[LevelStorage, Array, int]:
        """A level that stores runs; the positions of these in it, and how many there are."""

    def misfit(self, runs: Runs) -> Misfit | None:
        """A run that the level does not store beside the others, if there is one. Runs that touch are not equal."""
        return None


class RunStore(PieceStore):
    """Runs of consecutive coordinates with the same child; `positions` delimit those of each parent."""

    @abstractmethod
    def begins(self, level: LevelStorage) -> Array:
        """The first coordinate of each run."""

    @abstractmethod
    def of_arrays(self, positions: Array, begins: Array, ends: Array) -> LevelStorage:
        """The level of runs from `begins` to `ends`; those of each parent begin at its position."""

    def lengths(self, level: LevelStorage) -> Array:
        return level.array("coordinates").astype(np.int64) - self.begins(level)

    def runs_of(self, level: LevelStorage, format: TensorFormat, number: int, extent: int) -> Runs:
        begins, ends = (array.astype(np.int64) for array in (self.begins(level), level.array("coordinates")))
        return Runs(format, number, extent, level.array("positions").size - 1, self._owners(level), begins, ends)

    def pack(self, entries: Packing, number: int) -> LevelStorage:
        """Neighbours with equal values are one run of an innermost level; others have a run for each coordinate."""
        key, innermost = entries.keys[number].astype(np.int64, copy=False), number + 1 == len(entries.format.levels)
        each = Runs(entries.format, number, entries.extents[number], entries.count, entries.parents, key, key + 1)
        if innermost:
            starts = each.starts_of_equal(entries.values)
        else:
            starts = np.flatnonzero(distinct_starts(entries.keys[: number + 1]))
        level, at, count = self.level_of(each.joined(starts) if innermost else each.selected(starts))
        if innermost:
            values = np.full(count, fill_element(entries.format, entries.values.dtype), entries.values.dtype)
            values[at] = entries.values[starts]
            entries.values, entries.parent = values, None
        else:
            entries.parent = np.repeat(at, np.diff(starts, append=entries.entries))
        entries.count = count
        return level

    def used(self, level: LevelStorage, extent: int, above: Array | None) -> Array | None:
        return None if above is None else np.repeat(above, np.diff(level.array("positions")))

    def climb(self, level: LevelStorage, position: Array | None, count: int, extent: int) -> Climbed:
        begins, lengths, owners = self.begins(level).astype(np.int64), self.lengths(level), self._owners(level)
        if position is not None:
            begins, lengths, owners = begins[position], lengths[position], owners[position]
        coordinates, spread = listed_ranges(begins, lengths)
        return Climbed(coordinates, owners[spread], level.array("positions").size - 1, spread)

    def _owners(self, level: LevelStorage) -> Array:
        """The parent of each run."""
        return numbers_of_segments(level.array("positions"))
