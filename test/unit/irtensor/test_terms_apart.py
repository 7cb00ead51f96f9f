"""Sums of terms with few entries, and of others, that are taken apart: into which sums, where, and the values."""

import re

import numpy as np
import pytest
from kernels_of_statement import one_kernel

import irtensor as it
from irtensor.frontend.expression_tree import Reduce, accesses, format_expression, walk
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.parts.may_split import may_split
from irtensor.frontend.parts.terms_apart import summed_product, terms_apart
from irtensor.frontend.summation import insert_reductions

# Statements, and what they become if a term that reads A or B has few entries.
STATEMENTS = {
    "y[i] = (A[i,j] - m[j]) * x[j]": "sum(j, A[i, j] * x[j]) - sum(j, m[j] * x[j])",
    "y[i] = (m[j] - A[i,j]) * x[j]": "sum(j, m[j] * x[j]) - sum(j, A[i, j] * x[j])",
    "y[j] = (A[i,j] + m[j]) * x[i]": "sum(i, A[i, j] * x[i]) + m[j] * sum(i, x[i])",
    "y[i] = x[j] * (A[i,j] - k[i] * k[j] / s) / d[j]": (
        "sum(j, x[j] * A[i, j] / d[j]) - k[i] * sum(j, x[j] * k[j] / d[j]) / s"
    ),
    "y[i] = sum(j, A[i,j] - k[i] * x[j])": "sum(j, A[i, j]) - k[i] * sum(j, x[j])",
    "y[i] = (A[i,j] - sum(f, U[i,f] * V[j,f])) * x[j]": "sum(j, A[i, j] * x[j]) - sum(f, j, U[i, f] * V[j, f] * x[j])",
    # Terms with few entries stay together, and so do vectors of one index.
    "y[i] = (A[i,j] - m[j] - B[i,j] + k[j]) * x[j]": (
        "sum(j, (A[i, j] - B[i, j]) * x[j]) - sum(j, (m[j] - k[j]) * x[j])"
    ),
    "y[i] = (A[i,j] - (m[j] - k[j])) * x[j]": "sum(j, A[i, j] * x[j]) - sum(j, (m[j] - k[j]) * x[j])",
    "y[i] = (A[i,j] - (1 / d[j] - k[i])) * x[j]": (
        "sum(j, A[i, j] * x[j]) - sum(j, x[j] / d[j]) + k[i] * sum(j, x[j])"
    ),
    # No tensor of a sum says how long it is; no term has few entries, or all have; nothing is summed; a power.
    "y[j] = sum(i, A[i,j] - m[j])": None,
    "y[j] = sum(i, (A[i,j] - m[j]) / d[j])": None,
    "y[i] = (X[i,j] - m[j]) * x[j]": None,
    "y[i] = (A[i,j] - B[i,j]) * x[j]": None,
    "Y[i,j] = (A[i,j] - m[j]) * x[j]": None,
    "y[i] = (A[i,j] - m[j]) ** 2": None,
    "y[i] = sum(j, x[j] / (A[i,j] - m[j]))": None,
    "y[i] = max(j, A[i,j] - m[j])": None,
}
LARGE = 2_000


def expression_of(text):
    return insert_reductions(parse_statement(text)).expression


def has_few(term):
    return any(access.tensor in "AB" for access in accesses(term))


@pytest.mark.parametrize("text", STATEMENTS)
def test_sums(text):
    sums = [summed_product(one) for one in walk(expression_of(text)) if isinstance(one, Reduce)]
    found = [terms_apart(tree, has_few, lambda: 1.0, lambda part: 1.0) for tree in sums if tree is not None]
    known = [format_expression(one.expression) for one in found if one is not None]
    assert known == ([] if STATEMENTS[text] is None else [STATEMENTS[text]])


@pytest.mark.parametrize(
    "whole, part, is_less", [(10e6, 1e6, True), (2e6, 1e6, False), (None, 1e6, False), (130e3, 60e3, True)]
)
def test_times_decide(whole, part, is_less):
    """Two sums of 1 ms are taken for one of 10, and two short ones, which one kernel computes, for one of 130 us."""
    tree = summed_product(expression_of("y[i] = (A[i,j] - m[j]) * x[j]"))
    assert tree is not None
    found = terms_apart(tree, has_few, lambda: whole, lambda _: part)
    assert (found is not None and found.is_less) == is_less


@pytest.mark.parametrize("rows", [50, 5000])
def test_two_merged_factors_are_apart_for_few_rows(rows):
    """In one kernel, the entries of a row are merged again at each element of the row."""
    X = it.Tensor.from_numpy(entries(np.random.default_rng(0), (rows, 40), rows), "csr")
    kernel, m = it.compile("R[a,b] = sum(i, (X[i,a] - m[a]) * (X[i,b] - m[b]))", formats={"X": "csr"}), np.ones(40)
    centred = X.to_numpy() - m
    np.testing.assert_allclose(kernel(X=X, m=m), centred.T @ centred)
    assert "R[a, b] = sum(i, X[i, a] * X[i, b])" in kernel.explain()


def test_times_of_pairs_with_terms_are_positive():
    X = it.Tensor.from_numpy(entries(np.random.default_rng(0), (5000, 40), 9000), "csr")
    kernel = it.compile("R[a] = sum(i, b, (X[i,a] - m[a]) * (X[i,b] - m[b]) * v[b])", formats={"X": "csr"})
    kernel(X=X, m=np.ones(40), v=np.ones(40))
    found = re.search(r"2 kernels, (\S+) us expected, (\S+) ms in one kernel", kernel.explain())
    assert found is not None and 0 < float(found[1]) < 1000 * float(found[2])


def entries(rng, shape, count, dtype=np.float64):
    coordinates = [rng.integers(0, extent, count) for extent in shape]
    dense = np.zeros(shape, dtype)
    dense[tuple(coordinates)] = rng.integers(1, 4, count)
    return dense


def operands(dtype=np.float64, entries_of_a=3 * LARGE):
    rng = np.random.default_rng(0)
    numbers = {name: rng.integers(1, 4, LARGE).astype(dtype) for name in ("m", "x", "k")}
    factors = {name: rng.integers(1, 3, (LARGE, 2)).astype(dtype) for name in ("U", "V")}
    return {"A": entries(rng, (LARGE, LARGE), entries_of_a, dtype), **numbers, **factors}


EXPECTED = {
    "y[i] = (A[i,j] - m[j]) * x[j]": lambda A, m, x, k, U, V: (A - m) @ x,
    "y[j] = (A[i,j] - m[j]) * x[i]": lambda A, m, x, k, U, V: (A - m).T @ x,
    "s = (A[i,j] - k[i] * k[j]) * U[i,c] * U[j,c]": lambda A, m, x, k, U, V: ((A - np.outer(k, k)) * (U @ U.T)).sum(),
    "y[i] = (A[i,j] - sum(f, U[i,f] * V[j,f])) * x[j]": lambda A, m, x, k, U, V: (A - U @ V.T) @ x,
    # A factor that is a sum of such terms itself.
    "y[j] = sum(i, (A[i,j] - m[j]) * sum(l, (A[i,l] - m[l]) * x[l]))": (
        lambda A, m, x, k, U, V: (A - m).T @ ((A - m) @ x)
    ),
    # Two such factors: the sum over l is made first, or both have their terms apart in one sum.
    "y[j] = sum(i, l, (A[i,j] - m[j]) * (A[i,l] - m[l]) * x[l])": (lambda A, m, x, k, U, V: (A - m).T @ ((A - m) @ x)),
    "y[j] = sum(i, l, (A[i,j] - m[j]) * k[i] * (A[i,l] - m[l]) * x[l])": (
        lambda A, m, x, k, U, V: (A - m).T @ (k * ((A - m) @ x))
    ),
    "s = sum(i, j, l, k[i] * (A[i,j] - m[j]) * (A[i,l] - m[l]) * x[l])": (
        lambda A, m, x, k, U, V: k @ ((A - m).sum(1) * ((A - m) @ x))
    ),
    "y[i] = max(m[i] + sum(j, (A[i,j] - x[j]) * k[j]), 0)": lambda A, m, x, k, U, V: np.maximum(m + (A - x) @ k, 0),
    "Y[i,c] = x[i] * sum(j, (A[i,j] + k[i] * k[j]) * U[j,c])": (
        lambda A, m, x, k, U, V: x[:, None] * ((A + np.outer(k, k)) @ U)
    ),
}


def called(text, arrays, format):
    kernel = it.compile(text, formats={"A": format})
    used = {name: arrays[name] for name in kernel.operand_names}
    given = {**used, "A": it.Tensor.from_numpy(used["A"], format)}
    return kernel, given, kernel(**given)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("format", [it.CSR, it.CSC, it.COO(2)], ids=["csr", "csc", "coo"])
@pytest.mark.parametrize("text", EXPECTED)
def test_values(text, format):
    arrays = operands()
    kernel, _, found = called(text, arrays, format)
    np.testing.assert_array_equal(found, EXPECTED[text](**arrays))
    assert "A[i, j] - " not in kernel.explain().partition("\nkernels\n")[2].partition("\n\n")[0]


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.float32, np.complex128])
def test_types(dtype):
    """Numbers that wrap around do so as in one kernel."""
    arrays = operands(dtype)
    text = "y[i] = (A[i,j] - k[i] * k[j]) * x[j]"
    _, given, found = called(text, arrays, it.CSR)
    expected = one_kernel(text, {"A": it.CSR})(**given)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


def test_an_infinity_is_the_number_of_one_kernel():
    """Infinity minus infinity is NaN in sums of their own; the terms of one sum are infinite alike."""
    arrays = operands()
    arrays["x"][7] = np.inf
    arrays["A"][3, 7] = 9.0
    text = "y[i] = (A[i,j] - m[j]) * x[j]"
    _, given, found = called(text, arrays, it.CSR)
    np.testing.assert_array_equal(found, one_kernel(text, {"A": it.CSR})(**given))
    assert found[3] == np.inf and found[0] == -np.inf


def test_many_entries_stay_in_one_sum():
    arrays = operands(entries_of_a=4 * LARGE * LARGE)
    text = "y[i] = (A[i,j] - m[j]) * x[j]"
    kernel, _, found = called(text, arrays, it.CSR)
    np.testing.assert_array_equal(found, (arrays["A"] - arrays["m"]) @ arrays["x"])
    assert "sum(j, m[j] * x[j])" not in kernel.explain()


@pytest.mark.parametrize("settings", [{"strict_fp": True}, {"deterministic": True}], ids=str)
def test_sums_that_keep_their_order(settings):
    arrays = operands(entries_of_a=LARGE)
    kernel = it.compile("y[i] = (A[i,j] - m[j]) * x[j]", formats={"A": it.CSR}, **settings)
    kernel(A=it.Tensor.from_numpy(arrays["A"], it.CSR), m=arrays["m"], x=arrays["x"])
    assert "sum(j, m[j] * x[j])" not in kernel.explain()


def test_sparse_results_have_the_entries_of_one_kernel():
    arrays = operands()
    text, formats = "R[i,j] = A[i,j] * sum(l, (A[i,l] - m[l]) * x[l])", {"A": it.CSR, "R": it.CSR}
    kernel = it.compile(text, formats=formats)
    given = {"A": it.Tensor.from_numpy(arrays["A"], it.CSR), "m": arrays["m"], "x": arrays["x"]}
    found, expected = kernel(**given), one_kernel(text, formats)(**given)
    for one, other in zip(found.to_coo(), expected.to_coo(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_statements_without_such_terms_are_not_planned():
    planned = "y[i] = (A[i,j] - m[j]) * x[j]", "y[i] = A[i,j] * x[j] - m[i]", "y[i] = (a[j] - m[j]) * x[i]"
    assert [may_split(insert_reductions(parse_statement(text)), False) for text in planned] == [True, False, False]


def test_a_chain_with_merged_factors_is_in_pairs():
    """What pairs and one kernel both merge decides nothing: in pairs, the terms are apart."""
    X = it.Tensor.from_numpy(entries(np.random.default_rng(0), (300, 2000), 60_000), "csr")
    kernel = it.compile("y[i] = sum(b, sum(a, (X[i,a] - m[a]) * (X[i,b] - m[b]) * v[a]) * v[b])", formats={"X": "csr"})
    m, v = np.ones(2000), np.random.default_rng(1).random(2000)
    np.testing.assert_allclose(kernel(X=X, m=m, v=v), ((X.to_numpy() - m) @ v) ** 2)
    assert "y[i] = sum(a, X[i, a] * v[a] * intermediate0[i]) - intermediate1 * intermediate2[i]" in kernel.explain()
