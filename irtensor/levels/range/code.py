"""Range level: a position for each coordinate; only those on a diagonal are used (Kjolstad 2020, table 2.14).

The loops around run along the diagonals and reach no others (`split-diagonals`), so that it is found as a dense level.
"""

from __future__ import annotations

from irtensor.levels.dense.code import DirectLevel


class RangeLevel(DirectLevel):
    """Only coordinates on the diagonal are looked up, the other positions hold nothing."""
