"""Matrices in blocks, in coordinates and by columns, times vectors: sums in registers are what NumPy gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import irtensor as it

SHAPES = [(12, 16), (13, 11), (3, 2), (1, 9), (0, 5), (40, 41)]
DTYPES = ["float64", "float32", "int64", "int32", "int8", "complex128"]


def _matrix(shape: tuple[int, int], dtype: str, seed: int = 0) -> Any:
    """Small whole numbers at a third of the places, so that sums are exact in any order."""
    generator = np.random.default_rng(seed)
    return (generator.integers(1, 4, shape) * (generator.random(shape) < 0.35)).astype(dtype)


def _vector(extent: int, dtype: str) -> Any:
    return np.random.default_rng(1).integers(-3, 4, extent).astype(dtype)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("block", [(4, 4), (2, 8), (3, 3), (1, 4), (5, 2)])
def test_blocks(block: tuple[int, int], dtype: str) -> None:
    format = it.BCSR(*block)
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": format})
    for shape in SHAPES:
        a, x = _matrix(shape, dtype), _vector(shape[1], dtype)
        np.testing.assert_array_equal(kernel(it.Tensor.from_numpy(a, format), x), a @ x)


@pytest.mark.parametrize("format", [it.BCSR(4, 4), it.BCSR(2, 2)], ids=["4", "2"])
def test_places_without_an_entry_do_not_meet_nan(format: Any) -> None:
    a, x = _matrix((30, 31), "float64"), np.ones(31)
    x[[3, 17, 30]] = np.nan, np.inf, -np.inf
    a[5] = 0
    a[5, 6] = -0.0
    with np.errstate(invalid="ignore"):
        products = np.where(a != 0, a * x, 0.0).sum(axis=1)
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": format})
    np.testing.assert_array_equal(kernel(it.Tensor.from_numpy(a, format), x), products)
    assert "vector.reduction" in kernel.ir("cpu")


def test_kept_order_leaves_blocks_alone() -> None:
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": it.BCSR(4, 4)}, strict_fp=True)
    a, x = _matrix((9, 10), "float64"), _vector(10, "float64")
    np.testing.assert_array_equal(kernel(it.Tensor.from_numpy(a, it.BCSR(4, 4)), x), a @ x)
    assert "vector.reduction" not in kernel.ir("cpu")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("statement", ["y[i] = A[i,j] * x[j]", "y[j] = A[i,j] * x[i]"])
def test_coordinates(statement: str, dtype: str) -> None:
    kernel = it.compile(statement, formats={"A": it.COO(2)})
    for shape in SHAPES:
        a = _matrix(shape, dtype)
        x = _vector(shape[1 if statement.startswith("y[i]") else 0], dtype)
        expected = a @ x if statement.startswith("y[i]") else x @ a
        np.testing.assert_array_equal(kernel(A=it.Tensor.from_numpy(a, it.COO(2)), x=x), expected)


def test_sums_of_equal_coordinates_keep_their_order() -> None:
    a = np.random.default_rng(2).random((20, 50))
    tensor = it.Tensor.from_numpy(a, it.COO(2))
    kernel = it.compile("y[i] = A[i,j]", formats={"A": it.COO(2)}, strict_fp=True, num_threads=1)
    expected = np.zeros(20)
    for j in range(50):
        expected += a[:, j]
    np.testing.assert_array_equal(kernel(tensor), expected)


@pytest.mark.parametrize(("result", "subscripts"), [("y[i]", "ijk,k->i"), ("y[i,j]", "ijk,k->ij")])
def test_coordinates_of_three_dimensions(result: str, subscripts: str) -> None:
    a = (_matrix((6, 35), "float64")).reshape(6, 5, 7)
    x = _vector(7, "float64")
    kernel = it.compile(f"{result} = A[i,j,k] * x[k]", formats={"A": it.COO(3)})
    np.testing.assert_array_equal(kernel(it.Tensor.from_numpy(a, it.COO(3)), x), np.einsum(subscripts, a, x))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("right", "expected"),
    [
        ("A[j,i] * x[j] + z[i]", lambda a, x, z: a.T @ x + z),
        ("z[i] - A[j,i] * x[j]", lambda a, x, z: z - a.T @ x),
        ("A[j,i] * x[j] - z[i]", lambda a, x, z: a.T @ x - z),
        ("2 * A[j,i] * x[j] + 3 * z[i]", lambda a, x, z: 2 * (a.T @ x) + 3 * z),
        ("z[i] * sum(j, A[j,i] * x[j])", lambda a, x, z: z * (a.T @ x)),
    ],
)
def test_sums_beside_others(right: str, expected: Any, dtype: str) -> None:
    kernel = it.compile(f"y[i] = {right}", formats={"A": it.CSR})
    for shape in SHAPES:
        a, x, z = _matrix(shape, dtype), _vector(shape[0], dtype), _vector(shape[1], dtype)[::-1].copy()
        y = kernel(A=it.Tensor.from_numpy(a, it.CSR), x=x, z=z)
        np.testing.assert_array_equal(y, expected(a, x, z))


def test_sums_start_from_the_rest_without_a_workspace() -> None:
    kernel = it.compile("y[i] = a * A[j,i] * x[j] + b * z[i]", formats={"A": it.CSR})
    kernel(A=it.Tensor.from_numpy(_matrix((4, 5), "float64"), it.CSR), x=np.ones(4), z=np.ones(5), a=1.0, b=2.0)
    assert "where" not in kernel.ir("concrete_index")
    assert "loop.fill" not in kernel.ir("loop")
