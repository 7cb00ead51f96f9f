"""Matrices in every pair of levels, symmetric ones too, in statements of every kind, against dense NumPy."""

from itertools import product

import numpy as np
import pytest

import irtensor as it

LEVELS = (
    "dense",
    "compressed",
    "run_list",
    "sparse_run_list",
    "block_list",
    "point",
    "band",
    "ragged",
    "interval",
    "bitmap",
    "hashed",
)
SYMMETRIC = tuple(pair for pair in product(LEVELS, LEVELS) if pair[0] not in ("point", "interval"))


def fiber(level, random, extent):
    """Elements of a row that a level can hold."""
    found = np.zeros(extent)
    if level == "point":
        found[random.integers(extent)] = random.integers(1, 4)
    elif level == "interval":
        begin = random.integers(extent)
        found[begin : begin + 3] = random.integers(1, 4)
    else:
        found[:] = random.integers(0, 3, extent) * (random.random(extent) < 0.6)
    return found


def matrix(outer, inner, random, shape):
    found = np.zeros(shape)
    begin = random.integers(shape[0])
    rows = {"point": [begin], "interval": [*range(begin, min(shape[0], begin + 2))]}.get(outer, [*range(shape[0])])
    same = fiber(inner, random, shape[1])
    for row in rows:
        found[row] = same if outer == "interval" else fiber(inner, random, shape[1])
    return found


def checked(stored, dense, random):
    """Every kind of statement about a matrix has the value that the dense one has."""
    rows, columns = dense.shape
    x, z = random.integers(0, 3, columns).astype(float), random.integers(0, 3, rows).astype(float)
    other = (random.random(dense.shape) < 0.4) * random.integers(1, 3, dense.shape).astype(float)
    B = it.Tensor.from_numpy(other, "csr")
    np.testing.assert_array_equal(stored.to_numpy(), dense)
    np.testing.assert_array_equal(stored.to_format("csr").to_numpy(), dense)
    for text, operands, expected in (
        ("y[i] = A[i,j] * x[j]", {"x": x}, dense @ x),
        ("y[j] = A[i,j] * z[i]", {"z": z}, z @ dense),
        ("s = A[i,j]", {}, dense.sum()),
        ("C[i,j] = A[i,j] * B[i,j]", {"B": B}, dense * other),
        ("C[i,j] = A[i,j] + B[i,j]", {"B": B}, dense + other),
        ("y[i] = sum(j, A[i,j] * B[i,j] + 1)", {"B": B}, (dense * other + 1).sum(axis=1)),
        ("y[i] = max(j, A[i,j])", {}, dense.max(axis=1)),
        ("C[j,i] = A[i,j] * 2", {}, dense.T * 2),
        ("C[i,k] = A[i,j] * A[k,j]", {}, dense @ dense.T),
    ):
        found = it.compile(text)(A=stored, **operands)
        np.testing.assert_array_equal(found, expected, err_msg=f"{text}, A: {stored.format}\n{dense}")


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("outer", "inner"), [*product(LEVELS, LEVELS)])
def test_pairs(outer, inner):
    random = np.random.default_rng(sum(map(ord, outer + inner)))
    dense = matrix(outer, inner, random, (5, 6))
    checked(it.Tensor.from_numpy(dense, f"{outer}, {inner}"), dense, random)


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("outer", "inner"), SYMMETRIC)
def test_symmetric_pairs(outer, inner):
    """Mirrors need not fit into the levels of the stored part."""
    random = np.random.default_rng(sum(map(ord, outer + inner)))
    upper = np.triu(matrix(outer, inner, random, (5, 5)))
    dense = upper + np.triu(upper, 1).T
    stored = it.Tensor.from_numpy(dense, f"{outer}, {inner}, symmetric")
    stored.check()
    checked(stored, dense, random)
    if not stored.format.is_dense:
        np.testing.assert_array_equal((stored + stored).to_numpy(), 2 * dense)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("band, interval", "compressed, compressed"),
        ("band, band", "compressed, compressed"),
        ("ragged, interval", "compressed, compressed"),
        ("ragged, band", "compressed, band"),
        ("band, interval", "band, interval"),
    ],
)
def test_rows_behind_the_last_of_a_structure(one, other):
    """A sum over gaps reads no fiber behind the last one."""
    a, b = np.zeros((6, 8)), np.zeros((6, 8))
    a[1:3, 2:5], b[1, 3:6] = 2, 3
    kernel = it.compile("y[i] = sum(j, A[i,j] * B[i,j] + 1)")
    found = kernel(A=it.Tensor.from_numpy(a, one), B=it.Tensor.from_numpy(b, other))
    np.testing.assert_array_equal(found, (a * b + 1).sum(axis=1))
