"""Sums over an index that only one factor has, in all orders of storage and with other operators than + and *.

What is expected is computed from the statement as it is written. A run takes a sample.
"""

import numpy as np
import pytest
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
}
# One index of B alone, of A and of B, all of both, and one beside a function, a sum and a number.
STATEMENTS = [
    "y[i] = A[i,k] * B[k,j]",
    "y[i] = A[k,i] * B[j,k]",
    "s = A[i,k] * B[k,j]",
    "s = A[i,k] * B[j,l]",
    "C[i,l] = A[i,k] * B[j,l]",
    "y[i] = sum(k, j, A[i,k] * abs(B[k,j])) + A[i,i]",
    "y[i] = sum(k, j, l, A[i,k] * (B[k,j] + 2) * A[l,i])",
    "y[i] = A[i,k] * B[k,j] / 4",
    "y[i] = sum(k, j, A[i,k] * B[k,j] * sum(l, B[k,l]))",
    "y[i] = sum(j, sum(k, A[k,i] * B[j,k]))",
    "y[i] = min(k, j, A[i,k] + B[k,j])",
    "y[i] = max(k, j, A[i,k] + B[k,j] - A[k,i])",
    "y[i] = max(k, j, min(A[i,k], B[k,j]))",
    # Factors that an index connects.
    "y[i] = A[i,j] * x[j] * A[i,k] * x[k]",
    "y[i] = A[i,j] * x[j] * B[k,i] * d[k]",
    "y[i] = sum(j, k, l, A[i,j] * (x[l] * B[k,i]) * x[j] * d[l])",
    "C[i,l] = A[i,k] * x[k] * d[l]",
    "s = x[i] * A[i,j] * B[k,l] * d[l]",
    "y[i] = min(k, j, A[i,k] + x[k] + B[i,j] - x[j])",
    "y[i] = sum(j, k, A[i,j] * x[j] * B[i,k] * x[k] * sum(l, A[i,l])) + sum(l, k, A[i,l] * B[l,k] * A[k,i])",
]


@pytest.mark.one_in(48)
@pytest.mark.parametrize("b", FORMATS)
@pytest.mark.parametrize("a", FORMATS)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_values(statement: str, a: str, b: str):
    formats: dict[str, TensorFormat | None] = {"A": FORMATS[a], "B": FORMATS[b]}
    formats |= {name: None for name in "xd" if f"{name}[" in statement}
    compare_with_oracle(Case(statement, formats), convert=True)


@pytest.mark.parametrize("a", ["dense", "CSR", "CSC"])
def test_quotients(a: str):
    """A divisor goes with the factors that have its index, or stays where it is."""
    random = np.random.default_rng(2)
    array, b, x, d = random.integers(0, 3, (5, 4)) * 1.0, random.random((6, 5)), random.random(4), random.random(6) + 1
    given = array if FORMATS[a] is None else it.Tensor.from_numpy(array, FORMATS[a])
    formats = {} if FORMATS[a] is None else {"A": FORMATS[a]}
    found = it.compile("y[i] = A[i,j] * x[j] * B[k,i] / d[k]", formats=formats)(A=given, B=b, x=x, d=d)
    np.testing.assert_allclose(found, (array @ x) * (1 / d @ b))
    found = it.compile("y[i] = A[i,j] * B[k,i] / x[j] / d[k]", formats=formats)(A=given, B=b, x=x, d=d)
    np.testing.assert_allclose(found, (array @ (1 / x)) * (1 / d @ b))
    found = it.compile("C[i,k] = A[i,j] * x[j] / d[k]", formats=formats)(A=given, x=x, d=d)
    np.testing.assert_allclose(found, np.outer(array @ x, 1 / d))


@pytest.mark.one_in(8)
@pytest.mark.parametrize("b", FORMATS)
@pytest.mark.parametrize("a", FORMATS)
@pytest.mark.parametrize("statement", STATEMENTS[:5])
def test_what_is_infinite(statement: str, a: str, b: str):
    """Infinite numbers do not meet entries that are absent. No stored number is 0, which makes NaN of infinity."""
    random = np.random.default_rng(1)
    formats = {name: FORMATS[one] for name, one in (("A", a), ("B", b)) if FORMATS[one] is not None}
    kernel, in_order = (it.compile(statement, formats=formats, strict_fp=strict) for strict in (False, True))
    for _ in range(4):
        arrays = {
            name: random.choice(pool, (4, 4)) for name, pool in (("A", [1, 2, np.inf, np.nan]), ("B", [1, 2, np.inf]))
        }
        for name in formats:
            holes = arrays[name]
            holes[random.random((4, 4)) < 0.5] = holes[random.integers(4)] = holes[:, random.integers(4)] = 0
        given = {name: it.Tensor.from_numpy(x, formats[name]) if name in formats else x for name, x in arrays.items()}
        np.testing.assert_array_equal(kernel(**given), in_order(**given))
