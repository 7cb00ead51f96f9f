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
        name: it.Tensor.from_numpy(array, formats[name]) if name in formats else array for name, array in arrays.items()
    }
    expected = STATEMENTS[text](arrays["A"], arrays["B"].sum(axis=1), arrays["C"].sum(axis=1))
    assert it.compile(f"s = {text}")(**given) == expected
