"""Parts of statements that have few values: where a sparse tensor has entries. No dense intermediate holds them."""

import numpy as np
import pytest
import scipy.sparse as sp
from kernels_of_statement import kernels_of

import irtensor as it

ROWS, COLUMNS, RANK = 1500, 300, 8
SPARSE = {
    "G[i,f] = sum(j, where(U[i,j] != 0, sum(g, V[i,g] * H[j,g]) - U[i,j], 0) * H[j,f]) + 0.1 * V[i,f]": 0.1,
    "G[i,f] = sum(j, (U[i,j] != 0) * (sum(g, V[i,g] * H[j,g]) - U[i,j]) * H[j,f])": 0.0,
    "G[i,f] = sum(j, (U[i,j] != 0) * (sum(g, V[i,g] * H[j,g]) - U[i,j]) * H[j,f]) + 0.1 * V[i,f]": 0.1,
}


def _operands():
    rng = np.random.default_rng(0)
    keys = rng.choice(ROWS * COLUMNS, 9000, replace=False)
    u = sp.csr_array((rng.random(9000) + 0.5, np.divmod(np.sort(keys), COLUMNS)), shape=(ROWS, COLUMNS))
    return u, rng.random((ROWS, RANK)), rng.random((COLUMNS, RANK))


@pytest.mark.parametrize("text", SPARSE)
def test_what_entries_decide_is_computed_at_entries(text):
    u, v, h = _operands()
    kernel = it.compile(text, formats={"U": "csr"})
    found = kernel(U=u, V=v, H=h)
    dense = u.toarray()
    expected = np.where(dense != 0, v @ h.T - dense, 0) @ h + SPARSE[text] * v
    np.testing.assert_allclose(found, expected, rtol=1e-10)
    assert kernels_of(kernel) == 1


def test_a_condition_that_holds_at_few_coordinates_is_asked_first():
    """Three factors, of which a condition has few values: no pair is computed at all coordinates."""
    u, v, h = _operands()
    text = "s = sum(i, sum(j, (U[i,j] > 1) * sum(g, V[i,g] * H[j,g]) * c[j]))"
    kernel = it.compile(text, formats={"U": "csr"})
    c = np.linspace(0, 1, COLUMNS)
    np.testing.assert_allclose(kernel(U=u, V=v, H=h, c=c), (((u.toarray() > 1) * (v @ h.T)) @ c).sum(), rtol=1e-10)
    assert "dense, 3.6 MB" not in kernel.explain()


def test_intermediates_are_stored_by_rows_of_the_result():
    """What is summed over, j, is within rows of the result, as the second product reads it."""
    rng = np.random.default_rng(1)
    d, f, b, g, w = rng.random((900, 48)), rng.random((48, 64)), rng.random(64), rng.random((64, 48)), rng.random(48)
    kernel = it.compile("Y[i,l] = sum(j, max(sum(k, D[i,k] * F[k,j]) + b[j], 0) * G[j,l]) + w[l]")
    np.testing.assert_allclose(kernel(D=d, F=f, b=b, G=g, w=w), np.maximum(d @ f + b, 0) @ g + w, rtol=1e-10)
    text = kernel.explain()
    assert "intermediate0[i, j] =" in text
    # The rows that entries read have the result's columns innermost.
    a = sp.csr_array((rng.random((500, 400)) < 0.05) * 1.5)
    layer = it.compile("Y[i,f] = A[i,j] * max(w[f] + sum(k, B[j,k] * W[k,f]), 0)", formats={"A": "csr"})
    left, right, bias = rng.random((400, 40)), rng.random((40, 16)), rng.random(16)
    expected = a.toarray() @ np.maximum(left @ right + bias, 0)
    np.testing.assert_allclose(layer(A=a, w=bias, B=left, W=right), expected, rtol=1e-10)
    assert "[j, f] =" in layer.explain()
