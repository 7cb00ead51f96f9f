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

# Parts enough that few passes do, and few enough that the memory written to stays in the first cache.
_DIGIT = 10
# The digits by which entries of a part are sorted, which all stay in the cache.
_SMALL_DIGIT = 9
# More entries than this are not in the cache at once. Of a sample, one part has less than a share of one in so many.
_MANY, _SHARE, _SAMPLE = 1 << 17, 16, 1 << 10
_ARRAYS = (ctypes.c_void_p,) * 4
_RANGE_AND_DIGIT = (ctypes.c_int64,) * 4


def sort_words(words: Array, moved: Array, first: int, end: int) -> tuple[Array, Array]:
    """Nonnegative int64 `words` and the elements `moved` along with them, sorted by bits `first` to `end` - 1 of words.

    The order of words equal in these bits is kept. The arrays given stay as they are.
    """
    passes = -(-(end - first) // _DIGIT)
    if not passes:
        return words, moved
    source = np.ascontiguousarray(words), np.ascontiguousarray(moved)
    if passes > 2 and words.size > _MANY and _has_small_parts(words, end - _DIGIT):
        return _sort_by_parts(source, first, end - _DIGIT)
    digit = -(-(end - first) // passes)
    counts = np.empty((1 << digit) + 1, np.int64)
    targets = [_like(source) for _ in range(min(passes, 2))]
    for number in range(passes):
        _move(source, targets[number % 2], first + number * digit, digit, counts)
        source = targets[number % 2]
    return source


def _has_small_parts(words: Array, shift: int) -> bool:
    """Whether the highest digit of words divides them into parts that are small, as a sample says."""
    sample = words[:: max(words.size // _SAMPLE, 1)] >> shift
    return int(np.bincount(sample, minlength=1).max()) * _SHARE < sample.size


def _sort_by_parts(source: tuple[Array, Array], first: int, shift: int) -> tuple[Array, Array]:
    """Sort by the highest digit, from bit `shift` on, and then each part by the bits from `first` on below that."""
    target, other = _like(source), _like(source)
    ends = np.empty((1 << _DIGIT) + 1, np.int64)
    _move(source, target, shift, _DIGIT, ends)
    pairs = -(-(shift - first) // (2 * _SMALL_DIGIT))
    digit = -(-(shift - first) // (2 * pairs))
    counts = np.empty((1 << digit) + 1, np.int64)
    sort = _functions(source[1].itemsize)[1]
    sort(*_addresses(target, other), ends.ctypes.data, 1 << _DIGIT, first, digit, pairs, counts.ctypes.data)
    return target


def _move(source: tuple[Array, Array], target: tuple[Array, Array], shift: int, digit: int, counts: Array) -> None:
    move = _functions(source[1].itemsize)[0]
    move(*_addresses(source, target), 0, source[0].size, shift, (1 << digit) - 1, counts.ctypes.data)


def _addresses(*pairs: tuple[Array, Array]) -> list[int]:
    return [array.ctypes.data for pair in pairs for array in pair]


def _like(arrays: tuple[Array, Array]) -> tuple[Array, Array]:
    words, moved = (RESULT_MEMORY.empty(array.shape, array.dtype) for array in arrays)
    return words, moved


@cache
def _functions(size: int) -> tuple[Any, Any]:
    code = code_of_loops("radix_sort", element=size)
    move = code.as_ctypes(*_ARRAYS, *_RANGE_AND_DIGIT, ctypes.c_void_p)
    parts = (*_ARRAYS, ctypes.c_void_p, *_RANGE_AND_DIGIT, ctypes.c_void_p)
    return move, code.exported("sort_parts", ctypes.c_int32, *parts)
