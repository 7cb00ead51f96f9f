"""Level formats, one class each: the only place that knows how a level is stored."""

from irtensor.dialects.diagnostics import UserError
from irtensor.passes.level_formats.accumulator import AccumulatorLevel
from irtensor.passes.level_formats.bitmap import BitmapLevel
from irtensor.passes.level_formats.compressed import CompressedLevel
from irtensor.passes.level_formats.dense import DenseLevel
from irtensor.passes.level_formats.hashed import HashedLevel
from irtensor.passes.level_formats.interface import Fiber, LevelCode, NumberedLevel
from irtensor.passes.level_formats.map import MapLevel
from irtensor.passes.level_formats.offset import OffsetLevel
from irtensor.passes.level_formats.padded import PaddedLevel
from irtensor.passes.level_formats.range import RangeLevel
from irtensor.passes.level_formats.singleton import SingletonLevel

LEVEL_FORMATS: dict[str, LevelCode] = {
    "dense": DenseLevel(),
    "compressed": CompressedLevel(),
    "singleton": SingletonLevel(),
    "bitmap": BitmapLevel(),
    "hashed": HashedLevel(),
    "padded": PaddedLevel(),
    "range": RangeLevel(),
    "offset": OffsetLevel(),
    "accumulator": AccumulatorLevel(),
    "map": MapLevel(),
}


def level_code(name: str) -> LevelCode:
    """The code of a level format. Raises UserError [level-has-no-code] if only the dialect knows it."""
    code = LEVEL_FORMATS.get(name)
    if code is None:
        message = f"no code is known for level format '{name}', which was added from outside"
        help = f"add it as irtensor.passes.level_formats.LEVEL_FORMATS['{name}'], a LevelCode"
        raise UserError("level-has-no-code", message, help=help)
    return code


def numbered_level(fiber: Fiber) -> NumberedLevel:
    """The code of a fiber's level, of which the user knows, as by a verifier, that entries are found by number."""
    code = level_code(fiber.format.name)
    assert isinstance(code, NumberedLevel), f"entries of a level that is {fiber.format.name} have no numbers"
    return code
