"""Compressed level: `positions` delimit each parent's segment of `coordinates`."""

from __future__ import annotations

from irtensor.core.tensor_format import TensorFormat
from irtensor.storage.index_overflow import check_position_width
from irtensor.storage.level_storage import Array, LevelStorage, index_dtypes, width_dtype
from irtensor.storage.list_store import ListStore
from irtensor.storage.packing import Packing, check_size
from irtensor.storage.storage_check import StorageCheck


class CompressedStore(ListStore):
    """A list of coordinates per parent; the segments of consecutive parents are adjacent."""

    def check(self, storage: StorageCheck, number: int, content: bool) -> None:
        positions, coordinates = storage.levels[number].array("positions"), storage.levels[number].array("coordinates")
        storage.check_segments(number, positions, coordinates.size, content)
        if content:
            storage.check_range(number, coordinates)
            storage.check_siblings(number)
        storage.count = coordinates.size

    def pack(self, entries: Packing, number: int) -> LevelStorage:
        check_size(entries.count + 1, width_dtype(64), entries.format)
        positions, coordinates = entries.enter_lists(number)
        return LevelStorage(positions, coordinates)

    def segments(self, level: LevelStorage) -> Array:
        return level.array("positions")

    def coordinates(self, level: LevelStorage) -> Array:
        return level.array("coordinates")

    def of_list(self, positions: Array, coordinates: Array, format: TensorFormat, number: int) -> LevelStorage:
        check_position_width(format, number, coordinates.size)
        arrays = zip((positions, coordinates), index_dtypes(format, number), strict=True)
        return LevelStorage(*[array.astype(dtype, copy=False) for array, dtype in arrays])
