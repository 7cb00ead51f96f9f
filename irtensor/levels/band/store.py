"""Band level: a block of coordinates per parent, which ends where `ends` says."""

from __future__ import annotations

import numpy as np

from irtensor.core.tensor_format import TensorFormat
from irtensor.storage.block_store import BlockStore
from irtensor.storage.index_overflow import check_position_width
from irtensor.storage.level_storage import Array, LevelStorage, index_dtypes
from irtensor.storage.packing import Packing
from irtensor.storage.storage_check import StorageCheck


class BandStore(BlockStore):
    """All coordinates from the first entry of a parent to its last; gaps between hold the fill value."""

    def begins(self, level: LevelStorage) -> Array:
        return level.array("ends").astype(np.int64, copy=False) - np.diff(level.array("offsets"))

    def blocks(self, least: Array, past: Array) -> tuple[Array, Array]:
        return least, past

    def arrays(self, entries: Packing, number: int, past: Array) -> dict[str, Array]:
        return {"ends": past.astype(index_dtypes(entries.format, number)[1])}

    def check(self, storage: StorageCheck, number: int, content: bool) -> None:
        ends = storage.levels[number].array("ends")
        if ends.size != storage.count:
            storage.fail(number, f"{ends.size} ends for {storage.count} parent positions", "a band has one each")
        super().check(storage, number, content)

    def check_bounds(self, storage: StorageCheck, number: int, lengths: Array) -> None:
        ends, extent = storage.levels[number].array("ends").astype(np.int64, copy=False), storage.extent(number)
        outside = (ends < 0) | (ends > extent)
        if outside.any():
            at = int(np.argmax(outside))
            help = "the end of a band is behind its last coordinate"
            storage.fail(number, f"ends[{at}] is {ends[at]}, outside 0..{extent}", help)
        early = ends < lengths
        if early.any():
            at = int(np.argmax(early))
            found = f"ends[{at}] is {ends[at]}, but the band has {lengths[at]} elements, and would begin at "
            storage.fail(number, f"{found}{ends[at] - lengths[at]}", "offsets say how many elements each band has")

    def of_bounds(self, begins: Array, ends: Array, format: TensorFormat, number: int) -> LevelStorage | None:
        position, coordinate = index_dtypes(format, number)
        offsets = np.zeros(ends.size + 1, np.int64)
        np.cumsum(ends - begins, out=offsets[1:])
        check_position_width(format, number, int(offsets[-1]))
        return LevelStorage.of({"ends": ends.astype(coordinate), "offsets": offsets.astype(position)})
