"""Map level: a map from coordinates to positions in order of insertion; in workspaces."""

from irtensor.dialects.level_properties import COORDINATES, POSITIONS, SLOTS, LevelProperties

PROPERTIES = LevelProperties(
    (POSITIONS, COORDINATES, SLOTS), compact=True, inserts=True, workspace_only=True, has_slots=True
)
