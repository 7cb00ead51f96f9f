"""Dense level: no arrays; position = parent * extent + coordinate."""

from __future__ import annotations

import numpy as np

from irtensor.storage.level_storage import DENSE_LEVEL, Array, LevelStorage
from irtensor.storage.level_store import Climbed, LevelStore
from irtensor.storage.packing import Packing
from irtensor.storage.storage_check import StorageCheck


class DenseStore(LevelStore):
    """A position for each coordinate of each parent."""

    def check(self, storage: StorageCheck, number: int, content: bool) -> None:
        extent = storage.extent(number)
        storage.refuse_duplicates(number, extent)
        storage.count *= extent

    def pack(self, entries: Packing, number: int) -> LevelStorage:
        entries.enter_each_coordinate(number)
        return DENSE_LEVEL

    def used(self, level: LevelStorage, extent: int, above: Array | None) -> Array | None:
        return None if above is None else np.repeat(above, extent)

    def climb(self, level: LevelStorage, position: Array | None, count: int, extent: int) -> Climbed:
        here = np.arange(count, dtype=np.int64) if position is None else position
        parents = count // extent if extent else 0
        if parents <= 1:
            return Climbed(here, np.broadcast_to(np.int64(0), here.shape), parents)
        above, coordinates = np.divmod(here, extent)
        return Climbed(coordinates, above, parents)
