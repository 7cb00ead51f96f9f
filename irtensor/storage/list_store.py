"""Levels that store some coordinates of each parent in order, each with a position of its own, in whatever form."""

from __future__ import annotations

from abc import abstractmethod

from irtensor.core.tensor_format import TensorFormat
from irtensor.storage.level_storage import Array, LevelStorage
from irtensor.storage.level_store import LevelStore


class ListStore(LevelStore):
    """A level whose positions are those of a list, so that all below is the same for every form of the list."""

    @abstractmethod
    def listed(self, level: LevelStorage) -> tuple[Array, Array]:
        """Where the segment of each parent begins, and the coordinate at each position."""

    @abstractmethod
    def of_list(self, positions: Array, coordinates: Array, format: TensorFormat, number: int) -> LevelStorage:
        """The level of a format that stores a list, in integers as wide as the format says."""
