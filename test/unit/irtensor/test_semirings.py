"""Semirings of einsum and operators that users declare, against dense NumPy."""

import numpy as np
import pytest
import scipy.sparse as sp

import irtensor as it

A = sp.random(11, 7, 0.4, random_state=1).tocsr()
x = np.random.default_rng(2).random(7) - 0.5
D, stored = A.toarray(), A.toarray() != 0


@pytest.mark.parametrize(
    "semiring, multiply, reduce, zero",
    [
        (it.MIN_PLUS, np.add, np.min, np.inf),
        (it.MAX_PLUS, np.add, np.max, -np.inf),
        (it.MIN_TIMES, np.multiply, np.min, np.inf),
        (it.MAX_TIMES, np.multiply, np.max, -np.inf),
        (it.MIN_MAX, np.maximum, np.min, np.inf),
        (it.MAX_MIN, np.minimum, np.max, -np.inf),
        (it.PLUS_TIMES, np.multiply, np.sum, 0),
    ],
)
def test_missing_entries_are_the_zero(semiring, multiply, reduce, zero):
    expected = reduce(np.where(stored, multiply(D, x), zero), axis=1)
    np.testing.assert_allclose(it.einsum("ij,j->i", A, x, semiring=semiring), expected, atol=1e-12)


def test_integers_have_no_infinity():
    weights = sp.csr_array(np.array([[5, 0, 7], [0, 0, 0], [0, 1, 0]], np.int32))
    start = np.array([1, 2, 3], np.int32)
    result = it.einsum("ij,j->i", weights, start, semiring=it.MIN_PLUS)
    np.testing.assert_array_equal(result, [6, np.iinfo(np.int32).max, 3])


def test_or_and_asks_what_is_stored():
    reached = np.arange(7) == 3
    np.testing.assert_array_equal(it.einsum("ij,j->i", A, reached, semiring=it.OR_AND), D[:, 3] != 0)
    np.testing.assert_array_equal(it.einsum("ij,j->i", A, reached * 1.0, semiring=it.OR_AND), D[:, 3] != 0)


def test_a_sparse_result_has_the_zero_as_its_fill():
    result = it.einsum("ij,ij->ij", A, A, semiring=it.MIN_PLUS, format=it.CSR)
    assert result.fill_value == np.inf and result.nnz == A.nnz
    np.testing.assert_allclose(result.to_numpy(), np.where(stored, 2 * D, np.inf))


probor = it.operator(
    "probor", lambda a, b: a + b - a * b, identity=0, annihilator=1, commutative=True, associative=True
)


def test_a_declared_operator_reduces_and_combines():
    by_row = it.compile("y[i] probor= A[i,j]", formats={"A": it.CSR}, operators=[probor])(A=A)
    np.testing.assert_allclose(by_row, 1 - np.prod(1 - D, axis=1))
    kernel = it.compile("C[i,j] = @probor(A[i,j], B[i,j])", formats={"C": it.CSR}, operators=[probor])
    result = kernel(A=A, B=A.tocsc())
    np.testing.assert_allclose(result.to_numpy(), 2 * D - D * D)
    assert result.nnz == A.nnz
    assert "algebra.operator @probor" in kernel.ir()


def test_one_operator_at_two_types():
    twice = it.operator("twice", lambda a: a + a)
    kernel = it.compile("y[i] = twice(a[i]) + @twice(b[i])", operators=[twice])
    result = kernel(a=np.ones(3, np.float32), b=np.ones(3, np.int64))
    np.testing.assert_array_equal(result, [4.0, 4.0, 4.0])


def test_operators_in_lazy_expressions():
    larger = it.operator("larger", lambda a, b: it.functions.where(a > b, a, b))
    i, j = it.indices("i j")
    tensor = it.Tensor.from_scipy(A)
    target = it.tensor_variable("C", 2)
    target[i, j] = larger(tensor[i, j], 0.5)
    np.testing.assert_allclose(target.evaluate(), np.maximum(D, 0.5))


@pytest.mark.parametrize(
    "slug, declare",
    [
        ("bad-operator", lambda: it.operator("a b", lambda a: a)),
        ("bad-operator", lambda: it.operator("f", lambda: 1)),
        ("bad-operator", lambda: it.operator("f", lambda a: a, associative=True)),
        ("bad-operator", lambda: it.operator("f", lambda a, b: a, identity="0")),  # pyrefly: ignore[bad-argument-type]
        ("expression-as-value", lambda: it.operator("f", lambda a, b: a if a > b else b)),
        ("wrong-arity", lambda: probor(1)),
        ("not-a-reduction", lambda: it.compile("y[i] f= A[i,j]", operators=[it.operator("f", lambda a, b: a)])(A=D)),
        ("wrong-arity", lambda: it.compile("y[i] = @probor(a[i])", operators=[probor])(a=x)),
    ],
)
def test_operators_that_are_refused(slug: str, declare):
    with pytest.raises(it.UserError, match=rf"\[{slug}\]"):
        declare()


@pytest.mark.parametrize("semiring, combine", [(it.MIN_PLUS, min), (it.MAX_PLUS, max), (it.PLUS_TIMES, sum)])
def test_parallel_edges_are_combined_by_the_addition(semiring, combine):
    rng = np.random.default_rng(7)
    rows, columns = rng.integers(0, 4, (2, 30))
    weights = rng.random(30)
    zero = semiring.zero(weights.dtype)
    dense = np.full((4, 4), zero)
    for place in set(zip(rows.tolist(), columns.tolist(), strict=True)):
        dense[place] = combine(weights[(rows == place[0]) & (columns == place[1])])
    start = rng.random(4)
    expected = it.einsum("ij,j->i", dense, start, semiring=semiring)
    parts = sp.coo_array((weights, (rows, columns)), shape=(4, 4))
    order = np.lexsort((columns, rows))
    positions = np.searchsorted(rows[order], np.arange(5))
    by_row = sp.csr_array((weights[order], columns[order], positions), shape=(4, 4))
    by_column = sp.csc_array((weights[order], columns[order], positions), shape=(4, 4)).T
    stored = it.Tensor.from_coo(
        [rows, columns],
        weights,
        shape=(4, 4),
        format="compressed(nonunique), singleton(nonunique)",
        duplicates="keep",
    ).with_fill(zero)
    for operand in (parts, parts.tocsc() if semiring is it.PLUS_TIMES else parts, by_row, by_column, stored):
        np.testing.assert_allclose(it.einsum("ij,j->i", operand, start, semiring=semiring), expected)
        np.testing.assert_allclose(it.einsum(operand, [0, 1], start, [1], [0], semiring=semiring), expected)
        squared = it.einsum("ij,jk->ik", operand, operand, semiring=semiring)
        np.testing.assert_allclose(squared, it.einsum("ij,jk->ik", dense, dense, semiring=semiring))


def test_parallel_edges_of_a_declared_addition():
    semiring = it.Semiring(probor, "mul")
    parts = sp.coo_array(([0.5, 0.25, 0.5], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    result = it.einsum("ij,j->i", parts, np.ones(2), semiring=semiring)
    np.testing.assert_allclose(result, [0.625, 0.5])
    reached = it.einsum(
        "ij,j->i", sp.coo_array(([1.0, -1.0], ([0, 0], [1, 1])), shape=(2, 2)), np.ones(2), semiring=it.OR_AND
    )
    np.testing.assert_array_equal(reached, [True, False])
