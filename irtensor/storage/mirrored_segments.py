"""Symmetric matrices in segments, as in CSR: the whole of a stored half, and the half of a whole, without sorting."""

from __future__ import annotations

import numpy as np

from irtensor.runtime.transpose_segments import transpose_segments
from irtensor.storage.level_storage import Array
from irtensor.storage.listed_ranges import listed_ranges, numbers_of_segments
from irtensor.storage.symmetric_entries import same_values

# Positions, coordinates and values.
Segments = tuple[Array, Array, Array]


def whole_segments(segments: Segments, is_upper: bool) -> Segments | None:
    """The segments of a symmetric matrix, in order, of those of its half; None if they are not segments.

    `is_upper` says that coordinates are at least the number of their segment, otherwise they are at most that.
    """
    mirrors = transpose_segments(*segments, segments[0].size - 1)
    if mirrors is None:
        return None
    first, second = (mirrors, segments) if is_upper else (segments, mirrors)
    numbers = np.arange(segments[0].size - 1)
    lengths, others = (np.diff(one[0]).astype(np.int64) for one in (first, second))
    # An element of the diagonal ends one of both and begins the other.
    on_diagonal = np.zeros(numbers.size, np.int64)
    begun = np.flatnonzero(others)
    on_diagonal[begun] = second[1][second[0][begun]] == begun
    ends = np.cumsum(lengths + others - on_diagonal)
    count = int(ends[-1]) if ends.size else 0
    coordinates, values = np.empty(count, segments[1].dtype), np.empty(count, segments[2].dtype)
    begins = ends - lengths - others + on_diagonal
    for (_, its_coordinates, its_values), its_lengths, at in (
        (first, lengths, begins),
        (second, others, ends - others),
    ):
        slots, _ = listed_ranges(at, its_lengths)
        coordinates[slots], values[slots] = its_coordinates, its_values
    return np.concatenate([[0], ends]).astype(segments[0].dtype), coordinates, values


def half_segments(segments: Segments, is_upper: bool) -> Segments | None:
    """The half with the diagonal of a matrix in segments; None where it is not known to be symmetric."""
    positions, coordinates, values = segments
    mirrors = transpose_segments(*segments, positions.size - 1)
    if mirrors is None or not all(map(np.array_equal, mirrors[:2], segments[:2])):
        return None
    if not same_values(mirrors[2], values).all():
        return None
    numbers = numbers_of_segments(positions)
    kept = coordinates >= numbers if is_upper else coordinates <= numbers
    before = np.concatenate([[0], np.cumsum(kept)])
    return before[positions].astype(positions.dtype), coordinates[kept], values[kept]
