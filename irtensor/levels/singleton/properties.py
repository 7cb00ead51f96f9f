"""Singleton level: one coordinate per parent."""

from irtensor.dialects.level_properties import COORDINATES, LevelProperties

PROPERTIES = LevelProperties(
    (COORDINATES,),
    branchless=True,
    compact=True,
    may_relax=True,
    needs_coordinates_above=True,
    without_parent="compressed",
)
