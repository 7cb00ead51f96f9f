"""Sorted entries joined to runs: neighbours below one parent whose children are equal, bit for bit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from irtensor.storage.element_types import fill_element, same_bits
from irtensor.storage.index_overflow import check_position_width
from irtensor.storage.level_storage import Array, index_dtypes
from irtensor.storage.packing import Packing
from irtensor.storage.sort_coordinates import distinct_starts


class Runs(NamedTuple):
    """Runs of entries in order: which entry begins each, its parent, and where it begins and ends."""

    starts: Array
    owners: Array
    begins: Array
    ends: Array
    innermost: bool

    def enter(self, entries: Packing, at: Array, count: int) -> None:
        """Step to a level of `count` runs, in which these are at the positions `at`; others have no entries."""
        if self.innermost:
            values = np.full(count, fill_element(entries.format, entries.values.dtype), entries.values.dtype)
            values[at] = entries.values[self.starts]
            entries.values, entries.parent = values, None
        else:
            entries.parent = np.repeat(at, np.diff(self.starts, append=entries.entries))
        entries.count = count


def pack_runs(entries: Packing, number: int) -> Runs:
    """The runs of a level: of equal values in the innermost one, of single coordinates in others."""
    parent = np.arange(entries.entries) if entries.parent is None else entries.parent.astype(np.int64, copy=False)
    key, innermost = entries.keys[number], number + 1 == len(entries.format.levels)
    if innermost:
        new = np.ones(key.size, bool)
        new[1:] = (key[1:] != key[:-1] + 1) | (parent[1:] != parent[:-1])
        new[1:] |= ~same_bits(entries.values[1:], entries.values[:-1])
    else:
        new = distinct_starts(entries.keys[: number + 1])
    starts = np.flatnonzero(new)
    last = np.append(starts[1:], key.size)[: starts.size] - 1 if innermost else starts
    return Runs(starts, parent[starts], key[starts].astype(np.int64), key[last].astype(np.int64) + 1, innermost)


def covering_runs(runs: Runs, count: int, extent: int) -> tuple[Array, Array, Array]:
    """Runs that cover all coordinates of `count` parents: their parents, their ends, and which are the given ones."""
    if not extent:
        return runs.owners[:0], runs.ends[:0], runs.owners[:0]
    # All coordinates in a row, as in a dense level.
    begins, ends = runs.owners * extent + runs.begins, runs.owners * extent + runs.ends
    bounds = np.unique(np.concatenate([begins, ends, np.arange(count + 1) * extent]))
    owners = bounds[:-1] // extent
    return owners, bounds[1:] - owners * extent, np.searchsorted(bounds, begins)


def positions_of_runs(entries: Packing, number: int, owners: Array, ends: Array) -> tuple[Array, Array]:
    """Where the runs of each parent begin, and their ends, as a level stores them."""
    check_position_width(entries.format, number, owners.size, "runs")
    position, coordinate = index_dtypes(entries.format, number)
    return np.searchsorted(owners, np.arange(entries.count + 1)).astype(position), ends.astype(coordinate)
