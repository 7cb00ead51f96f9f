"""Sparse results of statements of which parts are computed before: which parts, and the entries of one kernel."""

import numpy as np
import pytest
from kernels_of_statement import kernels_of, one_kernel

import irtensor as it


def test_sparse_results_have_the_entries_of_one_kernel(always):
    """A dense sum may be computed before; a sum of a sparse tensor may have no entry, and stays where it is."""
    rng = np.random.default_rng(1)
    X, Y = ((rng.random((6, 6)) < 0.4) * 1.0 for _ in range(2))
    sparse = it.Tensor.from_numpy(X, it.CSR)
    for text, read in [("R[i,j] = X[i,j] / sum(k, Y[k,j])", Y + 1), ("R[i,j] = X[i,j] * sum(k, Y[k,j])", Y)]:
        for format in (None, it.CSR):
            formats = {"X": it.CSR, "R": it.CSR, **({} if format is None else {"Y": format})}
            given = read if format is None else it.Tensor.from_numpy(read, format)
            kernel, one = it.compile(text, formats=formats), one_kernel(text, formats)
            found, expected = kernel(X=sparse, Y=given), one(X=sparse, Y=given)
            for ours, other in zip(found.to_coo(), expected.to_coo(), strict=True):
                np.testing.assert_array_equal(ours, other)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("format", [None, it.CSR, it.CSC], ids=str)
@pytest.mark.parametrize(
    ("text", "kernels"),
    [
        ("R[i,j] = X[i,j] * log(c[j] + sum(k, Y[k,j]))", 2),
        ("R[i,j] = where(X[i,j] > 0.5, log(X[i,j]), 0) * log((1 + c[j]) / (1 + sum(k, Y[k,j] != 0)))", 2),
        ("R[i,j] = X[i,j] * where(c[j] + sum(k, Y[k,j]) > 1, exp(c[j] + sum(k, Y[k,j])), 0)", 2),
        # Without the dense operand each is 0, and counts as absent, where `Y` has no entry.
        ("R[i,j] = X[i,j] * log(1 + sum(k, Y[k,j]))", 1),
        ("R[i,j] = X[i,j] * log(1 + c[j] * sum(k, Y[k,j]))", 1),
        # Another number, or what divides: the entries are those of `X`, whatever `Y` has.
        ("R[i,j] = X[i,j] * log(2 + sum(k, Y[k,j]))", 2),
        ("R[i,j] = X[i,j] * log(20 / (1 + sum(k, Y[k,j] != 0))) * 2", 2),
        ("R[i,j] = X[i,j] / sqrt(sum(k, Y[k,j] ** 2))", 2),
        ("R[i,j] = X[i,j] * c[j] / log(1 + sum(k, Y[k,j]))", 2),
        ("R[i,j] = abs(X[i,j] * log(2 + sum(k, Y[k,j]))) + X[i,j]", 2),
        ("R[i,j] = X[i,j] * (X[i,j] + log(2 + sum(k, Y[k,j])))", 2),
        # The result has all rows.
        ("R[i,j] = c[i] * log(2 + sum(k, Y[k,j]))", 1),
    ],
)
def test_what_is_nowhere_absent_is_computed_before_for_sparse_results(text, kernels, format, always):
    """A part that a dense operand decides where sparse ones have no entry: results have the entries of one kernel."""
    rng = np.random.default_rng(2)
    X, Y = (rng.random((7, 6)) * (rng.random((7, 6)) < 0.3) for _ in range(2))
    Y[:, 1] = 0
    X[2, 1] = 3
    c = np.array([0.0, np.inf, np.nan, -1.0, 0.5, 2.0])
    if "c[i]" in text:
        c = np.append(c, 1)
    formats = {"X": it.CSR, "R": it.CSR, **({} if format is None else {"Y": format})}
    tensors = {"X": it.Tensor.from_numpy(X, it.CSR), "Y": Y if format is None else it.Tensor.from_numpy(Y, format)}
    if "c[" in text:
        tensors["c"] = c
    if "X[" not in text:
        del tensors["X"], formats["X"]
    kernel, one = it.compile(text, formats=formats), one_kernel(text, formats)
    found, expected = kernel(**tensors), one(**tensors)
    assert kernels_of(kernel) == (2 if format is None else kernels)
    for ours, other in zip(found.to_coo(), expected.to_coo(), strict=True):
        np.testing.assert_allclose(ours, other, rtol=1e-12)


@pytest.mark.parametrize(("entries", "kernels"), [(100_000, 2), (20, 1)])
def test_factors_that_are_computed_have_the_entries_of_their_tensors(entries, kernels):
    """Functions of columns are computed before where there are more entries than columns, whatever is made of these."""
    text = "R[i,j] = where(A[i,j] > 0, sqrt(A[i,j]), 0) * log(c[j] + z * c[j])"
    coordinates = [np.arange(entries) // 200, np.arange(entries) * 7 % 400]
    A = it.Tensor.from_coo(coordinates, np.ones(entries), shape=(500, 400), format="csr")
    formats = {"A": it.CSR, "R": it.CSR}
    kernel, one = it.compile(text, formats=formats), one_kernel(text, formats)
    found, expected = (its(A=A, c=np.full(400, 2.0), z=np.array(1.0)) for its in (kernel, one))
    np.testing.assert_allclose(found.to_numpy(), expected.to_numpy(), rtol=1e-12)
    assert kernels_of(kernel) == kernels
