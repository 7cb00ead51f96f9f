"""Reductions inside of reductions, whose parts depend on loops around them, in plans without a schedule."""

import numpy as np
import pytest

import irtensor as it

STATEMENTS = {
    "sum(i, max(k, min(sum(l, B[i,l]) * sum(j, C[k,j]), A[i,k])))": lambda A, b, c: (
        np.minimum(np.outer(b, c), A).max(axis=1).sum()
    ),
    "sum(i, max(k, sum(l, B[i,l]) * sum(j, C[k,j]) * A[i,k]))": lambda A, b, c: (np.outer(b, c) * A).max(axis=1).sum(),
    "sum(i, prod(k, sum(l, B[i,l]) + sum(j, C[k,j]) + A[i,k]))": lambda A, b, c: (
        (b[:, None] + c + A).prod(axis=1).sum()
    ),
    "min(k, sum(i, max(sum(l, B[i,l]) - A[i,k], sum(j, C[k,j]))))": lambda A, b, c: (
        np.maximum(b[:, None] - A, c).sum(axis=0).min()
    ),
    "sum(i, abs(sum(k, A[i,k] * sum(j, C[k,j]))))": lambda A, b, c: np.abs(A @ c).sum(),
    "sum(i, abs(sum(k, sum(j, C[k,j]) * sum(l, B[i,l]) * A[i,k])))": lambda A, b, c: np.abs(b * (A @ c)).sum(),
    "max(k, sum(j, C[k,j]) * min(i, sum(l, B[i,l]) * A[i,k]))": lambda A, b, c: (
        c * (b[:, None] * A).min(axis=0)
    ).max(),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("formats", [{}, {"A": "csr", "B": "csr"}, {"A": "csc", "C": "coo"}])
@pytest.mark.parametrize("text", STATEMENTS)
def test_nested_reductions(text, formats):
    rng = np.random.default_rng(5)
    arrays = {
        name: rng.integers(-2, 4, shape).astype(float) * (rng.random(shape) < 0.6)
        for name, shape in (("A", (3, 4)), ("B", (3, 5)), ("C", (4, 2)))
    }
    given = {
        name: it.Tensor.from_numpy(array, formats[name]) if name in formats else array
        for name, array in arrays.items()
        if f"{name}[" in text
    }
    expected = STATEMENTS[text](arrays["A"], arrays["B"].sum(axis=1), arrays["C"].sum(axis=1))
    assert it.compile(f"s = {text}")(**given) == expected


@pytest.mark.parametrize(
    "statement", ["R[m] = C[k,j] * sum(i, A[i,k])", "R[m] = sum(k, sum(i, A[i,k]) * sum(j, C[k,j]))"]
)
def test_a_result_that_says_its_own_extent(statement):
    A, C = np.arange(12.0).reshape(3, 4), np.arange(8.0).reshape(4, 2)
    found = it.compile(statement)(A=A, C=C, out=np.full(3, 7.0))
    np.testing.assert_array_equal(found, np.full(3, A.sum(axis=0) @ C.sum(axis=1)))


# What each i gives.
PARTS = {
    "sum(k, sum(j, B[j,k]) + C[i])": lambda B, c: (B.sum(axis=0) + c[:, None]).sum(axis=1),
    "sum(k, C[i] - sum(j, B[j,k]))": lambda B, c: (c[:, None] - B.sum(axis=0)).sum(axis=1),
    "sum(k, C[i] * sum(j, B[j,k]))": lambda B, c: (c[:, None] * B.sum(axis=0)).sum(axis=1),
    "sum(k, C[i] * (sum(j, B[j,k]) + 1))": lambda B, c: (c[:, None] * (B.sum(axis=0) + 1)).sum(axis=1),
    "prod(k, C[i] * prod(j, B[j,k]))": lambda B, c: (c[:, None] * B.prod(axis=0)).prod(axis=1),
    "max(k, C[i] + max(j, B[j,k]))": lambda B, c: (c[:, None] + B.max(axis=0)).max(axis=1),
    "max(k, C[i] * max(j, B[j,k]))": lambda B, c: (c[:, None] * B.max(axis=0)).max(axis=1),
    "min(k, max(C[i], min(j, B[j,k])))": lambda B, c: np.maximum(c[:, None], B.min(axis=0)).min(axis=1),
    "min(k, min(C[i], min(j, B[j,k])))": lambda B, c: np.minimum(c[:, None], B.min(axis=0)).min(axis=1),
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("around", ["{}", "sum(i, {})", "max(i, {})", "abs({})"])
@pytest.mark.parametrize("text", PARTS)
def test_what_is_added_to_a_reduction_is_added_each_time(text, around):
    B, C = np.array([[2.0, 1.0, -1.0], [3.0, -2.0, 1.0]]), np.array([4.0, -2.0])
    each = PARTS[text](B, C)
    expected = {"sum": each.sum(), "max": each.max(), "abs": abs(each)}.get(around[:3], each)
    left = "y[i]" if "i," not in around else "y"
    np.testing.assert_array_equal(it.compile(f"{left} = {around.format(text)}")(B=B, C=C), expected)


# Sums of functions of sums: no part of an inner sum is read.
ROWS = {
    "y[j] = sum(i, abs(sum(k, A[i,k] * B[k,j])))": lambda A, B, C: np.abs(A @ B).sum(axis=0),
    "y[j] = sum(i, min(sum(k, A[i,k] * B[k,j]), 2))": lambda A, B, C: np.minimum(A @ B, 2).sum(axis=0),
    "y[j] = max(i, sum(k, A[i,k] * B[k,j]) - 9)": lambda A, B, C: (A @ B - 9).max(axis=0),
    "y = sum(i, j, k, sum(l, A[i,l] * B[l,k]) * C[j,k])": lambda A, B, C: (A @ B @ C.T).sum(),
    "y = max(i, j, max(k, sum(l, A[i,l] * B[l,k]) - C[j,k]))": lambda A, B, C: ((A @ B)[:, None] - C).max(),
    "y = min(i, 9 + sum(k, A[i,k] * A[i,k]))": lambda A, B, C: 9 + (A * A).sum(axis=1).min(),
    "y = max(i, -9 - sum(k, A[i,k] * A[i,k]))": lambda A, B, C: -9 - (A * A).sum(axis=1).min(),
    "y = sum(i, min(k, 1 + sum(l, A[l,i]) + C[i,k]))": lambda A, B, C: (1 + A.sum(axis=0)[:, None] + C).min(1).sum(),
    "y = sum(i, min(k, sum(l, A[l,i] * B[l,k]) + C[i,k]))": lambda A, B, C: (A.T @ B + C).min(axis=1).sum(),
    "y = sum(i, 2 ** sum(k, A[i,k] * B[k,i]))": lambda A, B, C: (2.0 ** np.diag(A @ B)).sum(),
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("options", [{}, {"strict_fp": True}, {"schedule": it.schedule()}], ids=str)
@pytest.mark.parametrize("format", [None, it.CSR, it.CSC, it.COO(2), it.BCSR(2, 2), it.BCSR(2, 3)], ids=str)
@pytest.mark.parametrize("text", ROWS)
def test_inner_sums_are_whole(text, format, options):
    """Also where several entries have a row, and where the last block goes beyond the last one."""
    rng = np.random.default_rng(7)
    A, B, C = (rng.integers(-2, 4, (5, 5)) * (rng.random((5, 5)) < 0.8) * 1.0 for _ in "ABC")
    kernel = it.compile(text, **options)
    given = {"A": A if format is None else it.Tensor.from_numpy(A, format), "B": B, "C": C}
    found = kernel(**{name: given[name] for name in kernel.operand_names})
    np.testing.assert_array_equal(found, ROWS[text](A, B, C))
