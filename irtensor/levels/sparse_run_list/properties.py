"""Sparse run list: runs of equal children, and gaps between them."""

from irtensor.core.level_properties import BEGINS, COORDINATES, POSITIONS, LevelProperties

PROPERTIES = LevelProperties((POSITIONS, BEGINS, COORDINATES), pieces="runs")
