"""Dense level: every coordinate is stored, at position parent * extent + coordinate."""

from irtensor.dialects.level_properties import LevelProperties

PROPERTIES = LevelProperties(full=True, compact=True, inserts=True, positional=True)
