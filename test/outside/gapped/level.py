"""A level format from outside of irtensor: lists with room behind them, as in the four-array form of CSR.

`begins` and `ends` say where the list of each parent is in `coordinates`. What lies between two lists is not read.
"""

from gapped.code import GappedLevel
from gapped.store import GappedStore

import irtensor as it
from irtensor.core.level_properties import COORDINATES, LevelArray, LevelProperties

BEGINS = LevelArray("begins", "beg", "position", "parents")
ENDS = LevelArray("ends", "end", "position", "parents")

it.register_level("gapped", LevelProperties((BEGINS, ENDS, COORDINATES)), GappedLevel(), GappedStore())
