"""Sorting by one key against NumPy's stable sorting."""

import numpy as np
import pytest

from irtensor.runtime.counting_sort import positions_by_key, put_in_order


@pytest.mark.parametrize("key_type", ["int32", "int64"])
@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "float64", "complex128"])
@pytest.mark.parametrize(("entries", "extent"), [(0, 0), (0, 5), (1, 1), (5000, 1), (5000, 7), (5000, 9000)])
def test_entries_are_put_in_stable_order(key_type: str, dtype: str, entries: int, extent: int):
    rng = np.random.default_rng(extent)
    # Not contiguous.
    key = rng.integers(0, max(extent, 1), 2 * entries).astype(key_type)[::2]
    moved = rng.integers(0, 1000, 2 * entries).astype(dtype)[1::2]
    before = key.copy(), moved.copy()
    found = positions_by_key(key, extent)
    assert found is not None
    positions, counts = found
    order = np.argsort(key, kind="stable")
    np.testing.assert_array_equal(put_in_order(moved, positions), moved[order])
    np.testing.assert_array_equal(put_in_order(key, positions), key[order])
    np.testing.assert_array_equal(counts, np.bincount(key, minlength=extent))
    for array, copy in zip((key, moved), before, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize("key_type", ["int32", "int64"])
@pytest.mark.parametrize("wrong", [-1, 7, 1 << 30, -(1 << 31)])
def test_nothing_is_counted_outside_of_the_extent(key_type: str, wrong: int):
    assert positions_by_key(np.array([0, 6, wrong, 3], key_type), 7) is None
    assert positions_by_key(np.zeros(1, key_type), 0) is None
