"""Levels with equally many slots for each parent, some of them unused: tables, and sorted lists with padding."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from irtensor.storage.index_overflow import check_position_width
from irtensor.storage.level_storage import Array, LevelStorage, index_dtypes
from irtensor.storage.level_store import Climbed, LevelStore
from irtensor.storage.packing import Packing, check_size
from irtensor.storage.sort_coordinates import distinct_starts
from irtensor.storage.storage_check import StorageCheck


class SlotStore(LevelStore):
    """`positions` hold one number, the slots per parent; a slot that is not used has no coordinate of the level."""

    @abstractmethod
    def check_slots(self, storage: StorageCheck, number: int, coordinates: Array, width: int) -> None:
        """Refuse coordinates that are not where the format has them, in segments of so many slots."""

    @abstractmethod
    def slots_for(self, most: int) -> int:
        """How many slots each parent has, if the fullest one stores so many entries."""

    @abstractmethod
    def slots_of(self, parents: Array, coordinates: Array, width: int, count: int) -> Array:
        """The slot of each entry, of entries sorted by parent, among those of all `count` parents."""

    @abstractmethod
    def unused(self, extent: int) -> int:
        """The coordinate in a slot that is not used."""

    def check(self, storage: StorageCheck, number: int, content: bool) -> None:
        positions, coordinates = storage.levels[number].array("positions"), storage.levels[number].array("coordinates")
        if positions.size != 1 or positions[0] < 1:
            found = f"{positions.size} entries" if positions.size != 1 else f"entry {positions[0]}"
            storage.fail(number, f"positions has {found}, expected one: the slots per parent, at least 1")
        width = int(positions[0])
        if coordinates.size != storage.count * width:
            storage.fail(number, f"{coordinates.size} coordinates for {storage.count} parents of {width} slots")
        storage.refuse_duplicates(number, coordinates.size)
        storage.ordered_so_far &= storage.format.levels[number].format.ordered
        if content:
            self.check_slots(storage, number, coordinates, width)
        storage.count = coordinates.size

    def pack(self, entries: Packing, number: int) -> LevelStorage:
        """As many slots for each parent as the fullest one needs."""
        innermost = number + 1 == len(entries.format.levels)
        starts = None if innermost else np.flatnonzero(distinct_starts(entries.keys[: number + 1]))
        heads = (entries.keys[number] if starts is None else entries.keys[number][starts]).astype(np.int64, copy=False)
        above = entries.parents
        above = (above if starts is None else above[starts]).astype(np.int64, copy=False)
        sizes = np.bincount(above, minlength=entries.count)
        width = max(self.slots_for(int(sizes.max()) if sizes.size else 0), 1)
        check_size(entries.count * width, np.dtype(np.int64), entries.format)
        slots = self.slots_of(above, heads, width, entries.count)
        check_position_width(entries.format, number, width, "slots")
        pos, crd = index_dtypes(entries.format, number)
        coordinates = np.full(entries.count * width, self.unused(entries.extents[number]), dtype=crd)
        coordinates[slots] = heads
        entries.count *= width
        entries.parent = slots if starts is None else np.repeat(slots, np.diff(starts, append=entries.entries))
        if not innermost:
            entries.sort_by_parent()
        return LevelStorage(np.array([width], pos), coordinates)

    def used(self, level: LevelStorage, extent: int, above: Array | None) -> Array | None:
        coordinates = level.array("coordinates")
        used = (coordinates >= 0) & (coordinates < extent)
        return used if above is None else used * np.repeat(above, int(level.array("positions")[0]))

    def climb(self, level: LevelStorage, position: Array | None, count: int, extent: int) -> Climbed:
        coordinates, width = level.array("coordinates"), int(level.array("positions")[0])
        here = np.arange(count, dtype=np.int64) if position is None else position
        found = coordinates if position is None else coordinates[position]
        return Climbed(found, here // width, coordinates.size // width)
