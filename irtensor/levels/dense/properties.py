"""Dense level: every coordinate is stored, at position parent * extent + coordinate."""

from irtensor.core.level_properties import Access, LevelProperties, Pattern

PROPERTIES = LevelProperties((), Pattern(full=True), "entries", Access(positional=True, inserts=True))
