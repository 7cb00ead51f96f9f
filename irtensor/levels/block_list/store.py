"""Block list level: `positions` delimit each parent's blocks, `ends` are where these end, `offsets` delimit entries."""

from __future__ import annotations

import numpy as np

from irtensor.storage.index_overflow import check_position_width
from irtensor.storage.level_storage import Array, LevelStorage, index_dtypes
from irtensor.storage.level_store import Climbed, LevelStore
from irtensor.storage.packing import Packing
from irtensor.storage.storage_check import StorageCheck


class BlockListStore(LevelStore):
    """Blocks of consecutive coordinates in order, and gaps between them."""

    def check(self, storage: StorageCheck, number: int, content: bool) -> None:
        level = storage.levels[number]
        positions, ends, offsets = (level.array(name) for name in ("positions", "ends", "offsets"))
        storage.check_segments(number, positions, ends.size, content, "ends")
        storage.refuse_duplicates(number, storage.extent(number))
        storage.count = ends.size
        help = "the entries of each block begin where those of the one before end"
        storage.check_delimiters(number, "offsets", offsets, content, help, "blocks")
        if content:
            self._check_blocks(storage, number, positions, ends.astype(np.int64, copy=False), np.diff(offsets))
        storage.count = max(int(offsets[-1]), 0)

    def _check_blocks(self, storage: StorageCheck, number: int, positions: Array, ends: Array, lengths: Array) -> None:
        storage.check_ends(number, "ends", ends)
        help = "offsets say how many elements each block has"
        if not lengths.all():
            at = int(np.argmin(lengths))
            offset = storage.levels[number].array("offsets")[at]
            found = f"offsets[{at}] and [{at + 1}] are {offset}, so that block {at} has no element"
            storage.fail(number, found, "omit blocks without elements")
        begins = ends - lengths
        if (begins < 0).any():
            at = int(np.argmax(begins < 0))
            found = f"ends[{at}] is {ends[at]}, but the block has {lengths[at]} elements, and would begin at "
            storage.fail(number, f"{found}{begins[at]}", help)
        at = storage.first_wrong_neighbour(positions, begins[1:] >= ends[:-1])
        if at is not None:
            found = f"the block at {at} has {lengths[at]} elements and ends with {ends[at]}, so that it begins at "
            problem = f"{found}{begins[at]}, before the one at {at - 1} ends: {ends[at - 1]}"
            storage.fail(number, problem, "blocks of one parent are in order and do not overlap")

    def pack(self, entries: Packing, number: int) -> LevelStorage:
        first, parents = entries.paths(number)
        keys = entries.keys[number][first].astype(np.int64, copy=False)
        heads = np.flatnonzero((np.diff(parents, prepend=-1) != 0) | (np.diff(keys, prepend=-2) != 1))
        position, coordinate = index_dtypes(entries.format, number)
        count = first.size
        check_position_width(entries.format, number, count)
        offsets = np.append(heads, count)
        # Where there is nothing below the last parent, its blocks end where there are no more.
        positions = np.searchsorted(parents[heads], np.arange(entries.count + 1))
        ends = keys[offsets[1:] - 1] + 1
        sizes = np.diff(first, append=entries.entries)
        entries.parent = None if count == entries.entries else np.repeat(np.arange(count), sizes)
        entries.count = count
        arrays = {"positions": positions.astype(position), "ends": ends.astype(coordinate)}
        return LevelStorage.of({**arrays, "offsets": offsets.astype(position)})

    def used(self, level: LevelStorage, extent: int, above: Array | None) -> Array | None:
        return None if above is None else np.repeat(above, self._sizes(level))

    def climb(self, level: LevelStorage, position: Array | None, count: int, extent: int) -> Climbed:
        ends, offsets = (level.array(name).astype(np.int64, copy=False) for name in ("ends", "offsets"))
        above = np.repeat(np.arange(level.array("positions").size - 1), self._sizes(level))
        coordinates = np.arange(count) + np.repeat(ends - offsets[1:], np.diff(offsets))
        if position is None:
            return Climbed(coordinates, above, level.array("positions").size - 1)
        return Climbed(coordinates[position], above[position], level.array("positions").size - 1)

    def _sizes(self, level: LevelStorage) -> Array:
        """How many entries each parent has."""
        return np.diff(level.array("offsets")[level.array("positions")])
