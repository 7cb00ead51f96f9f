"""Stable sorting of 64-bit words in time of their number by compiled code: passes count a digit and move the words.

NumPy sorts by comparisons, and then each array has to be gathered in the order found; here a value moves with its word.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from irtensor.runtime.loop_code import code_of_loops
from irtensor.runtime.result_memory import RESULT_MEMORY

Array = np.ndarray[Any, np.dtype[Any]]

# Buckets enough that few passes do, and few enough that the places written to stay in the first cache.
_DIGIT = 10
_ARGUMENTS = (ctypes.c_void_p,) * 4 + (ctypes.c_int64,) * 3 + (ctypes.c_void_p,)


def sort_words(words: Array, moved: Array, first: int, end: int) -> tuple[Array, Array]:
    """Nonnegative int64 `words` and the elements `moved` along with them, sorted by bits `first` to `end` - 1 of words.

    The order of words equal in these bits is kept. The arrays given stay as they are.
    """
    passes = -(-(end - first) // _DIGIT)
    if not passes:
        return words, moved
    digit = -(-(end - first) // passes)
    move = _move_by_digit(moved.itemsize)
    counts = np.empty((1 << digit) + 1, np.int64)
    source = np.ascontiguousarray(words), np.ascontiguousarray(moved)
    targets = [_like(source) for _ in range(min(passes, 2))]
    for number in range(passes):
        counts.fill(0)
        target = targets[number % 2]
        pointers = [array.ctypes.data for array in (*source, *target)]
        move(*pointers, words.size, first + number * digit, (1 << digit) - 1, counts.ctypes.data)
        source = target
    return source


def _like(arrays: tuple[Array, Array]) -> tuple[Array, Array]:
    words, moved = (RESULT_MEMORY.empty(array.shape, array.dtype) for array in arrays)
    return words, moved


@cache
def _move_by_digit(size: int) -> Any:
    return code_of_loops("radix_sort", element=size).as_ctypes(*_ARGUMENTS)
