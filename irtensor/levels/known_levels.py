"""The level formats, by name, with the properties of each."""

from irtensor.core.level_properties import LevelProperties
from irtensor.levels.accumulator.properties import PROPERTIES as ACCUMULATOR
from irtensor.levels.band.properties import PROPERTIES as BAND
from irtensor.levels.bitmap.properties import PROPERTIES as BITMAP
from irtensor.levels.block_list.properties import PROPERTIES as BLOCK_LIST
from irtensor.levels.compressed.properties import PROPERTIES as COMPRESSED
from irtensor.levels.dense.properties import PROPERTIES as DENSE
from irtensor.levels.hashed.properties import PROPERTIES as HASHED
from irtensor.levels.interval.properties import PROPERTIES as INTERVAL
from irtensor.levels.map.properties import PROPERTIES as MAP
from irtensor.levels.offset.properties import PROPERTIES as OFFSET
from irtensor.levels.padded.properties import PROPERTIES as PADDED
from irtensor.levels.point.properties import PROPERTIES as POINT
from irtensor.levels.ragged.properties import PROPERTIES as RAGGED
from irtensor.levels.range.properties import PROPERTIES as RANGE
from irtensor.levels.run_list.properties import PROPERTIES as RUN_LIST
from irtensor.levels.singleton.properties import PROPERTIES as SINGLETON
from irtensor.levels.sparse_run_list.properties import PROPERTIES as SPARSE_RUN_LIST
from irtensor.levels.strict_triangle.properties import PROPERTIES as STRICT_TRIANGLE
from irtensor.levels.triangle.properties import PROPERTIES as TRIANGLE

LEVEL_PROPERTIES: dict[str, LevelProperties] = {
    "dense": DENSE,
    "compressed": COMPRESSED,
    "singleton": SINGLETON,
    "bitmap": BITMAP,
    "hashed": HASHED,
    "padded": PADDED,
    "range": RANGE,
    "offset": OFFSET,
    "run_list": RUN_LIST,
    "sparse_run_list": SPARSE_RUN_LIST,
    "block_list": BLOCK_LIST,
    "point": POINT,
    "band": BAND,
    "ragged": RAGGED,
    "interval": INTERVAL,
    "triangle": TRIANGLE,
    "strict_triangle": STRICT_TRIANGLE,
    "accumulator": ACCUMULATOR,
    "map": MAP,
}
# Those that are a part of irtensor; others are registered from outside.
BUILT_IN = frozenset(LEVEL_PROPERTIES)


def names_outside_level(text: str) -> bool:
    """Whether the text of formats may name a level format from outside."""
    outside = LEVEL_PROPERTIES.keys() - BUILT_IN if len(LEVEL_PROPERTIES) > len(BUILT_IN) else ()
    return any(name in text for name in outside)
