"""Hashed level: a table per parent."""

from irtensor.core.level_properties import COORDINATES, SLOTS_PER_PARENT, Access, LevelProperties, Pattern

PROPERTIES = LevelProperties(
    (SLOTS_PER_PARENT, COORDINATES),
    Pattern(unordered=True),
    access=Access(inserts=True, looks_up=True),
    in_workspace="map",
    written_as="compressed",
)
