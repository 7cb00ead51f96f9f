"""Hashed level: a table of slots per parent, in which a coordinate is found by linear probing."""

from __future__ import annotations

import numpy as np

from irtensor.storage.level_storage import Array
from irtensor.storage.slot_store import SlotStore
from irtensor.storage.storage_check import StorageCheck


class HashedStore(SlotStore):
    """A table per parent, at most two thirds full; an empty slot has the coordinate -1."""

    def check_slots(self, storage: StorageCheck, number: int, coordinates: Array, width: int) -> None:
        stored = np.flatnonzero(coordinates != -1)
        storage.check_range(number, coordinates[stored])
        segment, slot = np.divmod(stored, width)
        found = coordinates[stored].astype(np.int64, copy=False)
        order = np.lexsort((found, segment))
        twice = (segment[order][1:] == segment[order][:-1]) & (found[order][1:] == found[order][:-1])
        if twice.any():
            at = int(np.argmax(twice))
            first, second = sorted((int(stored[order[at]]), int(stored[order[at + 1]])))
            storage.fail(number, f"coordinates[{first}] and [{second}] store the same path twice: {coordinates[first]}")
        # Probing ends at an empty slot, so there may be none between where it starts and where the entry is.
        home = found % width
        empty = np.zeros((storage.count, 2 * width + 1), np.int64)
        empty[:, 1:] = np.cumsum(np.tile((coordinates == -1).reshape(storage.count, width), 2), axis=1)
        last = home + (slot - home) % width
        lost = empty[segment, last] > empty[segment, home]
        if lost.any():
            at = int(np.argmax(lost))
            storage.fail(
                number,
                f"coordinates[{stored[at]}] is {found[at]}, which probing from slot {home[at]} of {width} does not "
                "reach",
                "an entry is in the first free slot from its coordinate modulo the number of slots",
            )

    def slots_for(self, most: int) -> int:
        return -(-3 * most // 2)

    def slots_of(self, parents: Array, coordinates: Array, width: int, count: int) -> Array:
        return probed_slots(parents, coordinates, width, width * count)

    def unused(self, extent: int) -> int:
        return -1


def probed_slots(segments: Array, coordinates: Array, width: int, count: int) -> Array:
    """Where linear probing puts coordinates, inserted in this order, in segments of `width` slots each."""
    taken = np.zeros(count, dtype=np.bool_)
    slots = np.empty(coordinates.size, dtype=np.int64)
    left = np.arange(coordinates.size)
    step = coordinates % width
    while left.size:
        at = segments[left] * width + step
        _, first = np.unique(at, return_index=True)
        won = np.zeros(left.size, dtype=np.bool_)
        won[first] = ~taken[at[first]]
        taken[at[won]] = True
        slots[left[won]] = at[won]
        left, step = left[~won], (step[~won] + 1) % width
    return slots
