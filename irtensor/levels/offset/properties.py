"""Offset level: the coordinate that follows from a diagonal and another coordinate."""

from irtensor.dialects.level_properties import LevelProperties

PROPERTIES = LevelProperties(
    branchless=True, compact=True, inserts=True, positional=True, along_diagonals=True, written_as="compressed"
)
