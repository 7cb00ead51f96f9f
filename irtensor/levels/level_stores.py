"""The storage half of each level format that has one."""

from __future__ import annotations

from irtensor.core.tensor_format import TensorFormat
from irtensor.levels.band.store import BandStore
from irtensor.levels.bitmap.store import BitmapStore
from irtensor.levels.block_list.store import BlockListStore
from irtensor.levels.compressed.store import CompressedStore
from irtensor.levels.dense.store import DenseStore
from irtensor.levels.hashed.store import HashedStore
from irtensor.levels.interval.store import IntervalStore
from irtensor.levels.offset.store import OffsetStore
from irtensor.levels.padded.store import PaddedStore
from irtensor.levels.point.store import PointStore
from irtensor.levels.ragged.store import RaggedStore
from irtensor.levels.range.store import RangeStore
from irtensor.levels.run_list.store import RunListStore
from irtensor.levels.singleton.store import SingletonStore
from irtensor.levels.sparse_run_list.store import SparseRunListStore
from irtensor.levels.strict_triangle.store import StrictTriangleStore
from irtensor.levels.triangle.store import TriangleStore
from irtensor.storage.level_store import LevelStore

LEVEL_STORES: dict[str, LevelStore] = {
    "dense": DenseStore(),
    "compressed": CompressedStore(),
    "singleton": SingletonStore(),
    "bitmap": BitmapStore(),
    "hashed": HashedStore(),
    "padded": PaddedStore(),
    "range": RangeStore(),
    "offset": OffsetStore(),
    "run_list": RunListStore(),
    "sparse_run_list": SparseRunListStore(),
    "block_list": BlockListStore(),
    "point": PointStore(),
    "band": BandStore(),
    "ragged": RaggedStore(),
    "interval": IntervalStore(),
    "triangle": TriangleStore(),
    "strict_triangle": StrictTriangleStore(),
}


def store_of(format: TensorFormat, number: int) -> LevelStore:
    """The storage half of a level of a format, which has one."""
    return LEVEL_STORES[format.levels[number].format.name].at(format, number)
