"""Sums over segments of every short length, by vectors of which the last one is used in part, beside NumPy."""

import numpy as np
import pytest

import irtensor as it
from irtensor.compiler.compilation import pipeline_choices

# More than two vectors, and each number that they may leave.
LENGTHS = [0, 1, 2, *range(19, -1, -1), 33]
COLUMNS = 40
DTYPES = ["f4", "f8", "i1", "i2", "i4", "i8"]
STATEMENTS = {
    "y[i] = A[i,j] * x[j]": lambda a, x: a @ x,
    "y[i] = A[i,j]": lambda a, x: a.sum(1, dtype=a.dtype),
    "y[i] = A[i,j] * A[i,j]": lambda a, x: (a * a).sum(1, dtype=a.dtype),
    "y[i] = z[i] - A[i,j] * x[j] * x[j]": lambda a, x: x[: len(a)] - a @ (x * x),
    "y[i] = max(j, A[i,j] * x[j])": lambda a, x: (a * x).max(1),
    "y[i] = sum(j, A[i,j] * max(x[j], z[i]))": lambda a, x: (a * np.maximum(x, x[: len(a), None])).sum(
        1, dtype=a.dtype
    ),
}


@pytest.fixture(autouse=True)
def masked(monkeypatch):
    monkeypatch.setenv("IRTENSOR_DISK_CACHE", "0")
    monkeypatch.setattr(pipeline_choices, "gathers_pay", lambda: True)
    it.clear_caches()
    yield
    it.clear_caches()


def operands(dtype: str, offset: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A matrix with a row of each length, and a vector; small numbers, so that sums are exact."""
    generator = np.random.default_rng(7)
    a = np.zeros((len(LENGTHS), COLUMNS), dtype)
    for row, length in enumerate(LENGTHS):
        chosen = generator.permutation(COLUMNS)[:length]
        a[row, chosen] = generator.integers(-4, 5, length) + offset
    return a, generator.integers(-4, 5, COLUMNS).astype(dtype)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("text", STATEMENTS)
def test_rows_of_all_lengths(text, dtype):
    a, x = operands(dtype)
    given = {"A": it.Tensor.from_numpy(a, "csr"), "x": x, "z": x[: len(a)].copy()}
    kernel = it.compile(text, formats={"A": "csr"}, num_threads=1)
    result = kernel(**{name: given[name] for name in kernel.operand_names})
    np.testing.assert_array_equal(result, STATEMENTS[text](a, x))


@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_coordinates_of_all_widths(width):
    a, x = operands("f8")
    tensor = it.Tensor.from_numpy(a, f"dense, compressed(crd = i{width})")
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": tensor.format}, num_threads=1)
    np.testing.assert_array_equal(kernel(A=tensor, x=x), a @ x)
    assert "loop.gather" in kernel.ir("cpu")


def test_what_is_not_stored_is_not_computed_with():
    """Lanes that are not in use would make NaN of an infinite factor."""
    a, x = operands("f8", 9)
    factor = np.full(len(a), np.inf)
    kernel = it.compile("y[i] = f[i] * A[i,j] * x[j]", formats={"A": "csr"}, num_threads=1)
    result = kernel(f=factor, A=it.Tensor.from_numpy(a, "csr"), x=np.abs(x) + 1)
    np.testing.assert_array_equal(result, np.where(np.array(LENGTHS) > 0, np.inf, 0.0))


def test_no_memory_is_read_behind_the_last_entry():
    """What lies behind the arrays is NaN, and no coordinate of any vector."""
    a, x = operands("f8")
    tensor = it.Tensor.from_numpy(a, "csr")
    level = tensor.levels[1]
    assert level.coordinates is not None
    values = np.full(tensor.nnz + 8, np.nan)
    coordinates = np.full(tensor.nnz + 8, np.iinfo(level.coordinates.dtype).max // 2, level.coordinates.dtype)
    values[: tensor.nnz], coordinates[: tensor.nnz] = tensor.values, level.coordinates
    parts = [None, (level.positions, coordinates[: tensor.nnz])]
    inside = it.Tensor.from_buffers(a.shape, tensor.format, parts, values[: tensor.nnz])
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": tensor.format}, num_threads=1)
    np.testing.assert_array_equal(kernel(A=inside, x=x), a @ x)
