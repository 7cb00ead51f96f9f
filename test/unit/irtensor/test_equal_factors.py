"""Sums that a product of tensors has several times without being written as sums: values, and which parts."""

import numpy as np
import pytest
from kernels_of_statement import one_kernel
from reference.evaluate_dense import evaluate_dense

import irtensor as it
from irtensor.frontend.expression_tree import accesses, format_expression
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.parts.equal_factors import expression_of, with_equal_sums
from irtensor.frontend.parts.product_tree import tree_of
from irtensor.frontend.summation import insert_reductions

EXTENTS: dict[str, int] = {"i": 5, "j": 6, "l": 6, "k": 4, "m": 4, "a": 3, "b": 3}
# Statements, and what they become.
STATEMENTS = {
    "s = A[i,j] * x[j] * A[i,l] * x[l]": "sum(i, sum(j, A[i, j] * x[j]) ** 2)",
    "y[i] = A[i,j] * x[j] * A[i,l] * x[l]": "sum(j, A[i, j] * x[j]) ** 2",
    "Y[a,b] = A[i,j] * X[j,a] * A[i,l] * X[l,b]": ("sum(i, sum(j, A[i, j] * X[j, a]) * sum(l, A[i, l] * X[l, b]))"),
    "Y[a,b] = 2 * X[j,a] * A[i,j] * w[i] * A[i,l] * X[l,b]": (
        "2 * sum(i, sum(j, A[i, j] * X[j, a]) * sum(l, A[i, l] * X[l, b]) * w[i])"
    ),
    "s = A[i,j] * B[j,k] * z[k] * A[i,l] * z[m] * B[l,m]": "sum(i, sum(k, z[k] * sum(j, A[i, j] * B[j, k])) ** 2)",
    "Y[i,a] = P[i,b] * A[i,j] * X[j,a] * A[i,l] * X[l,b]": (
        "sum(j, A[i, j] * X[j, a]) * sum(b, sum(l, A[i, l] * X[l, b]) * P[i, b])"
    ),
    "y[a] = X[j,a] * X[j,b] * X[l,a] * X[l,b] * P[i,b]": "sum(b, i, sum(j, X[j, a] * X[j, b]) ** 2 * P[i, b])",
    # Factors in common, factors that are no operands, and none that is there twice.
    "Y[j,l] = A[i,j] * A[i,k] * C[k,l]": None,
    "s = A[i,j] * B[j,k] * C[k,i]": None,
    "y[i] = A[i,j] * x[j] * z[k]": None,
}
FORMATS = [{}, {"A": it.CSR}, {"A": it.CSC, "B": it.CSR}, {"A": it.DCSR, "X": it.CSR}]


def operands_of(text, dtype=np.float64):
    """Arrays of few small numbers, and the statement."""
    statement = insert_reductions(parse_statement(text))
    rng, found = np.random.default_rng(len(text)), {}
    for access in accesses(statement.expression):
        shape = [EXTENTS[index] for index in access.plain_indices]
        drawn = rng.integers(1, 3, shape) * (rng.random(shape) < 0.6)
        found.setdefault(access.tensor, np.asarray(drawn, dtype))
    return statement, found


def called(text, formats, arrays):
    formats = {name: format for name, format in formats.items() if name in arrays}
    given = {name: it.Tensor.from_numpy(a, formats[name]) if name in formats else a for name, a in arrays.items()}
    return it.compile(text, formats=formats)(**given), given, one_kernel(text, formats)


@pytest.mark.parametrize("text", STATEMENTS)
def test_equal_sums(text):
    tree = tree_of(insert_reductions(parse_statement(text)).expression)
    assert tree is not None
    found = with_equal_sums(tree)
    assert (None if found is None else format_expression(expression_of(found))) == STATEMENTS[text]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("formats", FORMATS, ids=str)
@pytest.mark.parametrize("text", STATEMENTS)
def test_values(text, formats, always):
    if text.startswith("Y[j,l]"):
        return
    statement, arrays = operands_of(text)
    with np.errstate(all="ignore"):
        expected = evaluate_dense(statement, arrays, EXTENTS)
    np.testing.assert_array_equal(called(text, formats, arrays)[0], expected)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("text", [text for text, found in STATEMENTS.items() if found])
@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.float32, np.complex128])
def test_types(text, dtype, always):
    """Numbers that wrap around do so as in one kernel."""
    _, arrays = operands_of(text, dtype)
    found, given, one = called(text, {"A": it.CSR}, arrays)
    expected = one(**given)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("text", [text for text, found in STATEMENTS.items() if found])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_no_number(text, value, always):
    """Beside one kernel, for each operand: an absent entry times infinity is absent."""
    _, arrays = operands_of(text)
    for name, array in arrays.items():
        changed = array.copy()
        changed[(0,) * array.ndim] = value
        found, given, one = called(text, {"A": it.CSR}, {**arrays, name: changed})
        expected = one(**given)
        np.testing.assert_array_equal(np.where(np.isnan(expected), expected, found), expected, err_msg=name)


N = 20_000
GRAPH = it.Tensor.from_coo(
    [np.arange(9 * N) // 9, np.arange(9 * N) * 7919 % N], np.ones(9 * N), shape=(N, N), format=it.CSR
)


@pytest.mark.parametrize(
    ("text", "columns", "part"),
    [
        ("Y[a,b] = A[i,j] * X[j,a] * A[i,l] * X[l,b]", 24, "sum(j, A[i, j] * X[j, a])"),
        # The product of the sparse matrix with itself is smaller than that with many columns.
        ("Y[a,b] = B[i,j] * X[j,a] * B[i,l] * X[l,b]", 900, "sum(i, B[i, j] * B[i, l])"),
    ],
)
def test_parts_by_sizes(text, columns, part):
    rng = np.random.default_rng(0)
    operands = {"A": GRAPH, "B": rng.random((N, 8)), "X": rng.random((N if "A" in text else 8, columns))}
    used = {name: one for name, one in operands.items() if f"{name}[" in text}
    kernel = it.compile(text, formats={"A": it.CSR} if "A" in used else {}).prepare(**used)
    assert f" = {part}: dense" in kernel.explain(), kernel.explain()


def test_a_scattered_sum_is_a_tensor():
    """One kernel would keep a set of what the sum has, and look the set up at each entry."""
    rng = np.random.default_rng(0)
    x = rng.random(N)
    kernel = it.compile("y[i] = A[i,j] * A[k,j] * x[k]", formats={"A": it.CSR})
    found = kernel(A=GRAPH, x=x)
    rows, columns = np.arange(9 * N) // 9, np.arange(9 * N) * 7919 % N
    sums = np.bincount(columns, x[rows], N)
    np.testing.assert_allclose(found, np.bincount(rows, sums[columns], N))
    assert " = sum(k, A[k, j] * x[k]): dense" in kernel.explain(), kernel.explain()


@pytest.mark.parametrize("rows", [500, 5_000])
def test_few_rows_share_a_product_as_well(rows):
    """A kernel of its own for each of two equal products takes two calls."""
    count = 12 * rows
    entries = [np.arange(count) // 12, np.arange(count) * 7919 % rows]
    A = it.Tensor.from_coo(entries, np.ones(count), shape=(rows, rows), format=it.CSR)
    kernel = it.compile("Y[a,b] = X[j,a] * A[i,j] * A[i,l] * X[l,b]", formats={"A": it.CSR})
    X = np.random.default_rng(0).random((rows, 16))
    product = A.to_numpy() @ X
    np.testing.assert_allclose(kernel(A=A, X=X), product.T @ product)
    text = kernel.explain()
    assert "  2 kernels" in text and " = sum(j, A[i, j] * X[j, a]): dense" in text, text


def test_one_kernel_computes_a_power_of_a_chain():
    """Nothing is left to sum beside the power, and the chain in it is what the kernel is planned for."""
    kernel = it.compile("y[i] = A[i,j] * B[j,k] * x[k] * A[i,l] * B[l,m] * x[m]", formats={"A": it.CSR, "B": it.CSR})
    x = np.random.default_rng(0).random(N)
    once = it.compile("y[i] = A[i,j] * x[j]", formats={"A": it.CSR})
    expected = once(A=GRAPH, x=once(A=GRAPH, x=x)) ** 2
    np.testing.assert_allclose(kernel(A=GRAPH, B=GRAPH, x=x), expected)
    assert "y[i] = sum(k, x[k] * sum(j, A[i, j] * B[j, k])) ** 2" in kernel.explain()
