"""Map level: a map from coordinates to positions in order of insertion; in workspaces."""

from irtensor.core.level_properties import COORDINATES, POSITIONS, SLOTS, Access, LevelProperties

PROPERTIES = LevelProperties(
    (POSITIONS, COORDINATES, SLOTS), pieces="entries", access=Access(inserts=True), workspace="map"
)
