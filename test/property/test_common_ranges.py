"""Sums over rows with ranges of their own: elements that all rows have are summed apart, each in the same order."""

import numpy as np
import pytest

import irtensor as it

DIAGONALS = "(i, j) -> (j - i : compressed, i : range, j : offset)"
SHAPES = ((1, 1), (40, 40), (33, 70), (70, 33), (5, 90), (90, 5), (0, 4), (4, 0))


def on_diagonals(generator, shape, offsets, dtype):
    """A matrix with elements on some diagonals, some of them zero."""
    rows, columns = np.indices(shape)
    stored = np.isin(columns - rows, offsets) & (generator.random(shape) < 0.9)
    return (generator.integers(1, 5, shape) * stored).astype(dtype)


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
        np.testing.assert_array_equal(kernel(A=a, x=x), a @ x)
        np.testing.assert_array_equal(columns(A=a, x=z), z @ a)


@pytest.mark.parametrize(
    "statement", ["y[i] = min(j, A[i,j] + x[j])", "y[i] = max(j, A[i,j] * x[j])", "y[i] = z[i] - A[i,j] * x[j]"]
)
def test_other_sums(statement):
    generator = np.random.default_rng(4)
    kernel = it.compile(statement, formats={"A": DIAGONALS})
    for shape in SHAPES[:6]:
        a = on_diagonals(generator, shape, (-3, 0, 1, 8), "f8")
        x, z = generator.integers(-4, 5, shape[1]).astype("f8"), np.arange(shape[0], dtype="f8")
        if "min" in statement:
            expected, given = (a + x).min(axis=1), {}
        elif "max" in statement:
            expected, given = (a * x).max(axis=1), {}
        else:
            expected, given = z - a @ x, {"z": z}
        np.testing.assert_array_equal(kernel(A=a, x=x, **given), expected)


def test_absent_elements_of_a_diagonal_are_not_multiplied():
    """Infinity and NaN beside an element that is absent are not in a sum, in vectors as in what they leave."""
    generator = np.random.default_rng(5)
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": DIAGONALS})
    for shape in ((70, 70), (41, 90)):
        a = on_diagonals(generator, shape, (-2, 0, 5), "f8")
        x = generator.choice([1.0, -3.0, np.inf, np.nan], shape[1], p=[0.5, 0.4, 0.05, 0.05])
        with np.errstate(invalid="ignore"):
            expected = np.where(a != 0, a * x, 0.0).sum(axis=1)
        np.testing.assert_array_equal(kernel(A=a, x=x), expected)


def test_an_element_is_summed_in_the_same_order():
    """With strict_fp, sums have the bits that the order of the diagonals gives them."""
    generator = np.random.default_rng(6)
    a = generator.random((200, 200)) * np.isin(np.subtract.outer(np.arange(200), np.arange(200)), (-50, -1, 0, 7, 90))
    x, expected = generator.random(200), np.zeros(200)
    for offset in (-90, -7, 0, 1, 50):
        rows = np.arange(max(0, -offset), min(200, 200 - offset))
        expected[rows] += a[rows, rows + offset] * x[rows + offset]
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": DIAGONALS}, strict_fp=True)
    np.testing.assert_array_equal(kernel(A=a, x=x), expected)


def test_a_common_range_is_in_vectors():
    text = it.compile("y[i] = A[i,j] * x[j]", formats={"A": DIAGONALS}).ir("cpu")
    assert "loop.load %A_vals" in text and "vector<8xf64>" in text and text.count("loop.cell") > 10
