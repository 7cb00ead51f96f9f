"""The arrays of runs."""

import numpy as np

from irtensor.storage.element_types import fill_element
from irtensor.storage.index_overflow import check_position_width
from irtensor.storage.level_storage import Array, LevelStorage, index_dtypes
from irtensor.storage.level_store import Climbed, LevelStore
from irtensor.storage.packing import Packing
from irtensor.storage.sort_coordinates import distinct_starts
from irtensor.storage.storage_check import StorageCheck


class RunsStore(LevelStore):
    """Runs in the order of their parents; those of one parent end with the extent."""

    def check(self, storage: StorageCheck, number: int, content: bool) -> None:
        level, extent = storage.levels[number], storage.extent(number)
        positions, ends = level.array("positions"), level.array("coordinates")
        if positions.size != storage.count + 1 or positions[0] != 0 or positions[-1] != ends.size:
            storage.fail(number, f"positions do not delimit the {ends.size} runs of {storage.count} parents")
        storage.refuse_duplicates(number, extent)
        if content:
            if (positions[1:] < positions[:-1]).any():
                storage.fail(number, "positions decrease")
            last = np.zeros(ends.size + 1, bool)
            last[positions] = True
            lengths = ends - _begins(positions, ends)
            if (lengths <= 0).any() or (ends[last[1:]] != extent).any():
                storage.fail(number, f"runs of a parent are empty, or do not end with {extent}")
            if extent and (positions[1:] == positions[:-1]).any():
                storage.fail(number, "a parent has no runs")
        storage.count = ends.size

    def pack(self, entries: Packing, number: int) -> LevelStorage:
        extent, innermost = entries.extents[number], number + 1 == len(entries.format.levels)
        parent = np.arange(entries.entries) if entries.parent is None else entries.parent.astype(np.int64)
        at = parent * extent + entries.keys[number]  # as in a dense level
        if innermost:
            same = (at[1:] == at[:-1] + 1) & (parent[1:] == parent[:-1]) & (entries.values[1:] == entries.values[:-1])
            starts = np.flatnonzero(np.concatenate([np.ones(min(at.size, 1), bool), ~same]))
            past = at[np.append(starts[1:], at.size) - 1] + 1 if at.size else at
        else:
            starts = np.flatnonzero(distinct_starts(entries.keys[: number + 1]))
            past = at[starts] + 1
        limits = np.arange(entries.count + 1) * extent
        bounds = np.unique(np.concatenate([at[starts], past, limits])) if extent else at[:0]
        begins, ends = bounds[:-1], bounds[1:]
        run = np.searchsorted(begins, at[starts])
        if innermost:
            values = np.full(begins.size, fill_element(entries.format, entries.values.dtype), entries.values.dtype)
            values[run] = entries.values[starts]
            entries.values, entries.parent = values, None
        else:
            entries.parent = np.repeat(run, np.diff(starts, append=entries.entries))
        check_position_width(entries.format, number, begins.size)
        position, coordinate = index_dtypes(entries.format, number)
        positions = np.searchsorted(begins, limits).astype(position)
        owner = np.repeat(np.arange(entries.count), np.diff(positions))
        entries.count = begins.size
        return LevelStorage(positions, (ends - owner * extent).astype(coordinate))

    def used(self, level: LevelStorage, extent: int, above: Array | None) -> Array | None:
        return None if above is None else np.repeat(above, np.diff(level.array("positions")))

    def climb(self, level: LevelStorage, position: Array | None, count: int, extent: int) -> Climbed:
        positions, ends = level.array("positions"), level.array("coordinates").astype(np.int64)
        here = np.arange(count) if position is None else position
        begins = _begins(positions, ends)[here]
        lengths = ends[here] - begins
        spread = np.repeat(np.arange(here.size), lengths)
        within = np.arange(spread.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        parents = np.repeat(np.arange(positions.size - 1), np.diff(positions))
        return Climbed(begins[spread] + within, parents[here][spread], positions.size - 1, spread)


def _begins(positions: Array, ends: Array) -> Array:
    """Where each run begins: at 0, or where the one before ends."""
    begins = np.concatenate([np.zeros(min(ends.size, 1), ends.dtype), ends[:-1]])
    first = positions[:-1]
    begins[first[first < ends.size]] = 0
    return begins
