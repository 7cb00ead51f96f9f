"""Ragged level: all coordinates of a parent from 0 to its last entry."""

from __future__ import annotations

import numpy as np

from irtensor.storage.block_store import BlockStore
from irtensor.storage.level_storage import Array, LevelStorage
from irtensor.storage.packing import Packing
from irtensor.storage.storage_check import StorageCheck


class RaggedStore(BlockStore):
    """Rows of different lengths; gaps before the last entry hold the fill value."""

    def begins(self, level: LevelStorage) -> Array:
        return np.zeros(level.array("offsets").size - 1, np.int64)

    def blocks(self, least: Array, past: Array) -> tuple[Array, Array]:
        return np.zeros_like(past), past

    def arrays(self, entries: Packing, number: int, past: Array) -> dict[str, Array]:
        return {}

    def check_bounds(self, storage: StorageCheck, number: int, lengths: Array) -> None:
        extent = storage.extent(number)
        long = lengths > extent
        if long.any():
            at = int(np.argmax(long))
            offsets = storage.levels[number].array("offsets")
            found = f"offsets[{at}] and [{at + 1}] are {offsets[at]} and {offsets[at + 1]}: {lengths[at]} coordinates"
            storage.fail(number, f"{found}, but the level has {extent}", "a parent has no more of them than the extent")
