"""Transposition of a list of coordinates in segments, as of CSR to CSC, by compiled code: an entry is moved once.

Other conversions go through the coordinates of all dimensions; this one, the most frequent, makes none of them.
"""

from __future__ import annotations

import ctypes
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from irtensor.runtime.array_address import array_address
from irtensor.runtime.loop_code import code_of_loops
from irtensor.runtime.result_memory import RESULT_MEMORY

Array = np.ndarray[Any, np.dtype[Any]]

_POINTER, _NUMBER = ctypes.c_void_p, ctypes.c_int64
# Entries that are counted or moved in one call: some 50 ms where each is a cache miss.
_STRIP = 1 << 20


def transpose_segments(
    positions: Array, coordinates: Array, values: Array, extent: int
) -> tuple[Array, Array, Array] | None:
    """Positions, coordinates and values with a segment for each of `extent` coordinates, which holds, in order, the
    numbers of the segments that had it.

    Segment s of the arguments has the elements from `positions[s]` to `positions[s + 1]` of `coordinates` and `values`.
    Integers are signed, and results have the types of the arguments. None where those are not segments
    of all elements, or a coordinate is not in [0, extent).
    """
    # Where segment s is being filled is kept where its end will be, one further on. Behind all is their sum.
    ends = np.zeros(extent + 2, positions.dtype)
    numbers = RESULT_MEMORY.empty(coordinates.shape, coordinates.dtype)
    moved = RESULT_MEMORY.empty(values.shape, values.dtype)
    given = [np.ascontiguousarray(array) for array in (positions, coordinates, values)]
    positions = given[0]
    check, count, sum_up, move = _functions(positions.itemsize, coordinates.itemsize, values.itemsize)
    segments = positions.size - 1
    at, crd, vals, to, new, out = [array_address(array) for array in (*given, ends, numbers, moved)]
    if check(at, segments, values.size):
        return None
    # Between two strips, Python sees to signals, Ctrl-C among them.
    for first in range(0, values.size, _STRIP):
        if count(crd, to, extent, first, min(first + _STRIP, values.size)):
            return None
    sum_up(to, extent)
    strips = np.searchsorted(positions, np.arange(_STRIP, values.size, _STRIP).astype(positions.dtype))
    bounds = [0, *map(int, strips), segments]
    for first, last in pairwise(bounds):
        move(at, crd, vals, to, new, out, first, last)
    return ends[: extent + 1], numbers, moved


@cache
def _functions(position: int, coordinate: int, element: int) -> tuple[Any, ...]:
    code = code_of_loops("transpose_segments", position=position, coordinate=coordinate, element=element)
    signatures: dict[str, tuple[Any, ...]] = {
        "check": (_POINTER, *(_NUMBER,) * 2),
        "count": (*(_POINTER,) * 2, *(_NUMBER,) * 3),
        "sum": (_POINTER, _NUMBER),
        "move": (*(_POINTER,) * 6, *(_NUMBER,) * 2),
    }
    return tuple(code.exported(name, ctypes.c_int32, *types) for name, types in signatures.items())
