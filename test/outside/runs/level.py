"""A level format from outside of irtensor: runs of equal values, which cover every coordinate.

`positions` delimit the runs of each parent, `coordinates` say where each run ends (exclusive).
"""

from runs.code import RunsLevel
from runs.store import RunsStore

import irtensor as it
from irtensor.dialects.level_properties import COORDINATES, POSITIONS, LevelProperties

it.register_level(
    "runs", LevelProperties((POSITIONS, COORDINATES), full=True, written_as="dense"), RunsLevel(), RunsStore()
)
