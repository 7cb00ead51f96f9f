"""Neighbouring runs of equal values joined by compiled code: a run is read once."""

from __future__ import annotations

import ctypes
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from irtensor.runtime.array_address import array_address
from irtensor.runtime.loop_code import code_of_loops
from irtensor.runtime.result_memory import RESULT_MEMORY

Array = np.ndarray[Any, np.dtype[Any]]

_POINTER, _NUMBER = ctypes.c_void_p, ctypes.c_int64
# Runs that are joined in one call: some 50 ms.
_STRIP = 1 << 23
# How many times the memory of the outcome is held at most, to save a copy: the rest was never touched.
_MOST_ROOM = 4
# Bytes of the elements that compiled code compares.
SIZES = (1, 2, 4, 8)


class JoinedRuns(NamedTuple):
    """Where the runs of each segment begin among all of them, where each begins and ends, and its value."""

    positions: Array
    begins: Array
    ends: Array
    values: Array


def join_runs(
    positions: Array, begins: Array | None, ends: Array, values: Array, fill: Any, extent: int, covers: bool
) -> JoinedRuns | None:
    """The runs of segments of `extent` coordinates, where those that touch and have equal bits are one.

    Segment s has the runs from `positions[s]` to `positions[s + 1]`, in order, from `begins`, or without it from where
    the run before ends, to `ends`; there is at least one. Runs without a coordinate are omitted. With `covers` gaps
    become runs of the fill value, else runs of the fill value become gaps. Positions of the outcome are int64, other
    arrays have the types of the arguments. None where positions are not those of segments.
    """
    segments, number = positions.size - 1, values.size
    room = number + 1 if not covers else segments + 1 + (number if begins is None else 2 * number)
    to = np.zeros(segments + 1, np.int64)
    new = [RESULT_MEMORY.empty((room,), array.dtype) for array in (ends, ends, values)]
    kept = [np.ascontiguousarray(one) for one in (positions, ends if begins is None else begins, ends, values)]
    fills = np.full(1, fill, values.dtype)
    join = _function(positions.itemsize, ends.itemsize, values.itemsize)
    addresses = [array_address(array) for array in (*kept, fills, to, *new)]
    whole = begins is not None, covers, extent, number
    # Between two strips, Python sees to signals, Ctrl-C among them.
    strips = np.searchsorted(kept[0], np.arange(_STRIP, number, _STRIP).astype(positions.dtype))
    bounds = [0, *map(int, strips), segments]
    for first, last in pairwise(bounds):
        if join(*addresses, *map(int, whole), first, last):
            return None
    count = int(to[-1])
    # Memory is not held for very much more than there is.
    return JoinedRuns(to, *(array[:count] if _MOST_ROOM * count >= room else array[:count].copy() for array in new))


@cache
def _function(position: int, coordinate: int, element: int) -> Any:
    code = code_of_loops("join_runs", position=position, coordinate=coordinate, element=element)
    return code.exported("join", ctypes.c_int32, *(_POINTER,) * 9, *(_NUMBER,) * 6)
