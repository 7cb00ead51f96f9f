"""Operands that store an element in several parts: it is one value, their sum, however often a statement reads it."""

import numpy as np
import pytest

import irtensor as it

RNG = np.random.default_rng(11)
PLACES = RNG.integers(0, 4, (2, 30))
PARTS = RNG.integers(-3, 4, 30).astype(float)
FORMATS = [
    "compressed(nonunique), singleton(nonunique)",
    "dense, compressed(nonunique)",
    "(i, j) -> (j : dense, i : compressed(nonunique))",
    "compressed, compressed(nonunique)",
    "compressed(nonunique, nonordered), singleton(nonunique, nonordered)",
]
A = RNG.integers(1, 4, (4, 4)).astype(float)
B = np.zeros((4, 4))
np.add.at(B, tuple(PLACES), PARTS)
STATEMENTS = {
    "r = A[i,j] * B[i,j] * B[i,j]": (A * B * B).sum(),
    "r = B[i,j] * A[i,j] * B[i,j]": (A * B * B).sum(),
    "r = B[i,j] * B[i,j] * B[i,j]": (B**3).sum(),
    "r = (2 * B[i,j]) * -(B[i,j] * A[i,j])": (-2 * A * B * B).sum(),
    "r[i] = A[i,j] * B[i,j] * (A[i,j] * B[i,j])": (A * B * A * B).sum(1),
    "r[j] = A[i,j] * B[i,j] * -B[i,j]": (-A * B * B).sum(0),
    "r[i,j] = A[i,j] * B[i,j] * B[i,j]": A * B * B,
    "r = A[i,j] * B[i,j] * A[j,i]": (A * B * A.T).sum(),
    "r = A[i,j] * (B[i,j] - A[i,j]) * B[i,j]": (A * (B - A) * B).sum(),
    "r = A[i,j] * B[i,j] * B[j,i]": (A * B * B.T).sum(),
    "r[i,k] = A[i,j] * B[i,j] * B[j,k] * B[i,j]": (A * B * B) @ B,
    "r = max(i, j, A[i,j] * B[i,j])": (A * B).max(),
    "r = sum(i, j, abs(B[i,j]) * A[i,j])": (abs(B) * A).sum(),
    "r = A[i,j] * B[i,j] ** 2": (A * B**2).sum(),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("statement", list(STATEMENTS))
def test_an_element_in_parts_is_one_value(statement: str, format: str, threads: int):
    stored = it.Tensor.from_coo(PLACES, PARTS, shape=(4, 4), format=format, duplicates="keep")
    stored.check()
    assert stored.nnz == 30
    kernel = it.compile(statement, num_threads=threads)
    np.testing.assert_array_equal(
        kernel(**{"A": A, "B": stored} if "A[" in statement else {"B": stored}), STATEMENTS[statement]
    )


@pytest.mark.parametrize("format", FORMATS)
def test_an_element_in_parts_of_other_types(format: str):
    for dtype in ("int8", "complex64"):
        stored = it.Tensor.from_coo(PLACES, PARTS.astype(dtype), shape=(4, 4), format=format, duplicates="keep")
        result = it.compile("r[i] = A[i,j] * B[i,j] * B[i,j]")(A=A.astype(dtype), B=stored)
        expected = (A.astype(dtype) * B.astype(dtype) * B.astype(dtype)).sum(1, dtype=dtype)
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("order", ["ijk", "kij", "jki"])
@pytest.mark.parametrize(
    ("statement", "subscripts"),
    [
        ("r = A[i,k,j] * A[i,i,j]", "ikj,iij->"),
        ("r = A[j,i,i] * A[j,i,k]", "jii,jik->"),
        ("r[i] = A[i,j,j] * A[i,j,k]", "ijj,ijk->i"),
    ],
)
def test_what_is_below_a_coordinate_in_parts_is_read_twice(statement: str, subscripts: str, order: str):
    """The entries below a coordinate that comes several times are multiplied with all of each other."""
    cube = ((RNG.random((3, 3, 3)) < 0.6) * RNG.integers(1, 4, (3, 3, 3))).astype(float)
    first, second, third = order
    levels = f"{first} : compressed(nonunique), {second} : singleton(nonunique), {third} : singleton"
    stored = it.Tensor.from_numpy(cube, f"(i, j, k) -> ({levels})")
    np.testing.assert_array_equal(it.compile(statement)(A=stored), np.einsum(subscripts, cube, cube))
