"""Bitmap level: positions as in a dense level, and a flag for each that says whether it is stored."""

from __future__ import annotations

import numpy as np

from irtensor.levels.dense.store import DenseStore
from irtensor.storage.level_storage import Array, LevelStorage
from irtensor.storage.packing import Packing
from irtensor.storage.storage_check import StorageCheck


class BitmapStore(DenseStore):
    """A flag for each coordinate of each parent."""

    def check(self, storage: StorageCheck, number: int, content: bool) -> None:
        super().check(storage, number, content)
        flags = storage.levels[number].array("flags")
        if flags.size != storage.count:
            found = f"{flags.size} flags for {storage.count} positions"
            storage.fail(number, found, "there is one for each coordinate")
        if content and flags.size and int(flags.view(np.uint8).max()) > 1:
            at = int(np.argmax(flags.view(np.uint8) > 1))
            storage.fail(number, f"flags[{at}] is {flags.view(np.uint8)[at]} in memory, neither 0 nor 1")

    def pack(self, entries: Packing, number: int) -> LevelStorage:
        entries.enter_each_coordinate(number)
        flags = np.zeros(entries.count, dtype=np.bool_)
        flags[entries.parent] = True
        return LevelStorage(flags=flags)

    def used(self, level: LevelStorage, extent: int, above: Array | None) -> Array | None:
        flags = level.array("flags")
        around = super().used(level, extent, above)
        return flags if around is None else around * flags
