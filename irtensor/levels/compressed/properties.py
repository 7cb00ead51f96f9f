"""Compressed level: a list of coordinates per parent."""

from irtensor.core.level_properties import COORDINATES, POSITIONS, LevelProperties, Pattern

PROPERTIES = LevelProperties((POSITIONS, COORDINATES), Pattern(may_relax=True), "entries")
