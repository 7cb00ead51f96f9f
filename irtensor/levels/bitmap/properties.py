"""Bitmap level: a position per coordinate, and a flag that says whether it is stored."""

from irtensor.dialects.level_properties import FLAGS, LevelProperties

PROPERTIES = LevelProperties((FLAGS,), inserts=True, positional=True, in_workspace="accumulator")
