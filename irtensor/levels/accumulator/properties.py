"""Accumulator level: a position per coordinate, and a list of those that are stored; in workspaces."""

from irtensor.dialects.level_properties import COORDINATES, LevelProperties

PROPERTIES = LevelProperties(
    (COORDINATES,), inserts=True, positional=True, workspace_only=True, lists_all=True, looks_up=True
)
