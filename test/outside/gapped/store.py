"""The arrays of lists with room behind them."""

import numpy as np

from irtensor.storage.level_storage import Array, LevelStorage
from irtensor.storage.level_store import Climbed, LevelStore
from irtensor.storage.packing import Packing
from irtensor.storage.storage_check import StorageCheck


class GappedStore(LevelStore):
    """Lists in the order of their parents, which do not overlap."""

    def check(self, storage: StorageCheck, number: int, content: bool) -> None:
        level = storage.levels[number]
        begins, ends, coordinates = level.array("begins"), level.array("ends"), level.array("coordinates")
        if begins.size != storage.count or ends.size != storage.count:
            storage.fail(number, f"{begins.size} begins and {ends.size} ends for {storage.count} parents")
        if content:
            bounds = np.stack([begins, ends], axis=1).ravel()
            if (bounds[1:] < bounds[:-1]).any() or ((bounds < 0) | (bounds > coordinates.size)).any():
                storage.fail(number, f"lists overlap, or end behind the {coordinates.size} coordinates")
            listed = self.used(level, storage.extent(number), None)
            storage.check_range(number, coordinates[listed])
            first = np.zeros(coordinates.size + 1, bool)
            first[begins] = True
            falling = np.diff(coordinates, prepend=-1)[listed] <= 0
            if (falling & ~first[:-1][listed]).any():
                storage.fail(number, "coordinates of a list are not increasing")
        storage.count = coordinates.size

    def pack(self, entries: Packing, number: int) -> LevelStorage:
        positions, coordinates = entries.enter_lists(number)
        return LevelStorage.of(
            {"begins": positions[:-1].copy(), "ends": positions[1:].copy(), "coordinates": coordinates}
        )

    def used(self, level: LevelStorage, extent: int, above: Array | None) -> Array | None:
        begins, ends = level.array("begins"), level.array("ends")
        if above is not None:
            begins, ends = begins[above], ends[above]
        used = np.zeros(level.array("coordinates").size, bool)
        lengths = ends - begins
        used[np.repeat(begins - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())] = True
        return used

    def climb(self, level: LevelStorage, position: Array | None, count: int, extent: int) -> Climbed:
        here = np.arange(count) if position is None else position
        parents = np.maximum(np.searchsorted(level.array("begins"), here, side="right") - 1, 0)
        return Climbed(level.array("coordinates")[here], parents, level.array("begins").size)
