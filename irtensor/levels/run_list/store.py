"""Run list: `positions` delimit each parent's runs, `coordinates` are where the runs end."""

from __future__ import annotations

import numpy as np

from irtensor.storage.level_storage import Array, LevelStorage
from irtensor.storage.packed_runs import Runs
from irtensor.storage.run_store import RunStore
from irtensor.storage.storage_check import StorageCheck


class RunListStore(RunStore):
    """Runs that cover the coordinates of each parent."""

    def check(self, storage: StorageCheck, number: int, content: bool) -> None:
        level, extent = storage.levels[number], storage.extent(number)
        positions, ends = level.array("positions"), level.array("coordinates")
        storage.check_segments(number, positions, ends.size, content)
        storage.refuse_duplicates(number, extent)
        if content:
            self._check_runs(storage, number, positions, ends, extent)
        storage.count = ends.size

    def _check_runs(self, storage: StorageCheck, number: int, positions: Array, ends: Array, extent: int) -> None:
        storage.check_ends(number, "coordinates", ends)
        empty = positions[1:] == positions[:-1]
        if extent and empty.any():
            parent = int(np.argmax(empty))
            problem = f"parent {parent} has no run: positions[{parent}] and [{parent + 1}] are {positions[parent]}"
            storage.fail(number, problem, f"runs cover all {extent} coordinates of each parent")
        at = storage.first_wrong_neighbour(positions, ends[1:] > ends[:-1])
        if at is not None:
            problem = f"coordinates[{at - 1}] and [{at}] are not increasing: {ends[at - 1]}, {ends[at]}"
            storage.fail(number, problem, "coordinates are where runs end, and no run is empty")
        last = positions[1:][~empty] - 1
        short = ends[last] != extent
        if short.any():
            at = int(last[np.argmax(short)])
            problem = f"coordinates[{at}] is {ends[at]}, but the last run of a parent ends with the extent {extent}"
            storage.fail(number, problem, f"runs cover all {extent} coordinates of each parent")

    def begins(self, level: LevelStorage) -> Array:
        positions, ends = level.array("positions"), level.array("coordinates")
        begins = np.zeros_like(ends)
        begins[1:] = ends[:-1]
        first = positions[:-1]
        begins[first[first < ends.size]] = 0
        return begins

    def of_arrays(self, positions: Array, begins: Array, ends: Array) -> LevelStorage:
        return LevelStorage(positions, ends)

    def level_of(self, runs: Runs) -> tuple[LevelStorage, Array, int]:
        owners, ends, at = runs.covering()
        return LevelStorage(*runs.stored(owners, ends)), at, owners.size
