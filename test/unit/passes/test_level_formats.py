"""What the properties of a level format say it can do, its class does, and nothing else."""

import pytest

from irtensor.levels.known_levels import LEVEL_PROPERTIES
from irtensor.levels.level_codes import LEVEL_CODES
from irtensor.passes.level_formats.interface import CompactLevel, NumberedLevel, WrittenLevel


def test_every_level_format_has_code():
    assert LEVEL_CODES.keys() == LEVEL_PROPERTIES.keys()


@pytest.mark.parametrize("name", LEVEL_PROPERTIES)
def test_properties_are_those_of_the_class(name):
    properties, code = LEVEL_PROPERTIES[name], LEVEL_CODES[name]
    assert isinstance(code, CompactLevel) == (properties.pieces == "entries" and properties.workspace is None)
    assert isinstance(code, NumberedLevel) == properties.numbers_entries
    assert isinstance(code, WrittenLevel) == properties.is_written
