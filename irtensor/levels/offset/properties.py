"""Offset level: the coordinate that follows from a diagonal and another coordinate."""

from irtensor.core.level_properties import Access, LevelProperties, Pattern

PROPERTIES = LevelProperties(
    (),
    Pattern(branchless=True, along_diagonals=True),
    "entries",
    Access(positional=True, inserts=True),
    written_as="compressed",
)
