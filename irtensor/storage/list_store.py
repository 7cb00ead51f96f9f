"""Levels that store some coordinates of each parent in order, each with a position of its own, in whatever form."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from irtensor.core.tensor_format import TensorFormat
from irtensor.storage.level_storage import Array, LevelStorage
from irtensor.storage.level_store import Climbed, LevelStore


class ListStore(LevelStore):
    """A level whose positions are those of a list, so that all below is the same for every form of the list."""

    @abstractmethod
    def segments(self, level: LevelStorage) -> Array:
        """Where the segment of each parent begins, and at last where that of the last one ends."""

    @abstractmethod
    def coordinates(self, level: LevelStorage) -> Array:
        """The coordinate at each position."""

    @abstractmethod
    def of_list(self, positions: Array, coordinates: Array, format: TensorFormat, number: int) -> LevelStorage:
        """The level of a format that stores a list, in integers as wide as the format says."""

    def used(self, level: LevelStorage, extent: int, above: Array | None) -> Array | None:
        return None if above is None else np.repeat(above, np.diff(self.segments(level)))

    def climb(self, level: LevelStorage, position: Array | None, count: int, extent: int) -> Climbed:
        segments, coordinates = self.segments(level), self.coordinates(level)
        parents = segments.size - 1
        # Half as wide is twice as fast, where these are coordinates of a dense level in the end.
        narrow = np.int32 if parents < 1 << 31 else np.int64
        above = np.repeat(np.arange(parents, dtype=narrow), np.diff(segments))
        if position is None:
            return Climbed(coordinates, above, parents)
        return Climbed(coordinates[position], above[position], parents)
