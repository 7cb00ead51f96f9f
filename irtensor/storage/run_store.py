"""Levels of runs: positions that stand for the coordinates from where a run begins up to where it ends."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from irtensor.core.tensor_format import TensorFormat
from irtensor.storage.element_types import fill_element
from irtensor.storage.level_storage import Array, LevelStorage
from irtensor.storage.level_store import Climbed, LevelStore
from irtensor.storage.packed_runs import Runs
from irtensor.storage.packing import Packing
from irtensor.storage.sort_coordinates import distinct_starts


class RunStore(LevelStore):
    """Runs of consecutive coordinates with the same child; `positions` delimit those of each parent."""

    @abstractmethod
    def begins(self, level: LevelStorage) -> Array:
        """The first coordinate of each run."""

    @abstractmethod
    def level_of(self, runs: Runs) -> tuple[LevelStorage, Array, int]:
        """A level that stores runs; the positions of these in it, and how many there are."""

    def lengths(self, level: LevelStorage) -> Array:
        return level.array("coordinates").astype(np.int64) - self.begins(level)

    def runs_of(self, level: LevelStorage, format: TensorFormat, number: int, extent: int) -> Runs:
        """The runs of a level."""
        positions, ends = level.array("positions"), level.array("coordinates").astype(np.int64)
        owners = np.repeat(np.arange(positions.size - 1), np.diff(positions))
        return Runs(format, number, extent, positions.size - 1, owners, self.begins(level).astype(np.int64), ends)

    def pack(self, entries: Packing, number: int) -> LevelStorage:
        """Neighbours with equal values are one run of an innermost level; others have a run for each coordinate."""
        parent = np.arange(entries.entries) if entries.parent is None else entries.parent.astype(np.int64, copy=False)
        key, innermost = entries.keys[number].astype(np.int64, copy=False), number + 1 == len(entries.format.levels)
        each = Runs(entries.format, number, entries.extents[number], entries.count, parent, key, key + 1)
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
        positions, ends = level.array("positions"), level.array("coordinates")
        owners = np.repeat(np.arange(positions.size - 1), np.diff(positions))
        here = np.arange(ends.size) if position is None else position
        begins, lengths = self.begins(level).astype(np.int64)[here], self.lengths(level)[here]
        before = np.cumsum(lengths) - lengths
        spread = np.repeat(np.arange(here.size), lengths)
        coordinates = np.arange(spread.size) + np.repeat(begins - before, lengths)
        return Climbed(coordinates, owners[here][spread], positions.size - 1, spread)
