"""Sums of dense operands that are computed before, for sparse vectors and rows: entries are those of one kernel."""

from itertools import product

import numpy as np
import pytest
from kernels_of_statement import one_kernel

import irtensor as it

N = 6
DENSE = "exp(sum(f, V[j,f]))"
STATEMENTS = [
    f"R[i] = X[i,j] * {DENSE}",
    f"R[i] = X[i,j] * {DENSE} + d[i]",
    f"R[i] = exp(sum(j, X[i,j] * {DENSE}))",
    f"R[i] = max(j, X[i,j] * X[i,j] * {DENSE})",
    f"R[i] = X[i,j] * d[j] * {DENSE} / (1 + d[i])",
    f"R[i] = sum(j, where(X[i,j] > 1, {DENSE}, 0))",
    f"R[i] = X[j,i] * {DENSE}",
    f"R[i] = X[i,j] * {DENSE} / (1 + sum(j, X[i,j]))",
    f"R[i] = X[i,j] * Y[i,j] * {DENSE}",
    f"R[i] = X[i,j] * {DENSE} * sum(k, Y[k,i])",
]
LEVELS = [it.CSR, it.CSC, it.DCSR, it.DCSC, it.COO(2)]


def operands_of(text, formats):
    rng = np.random.default_rng(len(text))
    X, Y = ((rng.random((N, N)) < 0.3) * rng.integers(1, 4, (N, N)) * 1.0 for _ in range(2))
    X[2], X[:, 3], Y[2] = 0, 0, 0
    arrays = {"X": X, "Y": Y, "V": rng.random((N, 3)), "d": rng.random(N)}
    return {
        name: it.Tensor.from_numpy(array, formats[name]) if name in formats else array
        for name, array in arrays.items()
        if f"{name}[" in text
    }


@pytest.mark.one_in(8)
@pytest.mark.filterwarnings("ignore::irtensor.DenseResultWarning")
@pytest.mark.parametrize("result", ["compressed", "bitmap"])
@pytest.mark.parametrize(("text", "format"), [*product(STATEMENTS, LEVELS)], ids=str)
def test_entries_of_one_kernel(text, format, result, always):
    formats = {"X": format, "Y": it.CSR, "R": it.Format(result)}
    formats = {name: its for name, its in formats.items() if f"{name}[" in text}
    operands = operands_of(text, formats)
    kernel, one = it.compile(text, formats=formats), one_kernel(text, formats)
    found, expected = kernel(**operands), one(**operands)
    for ours, other in zip(found.to_coo(), expected.to_coo(), strict=True):
        np.testing.assert_allclose(ours, other, rtol=1e-12)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "levels", ["dense, compressed, compressed", "compressed, compressed, compressed", "dense, dense, compressed"]
)
@pytest.mark.parametrize("result", [it.CSR, it.CSC, it.COO(2)], ids=str)
def test_rows_of_a_result(levels, result, always):
    text = "R[i,j] = X[i,j,k] * exp(sum(f, V[k,f]))"
    formats = {"X": it.Format(levels), "R": result}
    rng = np.random.default_rng(1)
    X = (rng.random((4, 5, 6)) < 0.15) * 1.0
    X[1], X[:, 2] = 0, 0
    operands = {"X": it.Tensor.from_numpy(X, formats["X"]), "V": rng.random((6, 3))}
    found, expected = (its(**operands) for its in (it.compile(text, formats=formats), one_kernel(text, formats)))
    for ours, other in zip(found.to_coo(), expected.to_coo(), strict=True):
        np.testing.assert_allclose(ours, other, rtol=1e-12)
