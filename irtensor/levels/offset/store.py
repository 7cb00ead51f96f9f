"""Offset level: no arrays; each position has one coordinate, which follows from the levels above."""

from __future__ import annotations

from irtensor.storage.level_storage import DENSE_LEVEL, Array, LevelStorage
from irtensor.storage.level_store import Climbed, LevelStore
from irtensor.storage.packing import Packing
from irtensor.storage.storage_check import StorageCheck


class OffsetStore(LevelStore):
    """The positions of the level above."""

    def check(self, storage: StorageCheck, number: int, content: bool) -> None:
        """It has no arrays."""

    def pack(self, entries: Packing, number: int) -> LevelStorage:
        return DENSE_LEVEL

    def used(self, level: LevelStorage, extent: int, above: Array | None) -> Array | None:
        return above

    def climb(self, level: LevelStorage, position: Array | None, count: int, extent: int) -> Climbed:
        return Climbed(None, position, count)
