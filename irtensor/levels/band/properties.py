"""Band level: one block of coordinates per parent."""

from irtensor.core.level_properties import ENDS, OFFSETS, LevelProperties, Pattern

PROPERTIES = LevelProperties(
    (ENDS, OFFSETS), Pattern(fills_gaps=True, structured=True), written_as="compressed", written_at_once=True
)
