"""Divisors of a term that divide factors with the same index: as a vector, once, where entries would divide each."""

import numpy as np
import pytest
from kernels_of_statement import kernels_of, one_kernel

import irtensor as it
from irtensor.frontend.expression_tree import format_expression
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.parts.may_split import may_split
from irtensor.frontend.parts.product_tree import tree_of
from irtensor.frontend.summation import insert_reductions

ROWS, PER_ROW = 20_000, 10
QUOTIENTS = {
    "u[i] = A[i,j] * b[j] / w[j]": ["b[j] / w[j]"],
    "u[i] = b[j] / w[j] * A[i,j] / d[j]": ["b[j] / w[j] / d[j]"],
    "u[i] = A[i,j] / w[j] * c[i] / d[i] * b[j]": ["b[j] / w[j]"],
    "u[i] = A[i,j] * sqrt(b[j]) / (1 + w[j])": ["sqrt(b[j]) / (1 + w[j])"],
    # Nothing divides at the same index; nothing is summed; the greatest of some products is rounded as it is written.
    "u[i] = A[i,j] * b[j] / d[i]": [],
    "u[i] = A[i,j] / w[j]": [],
    "R[i,j] = A[i,j] * b[j] / w[j]": [],
    "u[i] max= A[i,j] * b[j] / w[j]": [],
}
# Statements, and whether entries read a vector that a kernel of its own divides.
STATEMENTS = {
    "u[i] = A[i,j] * b[j] / w[j]": True,
    "u[i] = A[i,j] * (b[j] / w[j])": True,
    "u[i] = c[i] / sum(j, A[i,j] * b[j] / w[j])": True,
    "u[i] = max(c[i] - sum(j, A[i,j] * b[j] / sqrt(w[j])), 0)": True,
    # Rows divide once each.
    "u[j] = A[i,j] * b[i] / w[i]": False,
}


@pytest.mark.parametrize("text", QUOTIENTS)
def test_quotients(text):
    tree = tree_of(insert_reductions(parse_statement(text)).expression)
    assert tree is not None
    assert [format_expression(one) for one in tree.quotients()] == QUOTIENTS[text]


def operands(rows, dtype=np.float64):
    rng = np.random.default_rng(0)
    columns = rng.integers(0, rows, rows * PER_ROW)
    values = rng.integers(1, 4, rows * PER_ROW).astype(dtype)
    coordinates = [np.arange(rows * PER_ROW) // PER_ROW, columns]
    vectors = {name: rng.integers(1, 5, rows).astype(dtype) for name in "bcw"}
    return {"A": it.Tensor.from_coo(coordinates, values, shape=(rows, rows), format=it.CSR), **vectors}


def called(text, arrays, **options):
    kernel = it.compile(text, formats={"A": it.CSR}, **options)
    given = {name: arrays[name] for name in kernel.operand_names}
    return kernel, kernel(**given), one_kernel(text, {"A": it.CSR})(**given)


@pytest.mark.parametrize("text", STATEMENTS)
def test_values(text):
    kernel, found, expected = called(text, operands(ROWS))
    assert kernels_of(kernel) == 1 + STATEMENTS[text]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_few_entries_divide_for_themselves():
    kernel, found, expected = called("u[i] = A[i,j] * b[j] / w[j]", operands(500))
    assert kernels_of(kernel) == 1
    np.testing.assert_array_equal(found, expected)


def test_zeros_and_infinities():
    arrays = operands(ROWS)
    arrays["w"][:50], arrays["b"][:20], arrays["b"][50:60] = 0, 0, np.inf
    _, found, expected = called("u[i] = A[i,j] * b[j] / w[j]", arrays)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert np.isnan(found).any() and np.isinf(found).any()


@pytest.mark.parametrize("options", [{"strict_fp": True}, {"deterministic": True}], ids=str)
def test_numbers_that_are_rounded_as_written(options):
    kernel, found, expected = called("u[i] = A[i,j] * b[j] / w[j]", operands(ROWS), **options)
    assert kernels_of(kernel) == 1
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_dense_matrix_reads_a_vector_in_one_kernel():
    text = "u[i] = K[i,j] * b[j] / w[j]"
    assert not may_split(insert_reductions(parse_statement("u[i] = K[i,j] * b[j] / d[i]")), False)
    assert "b[j] / w[j] is computed for all j first" in it.compile(text).explain()
    rng = np.random.default_rng(0)
    arrays = {"K": rng.random((30, 40)), "b": rng.random(40), "w": rng.random(40) + 0.5}
    np.testing.assert_allclose(it.compile(text)(**arrays), arrays["K"] @ (arrays["b"] / arrays["w"]))
