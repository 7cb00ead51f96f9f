"""Runs of equal children below the parents of a level: joined, and stored in either of two ways."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from irtensor.core.tensor_format import TensorFormat
from irtensor.storage.element_types import same_bits
from irtensor.storage.index_overflow import check_position_width
from irtensor.storage.level_storage import Array, index_dtypes


class Misfit(NamedTuple):
    """A run that a level cannot store: its number, and why, with `{fiber}` for that of its parent."""

    run: int
    problem: str
    help: str


class Runs(NamedTuple):
    """Runs in order, which do not overlap: the parent of each, of so many `parents`, and where it begins and ends."""

    format: TensorFormat
    number: int
    extent: int
    parents: int
    owners: Array
    begins: Array
    ends: Array

    def selected(self, which: Array) -> Runs:
        """Some of the runs."""
        return self._replace(owners=self.owners[which], begins=self.begins[which], ends=self.ends[which])

    def starts_of_equal(self, values: Array) -> Array:
        """The runs that do not touch the one before, or have another value, bit for bit."""
        new = np.ones(self.owners.size, bool)
        new[1:] = (self.begins[1:] != self.ends[:-1]) | (self.owners[1:] != self.owners[:-1])
        new[1:] |= ~same_bits(values[1:], values[:-1])
        return np.flatnonzero(new)

    def joined(self, starts: Array) -> Runs:
        """A run from each of these on, up to the next."""
        last = np.append(starts[1:], self.owners.size)[: starts.size] - 1
        return self._replace(owners=self.owners[starts], begins=self.begins[starts], ends=self.ends[last])

    def covering(self) -> tuple[Array, Array, Array]:
        """Runs that cover all coordinates of all parents: their parents, their ends, and which are the given ones."""
        if not self.extent:
            return self.owners[:0], self.ends[:0], self.owners[:0]
        follows = self.owners[1:] == self.owners[:-1]
        gaps = self.begins > 0
        gaps[1:] = self.begins[1:] > np.where(follows, self.ends[:-1], 0)
        # Of each parent, whether anything is behind its last run, and how many runs are up to there.
        past = np.searchsorted(self.owners, np.arange(self.parents), side="right")
        last = np.zeros(self.parents, np.int64)
        last[self.owners] = self.ends
        tails = last < self.extent
        before = np.concatenate([[0], np.cumsum(gaps)])
        at = np.arange(gaps.size) + before[1:] + (np.cumsum(tails) - tails)[self.owners]
        total = gaps.size + int(before[-1]) + int(np.count_nonzero(tails))
        owners, ends = np.empty(total, np.int64), np.full(total, self.extent)
        owners[at], ends[at] = self.owners, self.ends
        owners[at[gaps] - 1], ends[at[gaps] - 1] = self.owners[gaps], self.begins[gaps]
        owners[(past + before[past] + np.cumsum(tails) - 1)[tails]] = np.flatnonzero(tails)
        return owners, ends, at

    def stored(self, owners: Array, ends: Array) -> tuple[Array, Array]:
        """Where the runs of each parent begin among all of them, and where each ends, in integers of the format."""
        check_position_width(self.format, self.number, owners.size, "runs")
        position, coordinate = index_dtypes(self.format, self.number)
        return np.searchsorted(owners, np.arange(self.parents + 1)).astype(position), ends.astype(coordinate)
