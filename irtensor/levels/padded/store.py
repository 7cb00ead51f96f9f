"""Padded level: sorted coordinates in segments of equal length; the rest of each segment holds the level's extent."""

from __future__ import annotations

import numpy as np

from irtensor.storage.level_storage import Array
from irtensor.storage.slot_store import SlotStore
from irtensor.storage.storage_check import StorageCheck


class PaddedStore(SlotStore):
    """A sorted list per parent, and padding."""

    def check_slots(self, storage: StorageCheck, number: int, coordinates: Array, width: int) -> None:
        extent = storage.extent(number)
        storage.check_range(number, coordinates, extent + 1)
        rows = coordinates.reshape(storage.count, width)
        falling = (rows[:, 1:] <= rows[:, :-1]) & (rows[:, 1:] != extent)
        falling |= rows[:, 1:] < rows[:, :-1]
        if falling.any():
            row, slot = (int(part) for part in np.unravel_index(int(np.argmax(falling)), falling.shape))
            storage.fail_order(number, coordinates, row * width + slot, "are not increasing")

    def slots_for(self, most: int) -> int:
        return most

    def slots_of(self, parents: Array, coordinates: Array, width: int, count: int) -> Array:
        sizes = np.bincount(parents, minlength=count)
        first = np.cumsum(sizes) - sizes
        return parents * width + np.arange(parents.size) - first[parents]

    def unused(self, extent: int) -> int:
        return extent
