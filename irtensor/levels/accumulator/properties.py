"""Accumulator level: a position per coordinate, and a list of those that are stored; in workspaces."""

from irtensor.core.level_properties import COORDINATES, Access, LevelProperties

PROPERTIES = LevelProperties(
    (COORDINATES,), access=Access(positional=True, inserts=True, looks_up=True), workspace="set"
)
