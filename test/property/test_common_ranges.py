"""Sums over rows with ranges of their own: elements that all rows have are summed apart, each in the same order."""

import numpy as np
import pytest
import scipy.sparse as sp

import irtensor as it

DIAGONALS = "(i, j) -> (j - i : compressed, i : range, j : offset)"
# Ranges of fewer than 2,048 elements are not apart.
SHAPES = ((1, 1), (40, 40), (33, 70), (5, 90), (0, 4), (4, 0), (2100, 2100), (2200, 2600), (2600, 2163), (30, 5000))


def on_diagonals(generator, shape, offsets, dtype):
    """A matrix with elements on some diagonals, some of them absent."""
    columns, rows = [], []
    for offset in offsets:
        here = np.arange(max(0, -offset), max(0, -offset, min(shape[0], shape[1] - offset)))
        here = here[generator.random(len(here)) < 0.9]
        rows.append(here)
        columns.append(here + offset)
    rows, columns = (np.concatenate([np.empty(0, int), *one]).astype(int) for one in (rows, columns))
    values = generator.integers(1, 5, len(rows)).astype(dtype)
    return sp.coo_array((values, (rows, columns)), shape)


def stored(matrix):
    return it.Tensor.from_scipy(matrix).to_format(DIAGONALS)


@pytest.mark.one_in(14)
@pytest.mark.parametrize(
    "offsets", [(), (0,), (3,), (-2, 0, 2), (-30, 30), (-60, -1, 0, 1), tuple(range(-9, 10))], ids=str
)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "c8"])
@pytest.mark.parametrize("num_threads", [1, 2])
def test_matrix_times_vector(num_threads, dtype, offsets):
    """Long and short diagonals, with and without rows that all of them have."""
    generator = np.random.default_rng(len(offsets))
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": DIAGONALS}, num_threads=num_threads)
    columns = it.compile("y[j] = A[i,j] * x[i]", formats={"A": DIAGONALS}, num_threads=num_threads)
    for shape in SHAPES:
        a = on_diagonals(generator, shape, offsets, dtype)
        x, z = (generator.integers(-4, 5, extent).astype(dtype) for extent in (shape[1], shape[0]))
        np.testing.assert_array_equal(kernel(A=stored(a), x=x), a @ x)
        np.testing.assert_array_equal(columns(A=stored(a), x=z), a.T @ z)


@pytest.mark.parametrize(
    "statement", ["y[i] = min(j, A[i,j] + x[j])", "y[i] = max(j, A[i,j] * x[j])", "y[i] = z[i] - A[i,j] * x[j]"]
)
def test_other_sums(statement):
    generator = np.random.default_rng(4)
    kernel = it.compile(statement, formats={"A": DIAGONALS})
    for shape in ((40, 40), (33, 70), (2300, 2250)):
        a = on_diagonals(generator, shape, (-3, 0, 1, 8), "f8")
        x, z = generator.integers(-4, 5, shape[1]).astype("f8"), np.arange(shape[0], dtype="f8")
        dense = a.toarray()
        if "min" in statement:
            expected, given = (dense + x).min(axis=1), {}
        elif "max" in statement:
            expected, given = (dense * x).max(axis=1), {}
        else:
            expected, given = z - dense @ x, {"z": z}
        np.testing.assert_array_equal(kernel(A=stored(a), x=x, **given), expected)


def test_absent_elements_of_a_diagonal_are_not_multiplied():
    """Infinity and NaN beside an element that is absent are not in a sum, in vectors as in what they leave."""
    generator = np.random.default_rng(5)
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": DIAGONALS})
    for shape in ((70, 70), (41, 90), (2500, 2400)):
        a = on_diagonals(generator, shape, (-2, 0, 5), "f8")
        x = generator.choice([1.0, -3.0, np.inf, np.nan], shape[1], p=[0.5, 0.4, 0.05, 0.05])
        with np.errstate(invalid="ignore"):
            np.testing.assert_array_equal(kernel(A=stored(a), x=x), a @ x)


def test_an_element_is_summed_in_the_same_order():
    """With strict_fp, sums have the bits that the order of the diagonals gives them."""
    generator = np.random.default_rng(6)
    extent, offsets = 2400, (-90, -7, 0, 1, 50)
    a = on_diagonals(generator, (extent, extent), offsets, "f8")
    a.data = generator.random(a.nnz)
    x, expected = generator.random(extent), np.zeros(extent)
    for offset in offsets:
        rows = np.arange(max(0, -offset), min(extent, extent - offset))
        expected[rows] += a.diagonal(offset) * x[rows + offset]
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": DIAGONALS}, strict_fp=True)
    np.testing.assert_array_equal(kernel(A=stored(a), x=x), expected)


def test_a_common_range_is_in_vectors():
    text = it.compile("y[i] = A[i,j] * x[j]", formats={"A": DIAGONALS}).ir("cpu")
    assert "loop.load %A_vals" in text and "vector<8xf64>" in text and text.count("loop.cell") > 10
