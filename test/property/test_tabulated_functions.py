"""`tabulate-functions`: slow functions of vectors stand outside of loops over rows, and no value changes."""

import numpy as np
import pytest

import irtensor as it

# Statements with a function or a division that each row would compute again, and what NumPy says.
STATEMENTS = {
    "Z[i,j] = X[i,j] / sqrt(sum(k, X[k,j] ** 2))": lambda X, y, n: X / np.sqrt((X**2).sum(0)),
    "Z[i,j] = (X[i,j] - sum(k, X[k,j]) / n) / sqrt(sum(k, X[k,j] ** 2) / n - (sum(k, X[k,j]) / n) ** 2)": (
        lambda X, y, n: (X - X.sum(0) / n) / np.sqrt((X**2).sum(0) / n - (X.sum(0) / n) ** 2)
    ),
    "Z[i,j] = X[i,j] * exp(y[j]) + 1 / y[j]": lambda X, y, n: X * np.exp(y) + 1 / y,
    "z[j] = sum(i, X[i,j] / sqrt(y[j]))": lambda X, y, n: (X / np.sqrt(y)).sum(0),
    "z[i] = max(j, X[i,j] * log(y[j]))": lambda X, y, n: (X * np.log(y)).max(1, initial=-np.inf),
    "Z[i,j] = where(X[i,j] > 0.5, X[i,j], sqrt(y[j]))": lambda X, y, n: np.where(X > 0.5, X, np.sqrt(y)),
}


def operands_of(text, rows, columns):
    rng = np.random.default_rng(rows * 7 + columns)
    X, y = rng.random((rows, columns)), rng.random(columns) + 0.1
    # Infinities, zeros and NaN in some columns.
    X[:1, :1], X[:, 1:2], y[2:3], y[3:4] = np.inf, 0, 0, np.nan
    given = {"X": X, "y": y, "n": np.array(3.0)}
    return {name: one for name, one in given.items() if name == "n" in text or f"{name}[" in text}, X, y


@pytest.mark.one_in(2)
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("shape", [(5, 7), (1, 4), (0, 3), (4, 0)], ids=str)
@pytest.mark.parametrize("text", STATEMENTS)
def test_values_are_those_of_numpy(text, shape, threads, small_parts):
    given, X, y = operands_of(text, *shape)
    kernel = it.compile(text, num_threads=threads)
    with np.errstate(all="ignore"):
        expected = STATEMENTS[text](X, y, 3.0)
    np.testing.assert_allclose(kernel(**{name: given[name] for name in kernel.operand_names}), expected, rtol=1e-12)
    assert "is computed for all j first" in kernel.explain()


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128", "int64"])
def test_the_same_to_the_bit(dtype):
    """A vector of its own has the numbers that each row would compute."""
    rng = np.random.default_rng(0)
    X, y = ((rng.random(shape) * 9 + 1).astype(dtype) for shape in ((9, 11), 11))
    whole = it.compile("Z[i,j] = X[i,j] + X[i,j] / y[j] / (1 + 1 / y[j])", strict_fp=True)
    once, rest = (
        it.compile("v[j] = 1 + 1 / y[j]", strict_fp=True),
        it.compile("Z[i,j] = X[i,j] + X[i,j] / y[j] / v[j]", strict_fp=True),
    )
    np.testing.assert_array_equal(whole(X=X, y=y), rest(X=X, y=y, v=once(y=y)))


@pytest.mark.parametrize("format", [it.CSR, it.CSC, it.COO(2)], ids=str)
def test_sums_that_have_no_terms(format):
    """A column without entries has the sum 0, whose root is a number beside an infinity."""
    A = np.array([[0.0, 4, 0], [0, 5, 0]])
    X = np.array([[np.inf, 1, 0], [2, np.inf, 3]])
    kernel = it.compile("Z[i,j] = X[i,j] * sqrt(sum(k, A[k,j]))", {"A": format})
    plain = it.compile("Z[i,j] = X[i,j] * w[j]")
    sums = it.compile("w[j] = sqrt(sum(k, A[k,j]))", {"A": format})
    found = kernel(X=X, A=it.Tensor.from_numpy(A, format))
    np.testing.assert_array_equal(found[:, 1:], plain(X=X, w=sums(A=it.Tensor.from_numpy(A, format)))[:, 1:])
