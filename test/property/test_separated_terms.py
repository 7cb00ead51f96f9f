"""Sums of terms that several operands have together, in all orders of storage and with other operators than + and *.

What is expected is computed from the statement as it is written. A run takes a sample.
"""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from reference.compare_with_oracle import Case, compare_with_oracle

import irtensor as it
from irtensor.core.tensor_format import TensorFormat

FORMATS = {
    "dense": None,
    "CSR": it.CSR,
    "CSC": it.CSC,
    "COO": it.COO(2),
    "DCSR": it.DCSR,
    "bitmaps": it.Format("bitmap, bitmap"),
    "blocks": it.BCSR(2, 2),
    "filled": it.CSR.with_fill(3),
}
# With factors and without, terms with the same list, with a vector, a number, a difference, and other operators.
STATEMENTS = [
    "y[i] = sum(j, (A[i,j] + B[i,j]) * A[j,j])",
    "y[i] = sum(j, A[i,j] + B[j,i])",
    "s = sum(i, j, A[i,j] + B[i,j] + A[j,i])",
    "y[j] = sum(i, (A[i,j] + B[i,j]) * x[i])",
    "y[i] = x[i] + 2 * sum(j, x[j] * (A[i,j] + B[i,j]) * x[i])",
    "y[i] = sum(j, (A[i,j] + A[i,j] * B[i,j] + B[j,i]) / x[j])",
    "y[i] = sum(j, (A[i,j] + x[j]) * x[j])",
    "y[i] = sum(j, (A[i,j] + 1) * x[j])",
    "y[i] = sum(j, (A[i,j] - B[i,j]) * x[j])",
    "y[i] = sum(j, (B[i,j] - A[i,j] + A[j,i]) * x[j])",
    "y[i] = sum(j, (A[i,j] + sum(k, B[j,k])) * x[j])",
    "C[i,k] = sum(j, (A[i,j] + B[i,j]) * A[j,k])",
    "y[i] = min(j, min(A[i,j], B[i,j]) + x[j])",
    "y[i] = max(j, max(A[i,j], B[j,i]))",
    "y[i] = prod(j, A[i,j] * B[i,j])",
    "y[i] = max(j, min(max(A[i,j], B[i,j]), x[j]))",
]


@pytest.mark.one_in(32)
@pytest.mark.parametrize("b", FORMATS)
@pytest.mark.parametrize("a", FORMATS)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_values(statement: str, a: str, b: str):
    formats: dict[str, TensorFormat | None] = {"A": FORMATS[a], "B": FORMATS[b], "x": None}
    formats = {name: format for name, format in formats.items() if name + "[" in statement}
    compare_with_oracle(Case(statement, formats), convert=True)


@pytest.mark.parametrize("dtype", ["int8", "int64", "float32", "complex128"])
@pytest.mark.parametrize("operator", ["+", "-"])
def test_types(dtype: str, operator: str):
    """Integers wrap around as they do in one sum."""
    random, type = np.random.default_rng(3), np.dtype(dtype)
    a, b = [(random.integers(-128, 128, (9, 11)) * (random.random((9, 11)) < 0.4)).astype(type) for _ in range(2)]
    x = random.integers(-128, 128, 11).astype(type)
    kernel = it.compile(f"y[i] = (A[i,j] {operator} B[i,j]) * x[j]", formats=dict.fromkeys("AB", it.CSR))
    got = kernel(A=sp.csr_array(a), B=sp.csr_array(b), x=x)
    both = a + b if operator == "+" else a - b
    assert (kernel.ir("share-equal-sums").count("reduce") > 1) == (operator == "+")
    if type.kind == "i":
        np.testing.assert_array_equal(got, (both * x).sum(axis=1, dtype=type))
    else:
        np.testing.assert_allclose(got, (both * x).sum(axis=1, dtype=type), rtol=1e-5)


def test_booleans():
    random = np.random.default_rng(4)
    a, b = (random.random((9, 11)) < 0.2 for _ in range(2))
    x = random.random(11) < 0.5
    kernel = it.compile("y[i] = or(j, (A[i,j] | B[i,j]) & x[j])", formats=dict.fromkeys("AB", it.CSR))
    np.testing.assert_array_equal(kernel(A=sp.csr_array(a), B=sp.csr_array(b), x=x), ((a | b) & x).any(axis=1))


def is_separated(text: str, *, equal: bool = False, **options: Any) -> bool:
    """Whether there is a sum for each operand; `equal` if all have the same entries."""
    random = np.random.default_rng(5)
    A = sp.csr_array(random.random((200, 200)))
    B = A * 2 if equal else sp.csr_array(random.random((200, 200)) * (random.random((200, 200)) < 0.5))
    kernel = it.compile(text, formats={name: it.CSR for name in "ABC" if name + "[" in text}, **options)
    given = {"A": A, "B": B, "x": random.random(200)}
    kernel(**{name: value for name, value in given.items() if name + "[" in text})
    return kernel.ir("share-equal-sums").count("reduce") > 1


def test_where_it_applies():
    product = "y[i] = (A[i,j] + B[i,j]) * x[j]"
    assert is_separated(product)
    assert is_separated("y[i] = sum(j, (A[i,j] + A[j,i]) * x[j])")
    assert not is_separated(product, equal=True)
    assert not is_separated(product, strict_fp=True)
    assert not is_separated(product, exact=True)
    assert not is_separated(product, convert=False)
    assert not is_separated(product, schedule=it.schedule().parallelize("i"))
    assert not is_separated("y[i] = (A[i,j] - B[i,j]) * x[j]")
    assert not is_separated("y[i] = (A[i,j] + stored(B[i,j])) * x[j]")
    assert not is_separated("C[i,k] = (A[i,j] + B[i,j]) * A[j,k]")


def test_digits_that_cancel():
    """Operands that are nearly equal, as after one step of many, have an accurate difference."""
    random = np.random.default_rng(1)
    dense = random.random((20, 300))
    other = dense * (1 + 1e-12)
    other[:, 0] = 0
    given = {
        "A": it.Tensor.from_numpy(dense, it.CSR),
        "B": it.Tensor.from_numpy(other, it.CSR),
        "x": random.random(300),
    }
    got = it.compile("y[i] = (A[i,j] - B[i,j]) * x[j]", formats=dict.fromkeys("AB", it.CSR))(**given)
    np.testing.assert_allclose(got, (dense - other) @ given["x"], rtol=1e-13)
