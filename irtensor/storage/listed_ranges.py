"""Ranges of coordinates, or of positions, as lists."""

from __future__ import annotations

import numpy as np

from irtensor.storage.level_storage import Array


def listed_ranges(begins: Array, lengths: Array) -> tuple[Array, Array]:
    """All coordinates of some ranges, one range after the other, and the number of the range that each is of."""
    ranges = np.repeat(np.arange(lengths.size), lengths)
    return np.arange(ranges.size) + np.repeat(begins - (np.cumsum(lengths) - lengths), lengths), ranges


def numbers_of_segments(delimiters: Array) -> Array:
    """The number of the segment that each position is in, of segments that begin where an array says, from 0 on."""
    return np.repeat(np.arange(delimiters.size - 1), np.diff(delimiters))
