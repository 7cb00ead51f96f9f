"""Hashed level: a table per parent."""

from irtensor.dialects.level_properties import COORDINATES, SLOTS_PER_PARENT, LevelProperties

PROPERTIES = LevelProperties(
    (SLOTS_PER_PARENT, COORDINATES),
    inserts=True,
    equal_segments=True,
    unordered=True,
    looks_up=True,
    in_workspace="map",
    written_as="compressed",
)
