"""Run list: runs of equal children, which cover all coordinates of each parent."""

from irtensor.core.level_properties import COORDINATES, POSITIONS, LevelProperties, Pattern

PROPERTIES = LevelProperties((POSITIONS, COORDINATES), Pattern(full=True), "runs", written_as="sparse_run_list")
