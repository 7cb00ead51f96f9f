"""Singleton level: one coordinate per parent position."""

from __future__ import annotations

from irtensor.storage.level_storage import Array, LevelStorage
from irtensor.storage.level_store import Climbed, LevelStore
from irtensor.storage.packing import Packing
from irtensor.storage.storage_check import StorageCheck


class SingletonStore(LevelStore):
    """A coordinate at each position of the level above."""

    def check(self, storage: StorageCheck, number: int, content: bool) -> None:
        coordinates = storage.levels[number].array("coordinates")
        if coordinates.size != storage.count:
            found = f"{coordinates.size} coordinates for {storage.count} parent positions"
            storage.fail(number, found, "a singleton level has one each")
        if content:
            used = storage.used_above()
            storage.check_range(number, coordinates if used is None else coordinates[used])
            storage.check_siblings(number)

    def pack(self, entries: Packing, number: int) -> LevelStorage:
        return LevelStorage(None, entries.listed_with_parents(number))

    def used(self, level: LevelStorage, extent: int, above: Array | None) -> Array | None:
        return above

    def climb(self, level: LevelStorage, position: Array | None, count: int, extent: int) -> Climbed:
        coordinates = level.array("coordinates")
        return Climbed(coordinates if position is None else coordinates[position], position, count)
