"""Compressed level: a list of coordinates per parent."""

from irtensor.dialects.level_properties import COORDINATES, POSITIONS, LevelProperties

PROPERTIES = LevelProperties((POSITIONS, COORDINATES), compact=True, may_relax=True)
