"""What a level format does with arrays: NumPy's half of it, beside the code of its loops."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

from irtensor.core.tensor_format import TensorFormat
from irtensor.storage.level_storage import Array, LevelStorage
from irtensor.storage.packing import Packing
from irtensor.storage.storage_check import StorageCheck


class Climbed(NamedTuple):
    """Some positions of a level, seen from its parents."""

    coordinates: Array | None
    """The coordinate at each; None where it follows from the levels above."""
    parents: Array | None
    """The position of the parent of each; None where these are 0, 1, 2, ..."""
    parent_count: int
    """How many positions the level above has."""
    spread: Array | None = None
    """Which of the given positions each is of, where one position stands for several coordinates."""


class LevelStore(ABC):
    """How the arrays of one level format are checked, made from coordinates, and read back."""

    def at(self, format: TensorFormat, number: int) -> LevelStore:
        """The store of the level of a number, where that depends on the levels above."""
        return self

    @abstractmethod
    def check(self, storage: StorageCheck, number: int, content: bool) -> None:
        """Refuse arrays that code may not rely on, and step to the positions of the level: `storage.count`.

        The arrays are there and have the right types. Without `content`, only what takes no pass over them is checked.
        """

    @abstractmethod
    def pack(self, entries: Packing, number: int) -> LevelStorage:
        """The arrays for the coordinates of sorted entries; `entries` step to their positions in the level."""

    def positions(self, parents: int, extent: int) -> int:
        """How many positions so many parents have, where that follows from the extent of the level."""
        return parents * extent

    @abstractmethod
    def used(self, level: LevelStorage, extent: int, above: Array | None) -> Array | None:
        """Which positions hold entries, if those of the level above do where `above` says; None stands for all.

        Where `above` has numbers, a position that holds an entry has the number of the one above, others 0.
        """

    def lengths(self, level: LevelStorage) -> Array | None:
        """How many coordinates each position stands for; None where that is one."""
        return None

    @abstractmethod
    def climb(self, level: LevelStorage, position: Array | None, count: int, extent: int) -> Climbed:
        """Coordinates and parents of some positions of the level, of all `count` of them if `position` is None.

        A position that stands for several coordinates is given once for each of them, next to one another.
        """
