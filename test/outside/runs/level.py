"""A level format from outside of irtensor: runs of equal values, which cover every coordinate.

`positions` delimit the runs of each parent, `coordinates` say where each run ends (exclusive).
"""

from runs.code import RunsLevel
from runs.store import RunsStore

import irtensor as it
from irtensor.core.level_properties import COORDINATES, POSITIONS, LevelProperties, Pattern

PROPERTIES = LevelProperties((POSITIONS, COORDINATES), Pattern(full=True), "runs", written_as="dense")
it.register_level("runs", PROPERTIES, RunsLevel(), RunsStore())
