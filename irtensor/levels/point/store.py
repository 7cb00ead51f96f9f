"""Point level: a coordinate for each position of the level above, -1 without an entry."""

from __future__ import annotations

import numpy as np

from irtensor.storage.level_storage import Array, LevelStorage, index_dtypes
from irtensor.storage.level_store import Climbed, LevelStore
from irtensor.storage.packing import Packing
from irtensor.storage.storage_check import StorageCheck


class PointStore(LevelStore):
    """One entry per parent, or none."""

    def check(self, storage: StorageCheck, number: int, content: bool) -> None:
        coordinates = storage.levels[number].array("coordinates")
        if coordinates.size != storage.count:
            found = f"{coordinates.size} coordinates for {storage.count} parent positions"
            storage.fail(number, found, "a point level has one each, -1 for none")
        storage.refuse_duplicates(number, storage.count)
        if content:
            self._check_range(storage, number, coordinates)

    def _check_range(self, storage: StorageCheck, number: int, coordinates: Array) -> None:
        extent = storage.extent(number)
        # Both are found faster than where they are.
        if not coordinates.size or (coordinates.min() >= -1 and coordinates.max() < extent):
            return
        outside, used = (coordinates < -1) | (coordinates >= extent), storage.used_above()
        if used is not None:
            outside &= used
        if outside.any():
            at = int(np.argmax(outside))
            found = f"coordinates[{at}] is {coordinates[at]}, outside -1..{extent - 1}"
            storage.fail(number, found, "a coordinate counts from 0, and -1 stands for no entry")

    def pack(self, entries: Packing, number: int) -> LevelStorage:
        first, parents = entries.paths(number)
        keys = entries.keys[number]
        again = parents[1:] == parents[:-1]
        if again.any():
            at = int(np.argmax(again))
            one, other = (int(keys[first[k]]) for k in (at, at + 1))
            problem = f"holds one entry for each parent, but {{fiber}} has coordinates {one} and {other}"
            entries.refuse(number, int(first[at]), problem, "store this dimension in a compressed level")
        coordinates = np.full(entries.count, -1, dtype=index_dtypes(entries.format, number)[1])
        coordinates[parents] = keys[first]
        return LevelStorage(None, coordinates)

    def positions(self, parents: int, extent: int) -> int:
        return parents

    def used(self, level: LevelStorage, extent: int, above: Array | None) -> Array | None:
        used = level.array("coordinates") >= 0
        return used if above is None else used * above

    def climb(self, level: LevelStorage, position: Array | None, count: int, extent: int) -> Climbed:
        coordinates = level.array("coordinates")
        return Climbed(coordinates if position is None else coordinates[position], position, count)
