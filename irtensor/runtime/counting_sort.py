"""Stable sorting by one small key in a single pass, by compiled code: a transposition is that.

First the position of each entry is computed, then arrays of any element type are put in that order.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from irtensor.runtime.loop_code import code_of_loops
from irtensor.runtime.result_memory import RESULT_MEMORY

Array = np.ndarray[Any, np.dtype[Any]]

KEY_SIZES = (4, 8)
_POINTER, _NUMBER = ctypes.c_void_p, ctypes.c_int64
# Positions are 32-bit, which is half the memory.
MOST_ENTRIES = (1 << 31) - 1


def positions_by_key(key: Array, extent: int) -> tuple[Array, Array] | None:
    """The position of each entry where they are sorted by `key`, and for each coordinate how many entries have it.

    Entries with equal coordinates keep their order. `key` has at most `MOST_ENTRIES` integers of 4 or 8 bytes; None if
    one of them is not in [0, extent).
    """
    counts = np.zeros(extent, np.int64)
    ends = np.empty(extent + 1, np.int64)
    positions = RESULT_MEMORY.empty(key.shape, np.dtype(np.int32))
    key = np.ascontiguousarray(key)
    pointers = [array.ctypes.data for array in (key, counts, ends, positions)]
    failed = _sort(key.itemsize)(*pointers, key.size, extent)
    return None if failed else (positions, counts)


def put_in_order(array: Array, positions: Array) -> Array:
    """A new array with the elements of `array` where `positions`, a permutation, says."""
    moved = RESULT_MEMORY.empty(array.shape, array.dtype)
    array = np.ascontiguousarray(array)
    _move(array.itemsize)(array.ctypes.data, positions.ctypes.data, moved.ctypes.data, array.size)
    return moved


@cache
def _sort(size: int) -> Any:
    return code_of_loops("counting_sort", key=size).as_ctypes(*(_POINTER,) * 4, _NUMBER, _NUMBER)


@cache
def _move(size: int) -> Any:
    return code_of_loops("put_in_order", element=size).as_ctypes(*(_POINTER,) * 3, _NUMBER)
