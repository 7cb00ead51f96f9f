"""Range level: a position per coordinate along a diagonal."""

from irtensor.dialects.level_properties import LevelProperties

PROPERTIES = LevelProperties(inserts=True, positional=True, along_diagonals=True, written_as="dense")
