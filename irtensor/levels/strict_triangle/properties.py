"""Strict triangle level: the coordinates before that of the level above."""

from irtensor.levels.triangle.properties import PROPERTIES as PROPERTIES
