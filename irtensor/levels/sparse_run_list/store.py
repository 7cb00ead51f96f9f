"""Sparse run list: `positions` delimit each parent's runs, from `begins` up to `coordinates`."""

from __future__ import annotations

import numpy as np

from irtensor.storage.level_storage import Array, LevelStorage
from irtensor.storage.packed_runs import Runs
from irtensor.storage.run_store import RunStore
from irtensor.storage.storage_check import StorageCheck


class SparseRunListStore(RunStore):
    """Runs in order, with gaps between them."""

    def check(self, storage: StorageCheck, number: int, content: bool) -> None:
        level = storage.levels[number]
        positions, begins, ends = (level.array(name) for name in ("positions", "begins", "coordinates"))
        storage.check_segments(number, positions, ends.size, content)
        if begins.size != ends.size:
            found = f"{begins.size} begins for {ends.size} coordinates"
            storage.fail(number, found, "each run has one of both: it goes from begins up to coordinates")
        storage.refuse_duplicates(number, storage.extent(number))
        if content:
            self._check_runs(storage, number, positions, begins, ends)
        storage.count = ends.size

    def _check_runs(self, storage: StorageCheck, number: int, positions: Array, begins: Array, ends: Array) -> None:
        storage.check_ends(number, "coordinates", ends)
        wrong = (begins < 0) | (begins >= ends)
        if wrong.any():
            at = int(np.argmax(wrong))
            found = f"begins[{at}] is {begins[at]}, and coordinates[{at}] is {ends[at]}"
            storage.fail(number, found, "a run goes from begins up to coordinates, and is not empty")
        at = storage.first_wrong_neighbour(positions, begins[1:] >= ends[:-1])
        if at is not None:
            found = f"begins[{at}] is {begins[at]}, before the run at {at - 1} ends: {ends[at - 1]}"
            storage.fail(number, found, "runs of one parent are in order and do not overlap")

    def level_of(self, runs: Runs) -> tuple[LevelStorage, Array, int]:
        positions, ends = runs.stored(runs.owners, runs.ends)
        return self.of_arrays(positions, runs.begins.astype(ends.dtype), ends), np.arange(ends.size), ends.size

    def of_arrays(self, positions: Array, begins: Array, ends: Array) -> LevelStorage:
        return LevelStorage.of({"positions": positions, "begins": begins, "coordinates": ends})

    def begins(self, level: LevelStorage) -> Array:
        return level.array("begins")
