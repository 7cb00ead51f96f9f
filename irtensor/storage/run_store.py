"""Levels of runs: positions that stand for the coordinates from where a run begins up to where it ends."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from irtensor.storage.level_storage import Array, LevelStorage
from irtensor.storage.level_store import Climbed, LevelStore


class RunStore(LevelStore):
    """Runs of consecutive coordinates with the same child; those of consecutive parents follow each other."""

    @abstractmethod
    def begins(self, level: LevelStorage) -> Array:
        """The first coordinate of each run."""

    @abstractmethod
    def ends(self, level: LevelStorage) -> Array:
        """Where each run ends, exclusive."""

    def lengths(self, level: LevelStorage) -> Array:
        return self.ends(level).astype(np.int64) - self.begins(level)

    def climb_runs(self, level: LevelStorage, position: Array | None, positions: Array) -> Climbed:
        """The coordinates that each run stands for, in order, where `positions` delimit the runs of each parent."""
        begins, ends = self.begins(level).astype(np.int64), self.ends(level)
        owners = np.repeat(np.arange(positions.size - 1), np.diff(positions))
        here = np.arange(ends.size) if position is None else position
        begins, lengths = begins[here], self.lengths(level)[here]
        before = np.cumsum(lengths) - lengths
        spread = np.repeat(np.arange(here.size), lengths)
        coordinates = np.arange(spread.size) + np.repeat(begins - before, lengths)
        return Climbed(coordinates, owners[here][spread], positions.size - 1, spread)
