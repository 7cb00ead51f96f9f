"""Chains of which a factor is divided by what has indices of the sum, as in a layer of a network on a graph."""

import numpy as np
import pytest
from kernels_of_statement import kernels_of, one_kernel
from reference.evaluate_dense import evaluate_dense

import irtensor as it
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.summation import insert_reductions

EXTENTS = {"i": 7, "j": 7, "k": 4, "f": 3, "l": 7}
STATEMENTS = [
    "R[i,f] = A[i,j] * H[j,k] * W[k,f] / sqrt(d[i] * d[j])",
    "R[i,f] = max(sum(j, k, A[i,j] * H[j,k] * W[k,f] / sqrt(d[i] * d[j])), 0)",
    "R[i,f] = A[i,j] * H[j,k] * W[k,f] / d[j] / (1 + d[i])",
    "R[i,f] = A[i,j] / d[j] * H[j,k] * W[k,f] / W[k,f]",
    "R[i,l] = A[i,j] * B[j,k] * B[l,k] / d[j]",
    "R[i,f] = A[i,j] * H[j,k] * W[k,f] / B[j,k]",
    # Nothing has all indices of what divides.
    "R[i,f] = A[i,j] * H[j,k] * W[k,f] / (d[i] + W[k,f])",
]
LEVELS = [None, it.CSR, it.CSC, it.COO(2)]


def operands_of(text, format):
    rng = np.random.default_rng(len(text))
    arrays = {
        "A": (rng.random((7, 7)) < 0.4) * rng.integers(1, 4, (7, 7)) * 1.0,
        "B": rng.random((7, 4)) + 0.5,
        "H": rng.random((7, 4)),
        "W": rng.random((4, 3)) + 0.5,
        "d": rng.random(7) + 0.5,
    }
    arrays = {name: array for name, array in arrays.items() if f"{name}[" in text}
    formats = {} if format is None else {"A": format}
    given = {name: it.Tensor.from_numpy(a, formats[name]) if name in formats else a for name, a in arrays.items()}
    return arrays, given, formats


@pytest.mark.one_in(4)
@pytest.mark.parametrize("format", LEVELS, ids=str)
@pytest.mark.parametrize("text", STATEMENTS)
def test_values(text, format, always):
    arrays, given, formats = operands_of(text, format)
    kernel = it.compile(text, formats=formats)
    found = kernel(**given)
    np.testing.assert_allclose(found, evaluate_dense(insert_reductions(parse_statement(text)), arrays, EXTENTS))
    assert kernels_of(kernel) > 1 or text == STATEMENTS[-1]


@pytest.mark.parametrize("value", [0.0, np.inf, np.nan])
@pytest.mark.parametrize("text", [text for text in STATEMENTS if "d[j]" in text])
def test_divisors_beside_absent_entries(text, value, always):
    """What an absent entry would be divided by is not looked at."""
    _, given, formats = operands_of(text, it.CSR)
    given["d"][[1, 4]] = value
    found, expected = it.compile(text, formats=formats)(**given), one_kernel(text, formats)(**given)
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("result", [it.CSR, it.COO(2)], ids=str)
def test_sparse_results_have_the_entries_of_one_kernel(result, always):
    text = "R[i,l] = A[i,j] * A[j,k] * A[k,l] / d[j]"
    rng = np.random.default_rng(0)
    A = it.Tensor.from_numpy((rng.random((7, 7)) < 0.2) * 1.0, it.CSR)
    formats = {"A": it.CSR, "R": result}
    kernel = it.compile(text, formats=formats)
    d = rng.random(7) + 0.5
    for ours, other in zip(kernel(A=A, d=d).to_coo(), one_kernel(text, formats)(A=A, d=d).to_coo(), strict=True):
        np.testing.assert_allclose(ours, other)


def test_a_layer_of_a_graph_multiplies_dense_matrices_first():
    n = 2000
    places = np.arange(12 * n)
    graph = it.Tensor.from_coo([places // 12, places * 7919 % n], 1.0, shape=(n, n), format="csr")
    text = "R[i,f] = max(sum(j, k, A[i,j] * H[j,k] * W[k,f] / sqrt(d[i] * d[j])), 0)"
    kernel = it.compile(text, formats={"A": it.CSR})
    kernel(A=graph, H=np.ones((n, 32)), W=np.ones((32, 16)), d=np.ones(n))
    assert "intermediate0[j, f] = sum(k, H[j, k] * W[k, f]): dense" in kernel.explain()
