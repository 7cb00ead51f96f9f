"""Quotients of whole numbers in the vectors that sums over lists of coordinates are packed into."""

import numpy as np
import pytest
import scipy.sparse

import irtensor as it

QUOTIENTS = {
    "B[j] // A[i,j]": lambda A, B: B // A,
    "A[i,j] // B[j]": lambda A, B: A // B,
    "B[j] % A[i,j]": lambda A, B: B % A,
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("reduction", ["sum", "max"])
@pytest.mark.parametrize("dtype", ["int8", "int32", "int64"])
@pytest.mark.parametrize("text", QUOTIENTS)
def test_whole_quotients(text, dtype, reduction):
    rng = np.random.default_rng(4)
    A = rng.choice([-3, -2, -1, 1, 2, 3], (9, 40)).astype(dtype)
    B = rng.choice([-7, -6, -5, -1, 1, 5, 6, 7], 40).astype(dtype)
    terms = QUOTIENTS[text](A, B)
    expected = terms.sum(axis=0, dtype=dtype) if reduction == "sum" else terms.max(axis=0)
    kernel = it.compile(f"R[j] = {reduction}(i, {text})")
    for operand in (A, scipy.sparse.coo_array(A)):
        np.testing.assert_array_equal(kernel(A=operand, B=B), expected)
