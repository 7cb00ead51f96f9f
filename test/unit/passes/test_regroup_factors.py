"""`regroup-factors`: the products of a sum are what they were, but for rounding, and none is computed more often."""

import re
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import irtensor as it

STATEMENTS = {
    "y[j] = sum(i, A[i,j] * x[i] / d[i])": lambda A, x, d, B: (A * (x / d)[:, None]).sum(axis=0),
    "y[j] = sum(i, A[i,j] * (x[i] / d[i]) * 0.5)": lambda A, x, d, B: (A * (x / d)[:, None]).sum(axis=0) * 0.5,
    "y[j,k] = sum(i, B[i,k] * A[i,j] / (x[i] * d[i]))": lambda A, x, d, B: (A / (x * d)[:, None]).T @ B,
    "y[i] = sum(j, A[i,j] * x[j] * sum(k, A[j,k] * d[k]) / d[j])": lambda A, x, d, B: A @ (x * (A @ d) / d),
    "y[i] = sum(j, A[i,j] / d[j] * x[j] / (1 + sum(k, A[j,k] * d[k])))": lambda A, x, d, B: A @ (x / d / (1 + A @ d)),
    "y[i] = d[i] + sum(j, A[i,j] * x[j] * x[i] / d[i])": lambda A, x, d, B: d + (A @ x) * x / d,
}


def operands(dtype=np.float64):
    generator = np.random.default_rng(3)
    dense = generator.integers(1, 9, (12, 12)) * (generator.random((12, 12)) < 0.4)
    rest = [generator.integers(1, 9, shape).astype(dtype) for shape in ((12,), (12,), (12, 5))]
    return dict(zip("AxdB", [dense.astype(dtype), *rest], strict=True))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("strict_fp", [False, True])
@pytest.mark.parametrize("format", [it.CSR, it.CSC, None], ids=["csr", "csc", "dense"])
@pytest.mark.parametrize("statement", STATEMENTS)
def test_values(statement, format, strict_fp):
    given = operands()
    expected = STATEMENTS[statement](**given)
    used: dict[str, Any] = {name: value for name, value in given.items() if f"{name}[" in statement}
    formats = {} if format is None else {"A": format}
    if format is not None:
        used["A"] = it.Tensor.from_numpy(used["A"], format)
    kernel = it.compile(statement, formats=formats, strict_fp=strict_fp)
    np.testing.assert_allclose(kernel(**used), expected, rtol=1e-12)


def test_quotients_leave_the_loop_over_entries():
    """The division is before the loop along the row, which multiplies."""
    code = it.compile("y[j] = sum(i, A[i,j] * x[i] / d[i])", formats={"A": it.CSR}).ir("cpu")
    assert re.search(r"arith\.divf.*?loop\.for %p .*?arith\.mulf", code, re.DOTALL)
    assert code.count("arith.divf") == 1
    # In loops along the row, of which there are several.
    *_, after = re.split(r"arith\.divf", code)
    assert code.count("arith.mulf") == after.count("arith.mulf")


def test_strict_fp_keeps_what_is_rounded():
    """The product first overflows, and what is written is computed."""
    a, x, d = sp.csr_array([[1e300]]), np.array([1e300]), np.array([1e300])
    text = "y[j] = sum(i, A[i,j] * x[i] / d[i])"
    assert np.isinf(it.compile(text, formats={"A": it.CSR}, strict_fp=True)(A=a, x=x, d=d)[0])
    assert it.compile(text, formats={"A": it.CSR})(A=a, x=x, d=d)[0] == 1e300


def test_absent_entries_stay_absent():
    """No entry of A meets the infinity, and the sum of an empty row is absent as well."""
    a = sp.csr_array(([2.0, 3.0], ([0, 1], [1, 1])), shape=(3, 3))
    x, d = np.array([np.inf, 4.0, np.inf]), np.array([1.0, 2.0, 0.0])
    quotients = it.compile("y[i] = sum(j, A[i,j] * x[j] / d[j])", formats={"A": it.CSR})
    np.testing.assert_array_equal(quotients(A=a, x=x, d=d), [4.0, 6.0, 0.0])
    sums = it.compile("y[i] = sum(j, A[i,j] * x[j] * sum(k, A[j,k]))", formats={"A": it.CSR})
    np.testing.assert_array_equal(sums(A=a, x=x), [24.0, 36.0, 0.0])


@pytest.mark.parametrize("dtype", [np.int64, np.int8])
def test_whole_numbers_wrap_around_alike(dtype):
    given = operands(dtype)
    code = it.compile("y[j] = sum(i, A[i,j] * x[i] * d[i])", formats={"A": it.CSR})
    found = code(A=it.Tensor.from_numpy(given["A"], it.CSR), x=given["x"], d=given["d"])
    whole = (given["A"].astype(np.int64) * (given["x"].astype(np.int64) * given["d"])[:, None]).sum(axis=0)
    np.testing.assert_array_equal(found, whole.astype(found.dtype))
