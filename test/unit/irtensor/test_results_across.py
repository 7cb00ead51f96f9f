"""Dense results that are updated at the columns of entries are transposed meanwhile, if there are enough entries."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
import scipy.sparse as sp

import irtensor as it

ROWS, COLUMNS, RANK = 40, 30, 5
DTYPES = ("int8", "int32", "float32", "float64", "complex64", "complex128")


def operands(count: int, dtype: str) -> tuple[sp.csr_array, np.ndarray]:
    """A matrix of which the first and the last rows are empty, and a dense one."""
    rng = np.random.default_rng(count)
    rows, columns = rng.integers(3, ROWS - 2, count), rng.integers(0, COLUMNS, count)
    values = rng.integers(1, 4, count).astype(dtype)
    return sp.csr_array(sp.coo_array((values, (rows, columns)), (ROWS, COLUMNS))), rng.integers(
        0, 4, (ROWS, RANK)
    ).astype(dtype)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("count", [0, 1, 29, 59, 65, 400])
@pytest.mark.parametrize("dtype", DTYPES)
def test_sums(dtype: str, count: int, threads: int):
    """Bit for bit: the numbers are small integers."""
    v, w = operands(count, dtype)
    kernel = it.compile("R[k,j] = W[i,k] * V[i,j]", formats={"V": it.CSR}, num_threads=threads)
    found = np.asarray(kernel(W=w, V=v))
    assert found.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(found, w.T @ v.toarray())


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("count", [0, 40, 400])
@pytest.mark.parametrize("given", [False, True])
def test_old_values_and_other_operators(given: bool, count: int, threads: int):
    v, w = operands(count, "float64")
    old = np.arange(RANK * COLUMNS, dtype=float).reshape(RANK, COLUMNS) - 70
    dense = np.where(v.toarray() == 0, np.inf, v.toarray())
    far = it.Tensor.from_numpy(dense, "dense, compressed, fill = inf")
    text = "R[k,j] min= W[i,k] + V[i,j]" if given else "R[k,j] = min(i, W[i,k] + V[i,j])"
    kernel = it.compile(text, formats={"V": far.format}, num_threads=threads)
    least = (w[:, :, np.newaxis] + dense[:, np.newaxis, :]).min(axis=0)
    found = kernel(W=w, V=far, R=old.copy()) if given else kernel(W=w, V=far)
    np.testing.assert_array_equal(np.asarray(found), np.minimum(old, least) if given else least)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("count", [0, 40, 400])
@pytest.mark.parametrize("format", ["csr", "csc"])
def test_with_sums_of_their_own(format: Literal["csr", "csc"], count: int, threads: int):
    """As in the updates of factors: a quotient by a sum, and a factor and another sum behind the sum."""
    v, w = operands(count, "float64")
    w, h = w + 1, np.random.default_rng(1).random((RANK, COLUMNS)) + 1
    formats = {"V": it.Tensor.from_scipy(v.asformat(format)).format}
    inside = it.compile(
        "R[k,j] = sum(i, W[i,k] * V[i,j] / sum(l, W[i,l] * H[l,j]))", formats=formats, num_threads=threads
    )
    expected = w.T @ (v.toarray() / (w @ h))
    np.testing.assert_allclose(np.asarray(inside(V=v.asformat(format), W=w, H=h)), expected, rtol=1e-12)
    behind = it.compile(
        "R[k,j] = H[k,j] * sum(i, W[i,k] * V[i,j]) / sum(l, G[k,l] * H[l,j])", formats=formats, num_threads=threads
    )
    expected = h * (w.T @ v.toarray()) / (w.T @ w @ h)
    np.testing.assert_allclose(np.asarray(behind(V=v.asformat(format), W=w, H=h, G=w.T @ w)), expected, rtol=1e-12)


def test_rows_of_a_product_are_computed_by_themselves():
    """Nothing asks for the rows of the result inside of a loop: each is added up in a row of its own."""
    loops = it.compile("R[k,j] = B[k,i] * V[i,j]", formats={"V": it.CSR}).explain()
    assert loops.index("for k:") < loops.index("for i:") < loops.index("for j:")
