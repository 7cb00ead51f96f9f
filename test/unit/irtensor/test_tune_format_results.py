"""Formats by measurement: results are what they were, whatever format is the fastest."""

from typing import Any

import numpy as np
import pytest
from told_formats import MATRICES, SPMV, STORES_ZEROS, clock, conversions, entries, matrix, taken

import irtensor as it
from irtensor.compiler.kernel import format_choice, format_trial
from irtensor.core.diagnostics import UserError
from irtensor.planning.candidate_formats import candidate_formats

__all__ = ["clock", "conversions"]  # fixtures


@pytest.mark.one_in(24)
@pytest.mark.parametrize("fastest", MATRICES, ids=str)
@pytest.mark.parametrize("dtype", [float, np.complex64, np.int32])
def test_each_format_gives_the_product(fastest, dtype, clock):
    array, A = matrix(dtype=dtype)
    x = np.arange(1, 32).astype(dtype)
    clock.fastest = fastest
    kernel = it.compile(SPMV, tune="format")
    for _ in range(2):
        np.testing.assert_array_equal(kernel(A, x), array @ x)
    assert taken(kernel)[0].startswith(str(fastest.with_widths(32, 32)))
    assert it.cache_info().copies.entries == 1


@pytest.mark.parametrize("rank", [1, 3])
def test_each_format_of_other_ranks_gives_the_sum(rank, clock):
    array = entries((5, 7, 6)[:rank], share=0.4)
    labels = "ijk"[:rank]
    x = np.arange(1.0, 1 + array.shape[-1])
    expected = np.einsum(f"{labels},{labels[-1]}->{labels[:-1]}", array, x)
    for format in candidate_formats(it.CSF(rank)):
        it.clear_caches()
        A = it.Tensor.from_numpy(array, it.CSF(rank))
        clock.fastest = format
        kernel = it.compile(f"y[{','.join(labels[:-1])}] = A[{','.join(labels)}] * x[{labels[-1]}]", tune="format")
        for _ in range(2):
            np.testing.assert_array_equal(kernel(A, x), expected)
        assert kernel.read_formats.get("A", format).structure == format.structure
    assert len(clock.measured) > 3


INFINITE = [
    (SPMV, [(3, np.inf)]),
    (SPMV, [(3, np.nan), (9, -np.inf)]),
    ("y[j] = A[i,j] * x[i] - 2 * b[j]", [(3, np.inf)]),
    ("y = A[i,j] * x[j]", [(3, np.inf)]),
    ("y[i] = b[i] - A[i,j] * x[j] / d[j]", [(3, np.inf)]),
    ("y[i] = A[i,j] * x[j] * x[i]", [(3, np.inf), (9, np.inf)]),
    ("y[i] = x[i] * sum(j, A[i,j])", [(3, np.inf)]),
    ("y[i] = b[i] - (x[j] - A[i,j] / x[j])", [(3, 0.0), (9, np.nan)]),
    ("y[i] = (A[i,j] + b[j]) * x[j] - A[i,j]", [(3, np.inf)]),
]


@pytest.mark.one_in(72)
@pytest.mark.parametrize("fastest", STORES_ZEROS, ids=str)
@pytest.mark.parametrize(("statement", "given"), INFINITE)
def test_an_infinity_beside_what_is_absent_is_none(fastest, statement, given, clock):
    """Results are those of the operand as it is, NaN for NaN."""
    _, A = matrix(shape=(31, 31))
    x, operands = np.arange(1.0, 32), {}
    for number, value in given:
        x[number] = value
    for name, array in {"x": x, "b": np.arange(31.0), "d": np.full(31, 2.0)}.items():
        if f"{name}[" in statement:
            operands[name] = array
    clock.fastest = fastest
    kernel, plain = it.compile(statement, tune="format"), it.compile(statement)
    for _ in range(2):
        np.testing.assert_array_equal(kernel(A=A, **operands), plain(A=A, **operands))
    if np.ndim(kernel(A=A, **operands)):
        out = np.empty(31)
        np.testing.assert_array_equal(kernel(A=A, **operands, out=out), plain(A=A, **operands))
    assert taken(kernel)[0].startswith(str(fastest.with_widths(32, 32)))


@pytest.mark.one_in(6)
@pytest.mark.parametrize("fastest", MATRICES, ids=str)
def test_an_infinity_beside_an_entry_that_is_zero(fastest, clock):
    """It is NaN: the formats that cannot tell are left out, also when zeros come later."""
    _, A = matrix(shape=(31, 31))
    x = np.full(31, np.inf)
    clock.fastest = fastest
    kernel, plain = it.compile(SPMV, tune="format"), it.compile(SPMV)
    kernel(A, x)
    A.values = np.where(np.arange(A.values.size) % 5, A.values, 0)
    assert np.isnan(plain(A, x)).sum() > 20
    for _ in range(2):
        np.testing.assert_array_equal(kernel(A, x), plain(A, x))
    assert kernel.explain().count("an entry that is 0 would count as absent") == len(STORES_ZEROS)
    exact = it.compile(SPMV, tune="format", exact=True)
    np.testing.assert_array_equal(exact(A, x), it.compile(SPMV, exact=True)(A, x))
    assert fastest.with_widths(32, 32) == A.format or taken(exact)[0].startswith(str(fastest.with_widths(32, 32)))


@pytest.mark.one_in(8)
@pytest.mark.parametrize("fastest", STORES_ZEROS, ids=str)
@pytest.mark.parametrize("statement", ["y[i] = A[i,j] / x[j]", "y[j] = A[i,j] / x[i]"])
def test_a_quotient_of_integers_that_are_zero(fastest, statement, clock):
    """It is NaN where a zero is stored, and none where one is absent."""
    _, A = matrix(shape=(31, 31), dtype=np.int32)
    x = (np.arange(31) % 10).astype(np.int32)
    clock.fastest = fastest
    kernel, plain = it.compile(statement, tune="format"), it.compile(statement)
    for _ in range(2):
        np.testing.assert_allclose(kernel(A, x), plain(A, x))
    assert taken(kernel)[0].startswith(str(fastest.with_widths(32, 32)))
    A.values = np.where(np.arange(A.values.size) % 5, A.values, 0)
    assert np.isnan(plain(A, x)).any()
    for _ in range(2):
        np.testing.assert_allclose(kernel(A, x), plain(A, x))


def test_few_elements_of_a_result_are_looked_at(clock, monkeypatch):
    """Only where a zero is stored that was absent: here in the last row of blocks."""
    array = np.kron(np.eye(6), np.ones((4, 4)))
    array[-1, -1] = 0
    A = it.Tensor.from_numpy(array, it.CSR)
    clock.fastest = it.BCSR(4, 4)
    looked = []
    monkeypatch.setattr(format_choice, "has_nan", lambda result: looked.append(result.copy()) or False)
    kernel = it.compile("y[i] = A[i,j] * x[j] * x[i]", tune="format")
    x = np.arange(24.0)
    expected = (array @ x) * x
    kernel(A, x)
    looked.clear()  # measuring looks at all
    for _ in range(2):
        np.testing.assert_array_equal(kernel(A, x), expected)
    assert [list(one) for one in looked] == [[expected[-1]]] * 2
    # Where none is added, nothing is looked at.
    looked.clear()
    full = it.Tensor.from_numpy(np.kron(np.eye(6), np.ones((4, 4))), it.CSR)
    np.testing.assert_array_equal(kernel(full, x), (full.to_numpy() @ x) * x)
    # Nor is it for one other factor, of which the code makes no NaN.
    product = it.compile(SPMV, tune="format")
    np.testing.assert_array_equal(product(A, x), array @ x)
    assert not looked and "floordiv 4" in taken(kernel)[0]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("statement", "summed"), [(SPMV, 1), ("y[j] = A[i,j] * x[i]", 0)])
@pytest.mark.parametrize("setting", ["strict_fp", "deterministic"])
@pytest.mark.parametrize("source", [it.CSR, it.COO(2)], ids=str)
def test_sums_stay_in_order(statement, summed, setting, source, clock):
    """Bit for bit, whatever format is the fastest; others are left out."""
    rng = np.random.default_rng(5)
    A = it.Tensor.from_numpy(np.where(rng.random((31, 31)) < 0.3, rng.standard_normal((31, 31)), 0), source)
    x = rng.standard_normal(31) * 10.0 ** rng.integers(-8, 8, 31)
    asked: dict[str, Any] = {setting: True}
    expected = it.compile(statement, **asked)(A, x)
    kernel: Any = None
    for fastest in MATRICES:
        clock.fastest = fastest
        it.clear_caches()
        kernel = it.compile(statement, tune="format", **asked)
        for _ in range(2):
            np.testing.assert_array_equal(kernel(A, x).view(np.int64), expected.view(np.int64))
    text = kernel.explain()
    if setting == "deterministic":
        assert "read as it is: partial sums depend on the format, and deterministic keeps them" in text
        assert not clock.measured
        return
    left = [line for line in text.splitlines() if "in another order, and strict_fp keeps it" in line]
    assert len(left) == (summed == 0) and all("j - i" in line for line in left)


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("C[i,j] = A[i,j] * 2", "the result would have an entry for each 0 that is stored"),
        ("y[i] = max(j, A[i,j] * x[j])", "'max' could tell a 0 that is stored from one that is not"),
        ("y[i] = sum(j, where(A[i,j] * x[j] < 3, 1, 2))", "'where' could tell a 0 that is stored from one that is not"),
    ],
)
def test_formats_that_store_zeros_are_left_out_where_that_may_be_seen(statement, why, clock):
    _, A = matrix()
    kernel = it.compile(statement, {"C": it.CSR} if "C" in statement else {}, tune="format")
    plain = it.compile(statement, {"C": it.CSR} if "C" in statement else {})
    operands = {"A": A, "x": np.arange(31.0)} if "x" in statement else {"A": A}
    for _ in range(2):
        result, expected = kernel(**operands), plain(**operands)
        if isinstance(expected, it.Tensor):
            assert result.format == expected.format and result.nnz == expected.nnz
            result, expected = result.to_numpy(), expected.to_numpy()
        np.testing.assert_array_equal(result, expected)
    lines = [line for line in kernel.explain().splitlines() if why in line]
    assert len(lines) == len(STORES_ZEROS) and clock.measured


@pytest.mark.one_in(24)
@pytest.mark.parametrize("fastest", MATRICES, ids=str)
@pytest.mark.parametrize(
    ("statement", "result_format"),
    [("C[i,k] = A[i,j] * B[j,k]", it.CSR), ("C[i,k] = A[i,j] * B[j,k]", it.CSC), ("C[i] = A[i,j] * x[j]", it.CSF(1))],
)
def test_sparse_results_store_what_they_stored(statement, result_format, fastest, clock):
    """Also where rows are empty, which some loops skip; an operand without such rows says nothing of others."""
    array, full = matrix(share=0.4)
    assert array.any(axis=1).all()
    array[3:9] = 0
    A = it.Tensor.from_numpy(array, it.CSR)
    other = {"B": np.ones((31, 5))} if "B" in statement else {"x": np.ones(31)}
    clock.fastest = fastest
    kernel = it.compile(statement, {"C": result_format}, tune="format")
    plain = it.compile(statement, {"C": result_format})
    for operand in (full, A, A):
        result, expected = kernel(A=operand, **other), plain(A=operand, **other)
        assert result.format == expected.format
        np.testing.assert_array_equal(result.to_coo()[0], expected.to_coo()[0])
        np.testing.assert_array_equal(result.to_coo()[1], expected.to_coo()[1])
    assert "not tried, the result would have other entries: (i, j) -> (i : compressed, j" in kernel.explain()


def test_a_fill_that_is_not_zero_is_not_stored(clock):
    array, A = matrix()
    A = A.with_fill(2.0)
    kernel = it.compile(SPMV, tune="format")
    expected = np.where(array == 0, 2.0, array) @ np.arange(31.0)
    clock.fastest = it.ELL.with_fill(2.0)
    for _ in range(2):
        np.testing.assert_array_equal(kernel(A, np.arange(31.0)), expected)
    assert kernel.explain().count("elements that are not stored are not 0") == len(STORES_ZEROS)
    assert "padded" in taken(kernel)[0]


def test_several_operands_and_one_that_is_given_twice(clock):
    left, A = matrix()
    right, B = matrix(seed=3, shape=(31, 23))
    clock.fastest = it.ELL
    kernel = it.compile("y[i] = A[i,j] * B[j,k] * x[k]", tune="format")
    for _ in range(2):
        np.testing.assert_array_equal(kernel(A, B, np.ones(23)), left @ right.sum(1))
    assert len(taken(kernel)) == 2 and it.cache_info().copies.entries == 2
    square, S = matrix(seed=4, shape=(31, 31))
    kernel = it.compile("y[i] = A[i,j] * B[j,k] * x[k]", tune="format")
    for _ in range(2):
        np.testing.assert_array_equal(kernel(S, S, np.ones(31)), square @ square.sum(1))
    assert it.cache_info().copies.entries == 3


def test_statements_that_add_to_a_result(clock):
    array, A = matrix()
    clock.fastest = it.DIA
    kernel = it.compile("y[i] += A[i,j] * x[j]", tune="format")
    y = np.arange(29.0)
    for _ in range(2):
        np.testing.assert_array_equal(kernel(A=A, x=np.ones(31), y=y), y + array.sum(1))
    assert kernel(A=A, x=np.ones(31), y=y, out=y) is y
    np.testing.assert_array_equal(y, np.arange(29.0) + array.sum(1))


def test_what_cannot_be_computed_in_a_format_is_left_out(clock, monkeypatch):
    array, A = matrix()
    convert = format_trial.converted

    def converted(one, format):
        if format.has_diagonals:
            raise MemoryError
        if format.is_blocked:
            raise UserError("bad-format", "no blocks here")
        return convert(one, format)

    monkeypatch.setattr(format_trial, "converted", converted)
    kernel = it.compile(SPMV, tune="format")
    np.testing.assert_array_equal(kernel(A, np.ones(31)), array.sum(1))
    text = kernel.explain()
    blocked = sum(format.is_blocked and not format.has_diagonals for format in MATRICES)
    assert text.count("not tried, not enough memory") == 1 and blocked > 0
    assert text.count("not tried, refused: [bad-format]") == blocked


@pytest.mark.parametrize("spelling", ["text", "lists"])
def test_einsum(spelling, clock, conversions):
    array, A = matrix()
    clock.fastest = it.DIA
    x = np.arange(31.0)

    def call(**how):
        return (
            it.einsum("ij,j->i", A, x, tune="format", **how)
            if spelling == "text"
            else it.einsum(A, [0, 1], x, [1], [0], tune="format", **how)
        )

    np.testing.assert_array_equal(call(), array @ x)
    made = len(conversions)
    out = np.empty(29)
    assert call(out=out) is out
    np.testing.assert_array_equal(out, array @ x)
    assert len(conversions) == made and it.cache_info().copies.entries == 1
    x[3] = np.inf
    np.testing.assert_array_equal(call(), it.einsum("ij,j->i", A, x))


def test_einsum_of_other_kinds(clock):
    array, A = matrix()
    clock.fastest = it.ELL
    other, B = matrix(seed=7, shape=(31, 20))
    for _ in range(2):
        product = it.einsum("ij,jk->ik", A, B, format="csr", tune="format")
        np.testing.assert_array_equal(product.to_numpy(), array @ other)
        assert product.format == it.CSR and product.nnz == it.einsum("ij,jk->ik", A, B, format="csr").nnz
    distances = np.where(array == 0, np.inf, array)
    D = it.Tensor.from_numpy(distances, it.CSR.with_fill(np.inf))
    for _ in range(2):
        shortest = it.einsum("ij,j->i", D, np.arange(31.0), semiring=it.MIN_PLUS, tune="format")
        np.testing.assert_array_equal(shortest, (distances + np.arange(31.0)).min(1))
    # A view is of the operand, and of no copy.
    measured = len(clock.measured)
    assert it.einsum("ij->ji", A, format="csc", tune="format").nnz == A.nnz
    assert len(clock.measured) == measured
    with pytest.raises(UserError, match="schedule"):
        it.einsum("ij,j->i", A, np.ones(31), tune="format", schedule=it.schedule())
    with pytest.raises(TypeError, match="einsum"):
        it.einsum("ij,j->i", A, np.ones(31), tune="format", nothing=1)
