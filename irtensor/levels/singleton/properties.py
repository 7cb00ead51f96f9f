"""Singleton level: one coordinate per parent."""

from irtensor.core.level_properties import COORDINATES, LevelProperties, Pattern

PROPERTIES = LevelProperties(
    (COORDINATES,),
    Pattern(branchless=True, may_relax=True, needs_coordinates_above=True),
    "entries",
    without_parent="compressed",
    below_full="point",
)
