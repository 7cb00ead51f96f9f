"""Python's operators, methods and kernels of each kind on tensors with structured levels."""

import operator
import pickle

import numpy as np
import pytest
from structured_operands import structured_operand

import irtensor as it

LEVELS = ("point", "band", "ragged", "interval", "triangle", "strict_triangle")
X = np.arange(6.0)
CALLS = {
    "A * 2": lambda A, B: A * 2,
    "-A": lambda A, B: -A,
    "abs(A)": lambda A, B: abs(A),
    "A + B": operator.add,
    "A + A": lambda A, B: A + A,
    "A - B": operator.sub,
    "A * B": operator.mul,
    "A * x": lambda A, B: A * X,
    "A.T": lambda A, B: A.T,
    "A.T @ x": lambda A, B: A.T @ X,
    "A @ A": lambda A, B: A @ A,
    "A @ B": operator.matmul,
    "B @ A": lambda A, B: B @ A,
    "A.sum(0)": lambda A, B: A.sum(axis=0),
    "A.max(1)": lambda A, B: A.max(axis=1),
    "A.astype": lambda A, B: A.astype(np.float32),
    "pickle": lambda A, B: pickle.loads(pickle.dumps(A)),
}
KERNELS = {
    "C[i,j] = 2 * A[i,j]": lambda a: 2 * a,
    "C[i,j] = where(A[i,j] > 1, x[j], 0)": lambda a: np.where(a > 1, X, 0),
    "C[j,i] = A[i,j]": lambda a: a.T,
}


def values_of(result):
    return result.to_numpy() if isinstance(result, it.Tensor) else np.asarray(result)


def operands(level, seed):
    random = np.random.default_rng(seed)
    lists = structured_operand("dense, compressed", (6, 6), random)
    return *structured_operand(f"dense, {level}", (6, 6), random), *lists


@pytest.mark.one_in(3)
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("level", LEVELS)
def test_operators(level, call):
    """A result has the structure of its only operand, and lists where others change what is stored."""
    A, a, B, b = operands(level, 1)
    found = CALLS[call](A, B)
    np.testing.assert_array_equal(values_of(found), CALLS[call](a, b))
    if call in ("A * 2", "-A", "abs(A)", "A.astype"):
        assert found.format == A.format
    if call in ("A + B", "A * B", "A @ B"):
        assert found.format == it.CSR


@pytest.mark.one_in(3)
@pytest.mark.parametrize("statement", KERNELS)
@pytest.mark.parametrize("level", LEVELS)
def test_kernels_into_lists(level, statement):
    A, a, _, _ = operands(level, 2)
    given = {"A": A, "x": X} if "x[" in statement else {"A": A}
    kernel = it.compile(statement, {"C": "csr"})
    np.testing.assert_array_equal(kernel(**given).to_numpy(), KERNELS[statement](a))
    index = kernel.assemble(**given)
    np.testing.assert_array_equal(kernel.compute(index, **given).to_numpy(), KERNELS[statement](a))


@pytest.mark.parametrize("level", LEVELS)
def test_kernels_into_the_same_structure(level):
    A, a, _, _ = operands(level, 3)
    kernel = it.compile("C[i,j] = 2 * A[i,j]", {"C": A.format})
    found = kernel(A=A)
    assert found.format == A.format
    np.testing.assert_array_equal(found.to_numpy(), 2 * a)
    # Runs of an innermost level are joined first.
    assert ("converted to" in kernel.explain()) == (level == "interval")
    index = kernel.assemble(A=A)
    np.testing.assert_array_equal(kernel.compute(index, A=A).to_numpy(), 2 * a)


@pytest.mark.parametrize("level", LEVELS)
def test_other_formats(level):
    A, a, _, _ = operands(level, 4)
    for format in ("bcsr(2, 2)", "dia", "csc", "coo", "dense, bitmap"):
        np.testing.assert_array_equal(A.to_format(format).to_numpy(), a)
    np.testing.assert_array_equal(A.to_scipy().toarray(), a)
    tuned = it.compile("y[i] = A[i,j] * x[j]", tune="format")
    np.testing.assert_array_equal(tuned(A=A, x=X), a @ X)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("level", ["point", "band", "ragged", "interval"])
def test_blocks(level):
    """A structure of blocks is none of the elements in them."""
    array = np.zeros((6, 6))
    array[:2, 3:], array[4:, :3] = 2, 4
    format = f"(i, j) -> (i floordiv 2 : dense, j floordiv 3 : {level}, i mod 2 : dense, j mod 3 : dense)"
    A, B = it.Tensor.from_numpy(array, format), it.Tensor.from_numpy(np.eye(6), "csr")
    np.testing.assert_array_equal(A.to_numpy(), array)
    np.testing.assert_array_equal(A @ X, array @ X)
    np.testing.assert_array_equal(A.T @ X, array.T @ X)
    np.testing.assert_array_equal((A + B).to_numpy(), array + np.eye(6))
    product = it.compile("C[i,j] = A[i,j] * B[i,j]", {"C": "csr"})(A=A, B=B)
    np.testing.assert_array_equal(product.to_numpy(), array * np.eye(6))
