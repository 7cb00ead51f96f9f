"""Sorting by digits against NumPy's stable sorting."""

import numpy as np
import pytest

from irtensor.runtime.radix_sort import sort_words


@pytest.mark.parametrize("dtype", ["bool", "int8", "int16", "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("first, end", [(0, 0), (0, 3), (5, 6), (0, 11), (2, 23), (0, 41), (30, 63)])
def test_words_and_what_moves_with_them(dtype: str, first: int, end: int):
    rng = np.random.default_rng(end)
    words = rng.integers(0, 2**63, 3000, dtype=np.int64) >> 63 - max(end, 1)
    moved = (rng.normal(size=6000) + 1j * rng.normal(size=6000)).astype(dtype)[::2] if dtype[0] == "c" else None
    moved = rng.integers(0, 2**15, 6000).astype(dtype)[::2] if moved is None else moved
    before = words.copy(), moved.copy()
    order = np.argsort((words >> first) & ((1 << (end - first)) - 1), kind="stable")
    sorted_words, followed = sort_words(words, moved, first, end)
    np.testing.assert_array_equal(sorted_words, words[order])
    np.testing.assert_array_equal(followed, moved[order])
    for array, copy in zip((words, moved), before, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize("entries", [0, 1, 2])
def test_few_words(entries: int):
    words, moved = sort_words(np.arange(entries)[::-1].copy(), np.arange(entries), 0, 4)
    np.testing.assert_array_equal(words, np.arange(entries))
    np.testing.assert_array_equal(moved, np.arange(entries)[::-1])
