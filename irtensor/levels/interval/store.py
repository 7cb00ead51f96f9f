"""Interval level: the coordinates from `begins` to `ends` of a parent have one child, at the parent's position."""

from __future__ import annotations

import numpy as np

from irtensor.core.tensor_format import TensorFormat
from irtensor.storage.element_types import same_bits
from irtensor.storage.level_storage import Array, LevelStorage, index_dtypes
from irtensor.storage.level_store import Climbed
from irtensor.storage.listed_ranges import listed_ranges
from irtensor.storage.packed_runs import Misfit, Runs
from irtensor.storage.packing import Packing
from irtensor.storage.run_store import PieceStore
from irtensor.storage.storage_check import StorageCheck

_HELP = "store this dimension in a compressed level"
_APART = "holds one run for each parent, but {{fiber}} has coordinates {} and {}, and none between"
_DIFFERENT = "holds the same at all coordinates of a parent, but {{fiber}} differs at {} and {}"


class IntervalStore(PieceStore):
    """One run of coordinates per parent; it is empty where it ends where it begins."""

    def check(self, storage: StorageCheck, number: int, content: bool) -> None:
        level, extent = storage.levels[number], storage.extent(number)
        begins, ends = level.array("begins"), level.array("ends")
        for name, array in (("begins", begins), ("ends", ends)):
            if array.size != storage.count:
                found = f"{array.size} {name} for {storage.count} parent positions"
                storage.fail(number, found, "an interval level has one each")
        storage.refuse_duplicates(number, storage.count)
        if not content:
            return
        for name, array in (("begins", begins), ("ends", ends)):
            outside = (array < 0) | (array > extent)
            if outside.any():
                at = int(np.argmax(outside))
                help = "an interval ends behind its last coordinate"
                storage.fail(number, f"{name}[{at}] is {array[at]}, outside 0..{extent}", help)
        crossed = begins > ends
        if crossed.any():
            at = int(np.argmax(crossed))
            found = f"begins[{at}] is {begins[at]}, behind ends[{at}], which is {ends[at]}"
            storage.fail(number, found, "an interval without coordinates begins where it ends")

    def pack(self, entries: Packing, number: int) -> LevelStorage:
        first, parents = entries.paths(number)
        keys = entries.keys[number][first].astype(np.int64, copy=False)
        is_head = np.diff(parents, prepend=-1) != 0
        skipped = ~is_head & (np.diff(keys, prepend=-1) != 1)
        if skipped.any():
            at = int(np.argmax(skipped))
            one, other = int(keys[at - 1]), int(keys[at])
            entries.refuse(number, int(first[at]), _APART.format(one, other), _HELP)
        heads = np.flatnonzero(is_head)
        self._keep_first(entries, number, first, heads)
        begins, ends = np.zeros((2, entries.count), index_dtypes(entries.format, number)[1])
        blocks = parents[heads]
        begins[blocks], ends[blocks] = keys[heads], keys[np.append(heads[1:], keys.size)[: heads.size] - 1] + 1
        return LevelStorage.of({"begins": begins, "ends": ends})

    def _keep_first(self, entries: Packing, number: int, first: Array, heads: Array) -> None:
        """Leave the entries below the first coordinate of each run, if those below the others are the same."""
        sizes = np.diff(first, append=entries.entries)
        # The first coordinate of the run that each one is in.
        head = np.repeat(heads, np.diff(heads, append=first.size))
        within = np.arange(entries.entries) - np.repeat(first, sizes)
        model = np.minimum(np.repeat(first[head], sizes) + within, max(entries.entries - 1, 0))
        differs = np.repeat(sizes != sizes[head], sizes)
        for key in entries.keys[number + 1 :]:
            differs |= key != key[model]
        differs |= ~same_bits(entries.values, entries.values[model])
        if differs.any():
            at = int(np.argmax(differs))
            one, other = (int(entries.keys[number][entry]) for entry in (model[at], at))
            entries.refuse(number, at, _DIFFERENT.format(one, other), _HELP)
        entries.keep(np.repeat(head == np.arange(first.size), sizes))

    def runs_of(self, level: LevelStorage, format: TensorFormat, number: int, extent: int) -> Runs:
        begins, ends = (level.array(name).astype(np.int64) for name in ("begins", "ends"))
        return Runs(format, number, extent, ends.size, np.arange(ends.size), begins, ends)

    def level_of(self, runs: Runs) -> tuple[LevelStorage, Array, int]:
        begins, ends = np.zeros((2, runs.parents), index_dtypes(runs.format, runs.number)[1])
        begins[runs.owners], ends[runs.owners] = runs.begins, runs.ends
        return LevelStorage.of({"begins": begins, "ends": ends}), runs.owners, runs.parents

    def misfit(self, runs: Runs) -> Misfit | None:
        again = np.flatnonzero(runs.owners[1:] == runs.owners[:-1])
        if not again.size:
            return None
        apart = again[runs.begins[again + 1] != runs.ends[again]]
        if apart.size:
            at = int(apart[0])
            return Misfit(at + 1, _APART.format(runs.ends[at] - 1, runs.begins[at + 1]), _HELP)
        at = int(again[0])
        return Misfit(at + 1, _DIFFERENT.format(runs.begins[at], runs.begins[at + 1]), _HELP)

    def positions(self, parents: int, extent: int) -> int:
        return parents

    def used(self, level: LevelStorage, extent: int, above: Array | None) -> Array | None:
        used = level.array("ends") > level.array("begins")
        return used if above is None else used * above

    def lengths(self, level: LevelStorage) -> Array:
        return level.array("ends").astype(np.int64) - level.array("begins")

    def climb(self, level: LevelStorage, position: Array | None, count: int, extent: int) -> Climbed:
        begins, lengths = level.array("begins"), self.lengths(level)
        if position is not None:
            begins, lengths = begins[position], lengths[position]
        coordinates, spread = listed_ranges(begins, lengths)
        return Climbed(coordinates, spread if position is None else position[spread], count, spread)
