"""Ragged level: the first coordinates of each parent, as many as it has."""

from irtensor.core.level_properties import OFFSETS, LevelProperties, Pattern

PROPERTIES = LevelProperties(
    (OFFSETS,), Pattern(fills_gaps=True, structured=True), written_as="compressed", written_at_once=True
)
