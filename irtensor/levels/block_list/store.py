"""Block list level: `positions` delimit each parent's blocks, `ends` are where these end, `offsets` delimit entries."""

from __future__ import annotations

import numpy as np

from irtensor.core.tensor_format import TensorFormat
from irtensor.storage.index_overflow import check_position_width
from irtensor.storage.level_storage import Array, LevelStorage, index_dtypes
from irtensor.storage.list_store import ListStore
from irtensor.storage.listed_ranges import listed_ranges
from irtensor.storage.packing import Packing
from irtensor.storage.storage_check import StorageCheck


class BlockListStore(ListStore):
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
        count, positions = first.size, np.searchsorted(parents, np.arange(entries.count + 1))
        level = self.of_list(positions, entries.keys[number][first], entries.format, number)
        sizes = np.diff(first, append=entries.entries)
        entries.parent = None if count == entries.entries else np.repeat(np.arange(count), sizes)
        entries.count = count
        return level

    def segments(self, level: LevelStorage) -> Array:
        return level.array("offsets")[level.array("positions")]

    def coordinates(self, level: LevelStorage) -> Array:
        lengths = np.diff(level.array("offsets"))
        return listed_ranges(level.array("ends").astype(np.int64, copy=False) - lengths, lengths)[0]

    def of_list(self, positions: Array, coordinates: Array, format: TensorFormat, number: int) -> LevelStorage:
        """Neighbouring coordinates of a parent are in the same block."""
        position, coordinate = index_dtypes(format, number)
        count = coordinates.size
        check_position_width(format, number, count)
        is_head = np.ones(count + 1, bool)
        np.not_equal(coordinates[1:] - 1, coordinates[:-1], out=is_head[1:-1])
        is_head[positions] = True
        offsets = np.flatnonzero(is_head)
        ends = coordinates[offsets[1:] - 1].astype(np.int64) + 1
        arrays = {"positions": np.searchsorted(offsets, positions), "ends": ends, "offsets": offsets}
        dtypes = {"positions": position, "ends": coordinate, "offsets": position}
        return LevelStorage.of({name: array.astype(dtypes[name], copy=False) for name, array in arrays.items()})
