"""Sparse run list: runs of equal children, and gaps between them."""

from irtensor.core.level_properties import COORDINATES, POSITIONS, RUN_BEGINS, LevelProperties

PROPERTIES = LevelProperties((POSITIONS, RUN_BEGINS, COORDINATES), pieces="runs")
