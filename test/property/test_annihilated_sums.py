"""A sum that a sparse factor annihilates is not computed, whatever reduces the products: values and loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import irtensor as it

FORMATS = {
    "rows": it.CSR,
    "columns": it.CSC,
    "lists": it.DCSR,
    "coordinates": it.COO(2),
    "bitmap": it.Format("bitmap, compressed"),
}
REDUCTIONS: dict[str, Callable[..., Any]] = {
    "max": np.maximum.reduce,
    "min": np.minimum.reduce,
    "prod": np.multiply.reduce,
    "or": np.logical_or.reduce,
    "and": np.logical_and.reduce,
}
# What is multiplied by the entries of A[i,j], and what that is in NumPy.
SUMS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "sum(k, X[i,k] * Y[j,k])": lambda x, y: x @ y.T,
    "exp(sum(k, X[i,k] * Y[j,k]) / 8)": lambda x, y: np.exp(x @ y.T / 8),
    "min(k, X[i,k] + Y[j,k])": lambda x, y: (x[:, None] + y).min(2),
    "(1 + sum(k, X[i,k] * sum(l, Y[j,l])))": lambda x, y: 1 + x.sum(1)[:, None] * y.sum(1),
}


def operands(seed: int, rows: int, columns: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A sparse matrix without the last row, and dense ones that are infinite in a row and a column without entries."""
    rng = np.random.default_rng(seed)
    a = rng.integers(1, 5, (rows, columns)) * (rng.random((rows, columns)) < 0.4) * 1.0
    a[-1:], a[:, 1:2] = 0, 0
    x, y = rng.integers(-3, 4, (rows, 3)) * 1.0, rng.integers(-3, 4, (columns, 3)) * 1.0
    x[-1:], y[1:2] = np.inf, -np.inf
    return a, x, y


@pytest.mark.one_in(16)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("along", ["i", "j", "i, j"])
@pytest.mark.parametrize("text", SUMS)
@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("format", FORMATS)
def test_values(format: str, name: str, text: str, along: str, threads: int):
    target = {"i": "m[j]", "j": "m[i]", "i, j": "m"}[along]
    body = f"A[i,j] * {text}"
    if name in ("or", "and"):
        body += " < 3"
    kernel = it.compile(f"{target} = {name}({along}, {body})", {"A": FORMATS[format]}, num_threads=threads)
    for seed, (rows, columns) in enumerate([(7, 9), (1, 2), (4, 1)]):
        a, x, y = operands(seed, rows, columns)
        with np.errstate(all="ignore"):
            products = np.where(a != 0, a * SUMS[text](x, y), 0)
        products = products < 3 if name in ("or", "and") else products
        expected = REDUCTIONS[name](products, axis={"i": 0, "j": 1, "i, j": (0, 1)}[along])
        found = kernel(A=it.Tensor.from_numpy(a, FORMATS[format]), X=x, Y=y)
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("format", ["rows", "columns", "lists"])
def test_no_sum_is_computed_between_entries(format: str, name: str):
    text = f"m[i] = {name}(j, A[i,j] * sum(k, X[i,k] * Y[j,k]) < 3)"
    code = it.compile(text, {"A": FORMATS[format]}).ir("optimized")
    assert code.count("loop.load %Y_vals") == 1
