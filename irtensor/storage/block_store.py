"""Levels with a block of positions for each parent: `offsets` say where it begins, and where the last one ends."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from irtensor.core.tensor_format import TensorFormat
from irtensor.storage.index_overflow import check_position_width
from irtensor.storage.level_storage import Array, LevelStorage, index_dtypes
from irtensor.storage.level_store import Climbed, LevelStore
from irtensor.storage.listed_ranges import numbers_of_segments
from irtensor.storage.packing import Packing, check_size
from irtensor.storage.storage_check import StorageCheck


class BlockStore(LevelStore):
    """One block of consecutive coordinates per parent, with a position for each."""

    @abstractmethod
    def begins(self, level: LevelStorage) -> Array:
        """The first coordinate of each block."""

    @abstractmethod
    def blocks(self, least: Array, past: Array) -> tuple[Array, Array]:
        """Where blocks begin and end that hold coordinates from `least` up to `past`."""

    @abstractmethod
    def arrays(self, entries: Packing, number: int, past: Array) -> dict[str, Array]:
        """What the level stores beside `offsets`, if blocks end so."""

    @abstractmethod
    def check_bounds(self, storage: StorageCheck, number: int, lengths: Array) -> None:
        """Refuse blocks that are not between 0 and the extent."""

    def of_bounds(self, begins: Array, ends: Array, format: TensorFormat, number: int) -> LevelStorage | None:
        """The level of a format with these blocks, in integers as wide as it says; None if it cannot have them."""
        return None

    def check(self, storage: StorageCheck, number: int, content: bool) -> None:
        offsets = storage.levels[number].array("offsets")
        help = "the block of each parent begins where the one before ends"
        storage.check_delimiters(number, "offsets", offsets, content, help)
        storage.refuse_duplicates(number, storage.count)
        if content:
            self.check_bounds(storage, number, np.diff(offsets))
        storage.count = max(int(offsets[-1]), 0)

    def pack(self, entries: Packing, number: int) -> LevelStorage:
        first, parents = entries.paths(number)
        keys = entries.keys[number][first].astype(np.int64, copy=False)
        heads = np.flatnonzero(np.diff(parents, prepend=-1))
        tails = np.append(heads[1:], parents.size) - 1
        least, past = np.zeros(entries.count, np.int64), np.zeros(entries.count, np.int64)
        if heads.size:
            blocks = parents[heads]
            least[blocks], past[blocks] = self.blocks(keys[heads], keys[tails] + 1)
        lengths = past - least
        offsets = np.zeros(entries.count + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        count = int(offsets[-1])
        check_size(count, entries.values.dtype, entries.format)
        check_position_width(entries.format, number, count)
        own = entries.keys[number].astype(np.int64, copy=False)
        entries.parent = (offsets[:-1] - least)[entries.parents] + own
        level = self.arrays(entries, number, past)
        entries.count = count
        return LevelStorage.of({**level, "offsets": offsets.astype(index_dtypes(entries.format, number)[0])})

    def used(self, level: LevelStorage, extent: int, above: Array | None) -> Array | None:
        offsets = level.array("offsets")
        return np.ones(int(offsets[-1]), bool) if above is None else np.repeat(above, np.diff(offsets))

    def climb(self, level: LevelStorage, position: Array | None, count: int, extent: int) -> Climbed:
        offsets = level.array("offsets").astype(np.int64, copy=False)
        parents = numbers_of_segments(offsets)
        here = np.arange(count, dtype=np.int64) if position is None else position
        above = parents[here]
        return Climbed(here + (self.begins(level) - offsets[:-1])[above], above, offsets.size - 1)
