"""Bitmap level: a position per coordinate, and a flag that says whether it is stored."""

from irtensor.core.level_properties import FLAGS, Access, LevelProperties

PROPERTIES = LevelProperties((FLAGS,), access=Access(positional=True, inserts=True), in_workspace="accumulator")
