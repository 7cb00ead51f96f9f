"""Padded level: a list of coordinates per parent, in segments of equal length."""

from irtensor.core.level_properties import COORDINATES, SLOTS_PER_PARENT, LevelProperties

PROPERTIES = LevelProperties((SLOTS_PER_PARENT, COORDINATES), written_as="compressed")
