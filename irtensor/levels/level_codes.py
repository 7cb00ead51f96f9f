"""The code of each level format: how loops read and write it."""

from irtensor.core.diagnostics import UserError
from irtensor.levels.accumulator.code import AccumulatorLevel
from irtensor.levels.band.code import BandLevel
from irtensor.levels.bitmap.code import BitmapLevel
from irtensor.levels.block_list.code import BlockListLevel
from irtensor.levels.compressed.code import CompressedLevel
from irtensor.levels.dense.code import DenseLevel
from irtensor.levels.hashed.code import HashedLevel
from irtensor.levels.interval.code import IntervalLevel
from irtensor.levels.map.code import MapLevel
from irtensor.levels.offset.code import OffsetLevel
from irtensor.levels.padded.code import PaddedLevel
from irtensor.levels.point.code import PointLevel
from irtensor.levels.ragged.code import RaggedLevel
from irtensor.levels.range.code import RangeLevel
from irtensor.levels.run_list.code import RunListLevel
from irtensor.levels.singleton.code import SingletonLevel
from irtensor.levels.sparse_run_list.code import SparseRunListLevel
from irtensor.levels.strict_triangle.code import StrictTriangleLevel
from irtensor.levels.triangle.code import TriangleLevel
from irtensor.passes.level_formats.interface import Fiber, LevelCode, NumberedLevel, WrittenLevel

LEVEL_CODES: dict[str, LevelCode] = {
    "dense": DenseLevel(),
    "compressed": CompressedLevel(),
    "singleton": SingletonLevel(),
    "bitmap": BitmapLevel(),
    "hashed": HashedLevel(),
    "padded": PaddedLevel(),
    "range": RangeLevel(),
    "offset": OffsetLevel(),
    "run_list": RunListLevel(),
    "sparse_run_list": SparseRunListLevel(),
    "block_list": BlockListLevel(),
    "point": PointLevel(),
    "band": BandLevel(),
    "ragged": RaggedLevel(),
    "interval": IntervalLevel(),
    "triangle": TriangleLevel(),
    "strict_triangle": StrictTriangleLevel(),
    "accumulator": AccumulatorLevel(),
    "map": MapLevel(),
}


def level_code(name: str) -> LevelCode:
    """The code of a level format. Raises UserError [level-has-no-code] if only the dialect knows it."""
    code = LEVEL_CODES.get(name)
    if code is None:
        message = f"no code is known for level format '{name}', which was added from outside"
        help = f"pass its code to register_level: register_level('{name}', properties, code, store)"
        raise UserError("level-has-no-code", message, help=help)
    return code


def written_level(name: str) -> WrittenLevel:
    """The code of a level format that loops write, as the verifiers of results and workspaces have seen to."""
    code = level_code(name)
    assert isinstance(code, WrittenLevel), f"loops do not write a level that is {name}"
    return code


def numbered_level(fiber: Fiber) -> NumberedLevel:
    """The code of a fiber's level, for callers that know, as by a verifier, that the level is numbered."""
    code = level_code(fiber.format.name)
    assert isinstance(code, NumberedLevel), f"entries of a level that is {fiber.format.name} have no numbers"
    return code
