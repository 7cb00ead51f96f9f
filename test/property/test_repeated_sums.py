"""Sums that a statement needs again and again have the values that they have in a statement of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import irtensor as it

DISTANCES = "D[i,k] = sum(j, C[k,j] * C[k,j]) - 2 * sum(j, X[i,j] * B[k,j])"


def operands(dtype: str, rows: int, centres: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    x = rng.integers(0, 4, (rows, columns)) * (rng.random((rows, columns)) < 0.3)
    c = rng.integers(0, 5, (centres, columns))
    if dtype.startswith("complex"):
        return (x * (1 - 2j)).astype(dtype), (c * (2 + 1j)).astype(dtype)
    return x.astype(dtype), c.astype(dtype)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int8", "int16", "complex128"])
@pytest.mark.parametrize("format", [it.CSR, it.CSC, "dense, dense"], ids=["rows", "columns", "dense"])
def test_distances(format: Any, dtype: str, threads: int):
    kernel = it.compile(DISTANCES, formats={"X": format}, num_threads=threads)
    for extents in [(9, 4, 7), (1, 4, 7), (40, 24, 33), (0, 4, 7), (9, 0, 7), (9, 4, 0), (0, 0, 0)]:
        x, c = operands(dtype, *extents)
        found = kernel(X=it.Tensor.from_numpy(x, format), C=c, B=c)
        expected = (c * c).sum(1, dtype=dtype) - np.array(2, dtype) * (x @ c.T)
        assert found.dtype == expected.dtype
        # All are integers, whose sums are exact in any order.
        np.testing.assert_array_equal(found, expected)
