"""Sums of sparse tensors that a reduction goes along: as a sparse tensor where they have few entries."""

import numpy as np
import pytest
from kernels_of_statement import kernels_of, one_kernel
from reference.evaluate_dense import evaluate_dense

import irtensor as it
from irtensor.frontend.expression_tree import accesses
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.summation import insert_reductions

EXTENTS: dict[str, int] = {"i": 5, "j": 6, "k": 7, "l": 4}
# Statements, and whether the sum may be a sparse tensor: the last ones have another value at each coordinate, no value
# that is combined at once, a dense factor, or a result along all of the sum.
STATEMENTS = {
    "m[i] = max(k, sum(j, A[i,j] * B[j,k]))": True,
    "m[k] = min(i, sum(j, A[i,j] * B[j,k]))": True,
    "s = max(i, k, sum(j, A[i,j] * B[j,k]))": True,
    "m[i] = c[i] - max(k, abs(2 - sum(j, A[i,j] * B[j,k]) / 2))": True,
    "m[i] = max(k, d[k] * sum(j, A[i,j] * B[j,k]) * c[i])": True,
    "m[i] = max(k, sum(j, A[i,j] * B[j,k]) + c[i]) - min(l, sum(j, A[i,j] * C[j,l]))": True,
    "m[i] = max(k, sum(j, A[i,j] * B[j,k]) + d[k])": False,
    "m[i] = max(k, c[i] / (1 + sum(j, A[i,j] * B[j,k])) * d[k])": False,
    "m[i] = sum(k, 1 + sum(j, A[i,j] * B[j,k]))": False,
    "m[i] = max(k, sum(j, A[i,j] * F[j,k]))": False,
    "Y[i,k] = max(sum(j, A[i,j] * B[j,k]), 1)": False,
}
FORMATS = [
    {"A": it.CSR, "B": it.CSR, "C": it.CSC},
    {"A": it.CSC, "B": it.CSC, "C": it.CSR},
    {"A": it.DCSR, "B": it.CSR, "C": it.DCSR},
    {"A": it.COO(2), "B": it.DCSR, "C": it.COO(2)},
]


def operands_of(text, dtype=np.float64):
    """Arrays of few small numbers, without entries in a row and a column, and the statement."""
    statement = insert_reductions(parse_statement(text))
    rng, found = np.random.default_rng(len(text)), {}
    for access in accesses(statement.expression):
        shape = [EXTENTS[index] for index in access.plain_indices]
        drawn = rng.integers(-2, 3, shape) * (rng.random(shape) < 0.5)
        if len(shape) > 1:
            drawn[0], drawn[:, 1] = 0, 0
        found.setdefault(access.tensor, np.asarray(drawn, dtype))
    return statement, found


def called(text, formats, arrays, **options):
    formats = {name: format for name, format in formats.items() if name in arrays}
    given = {name: it.Tensor.from_numpy(a, formats[name]) if name in formats else a for name, a in arrays.items()}
    kernel = it.compile(text, formats=formats, **options)
    return kernel(**given), kernel, one_kernel(text, formats)(**given)


@pytest.mark.one_in(32)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("formats", FORMATS, ids=str)
@pytest.mark.parametrize("text", STATEMENTS)
def test_values(text, formats, threads, always):
    statement, arrays = operands_of(text)
    found, kernel, one = called(text, formats, arrays, num_threads=threads)
    with np.errstate(all="ignore"):
        expected = evaluate_dense(statement, arrays, EXTENTS)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(one, expected)
    if STATEMENTS[text]:
        assert "entries" in kernel.explain().partition("\nkernels\n")[2].partition("\n\n")[0], kernel.explain()
    else:
        assert kernels_of(kernel) == 1


@pytest.mark.one_in(3)
@pytest.mark.parametrize("text", [text for text, listed in STATEMENTS.items() if listed])
@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float32])
def test_types(text, dtype, always):
    """Numbers that wrap around do so as in one kernel."""
    found, _, one = called(text, FORMATS[0], operands_of(text, dtype)[1])
    assert found.dtype == one.dtype
    np.testing.assert_array_equal(found, one)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("text", [text for text, listed in STATEMENTS.items() if listed])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_no_number(text, value, always):
    """Beside one kernel, for each operand: an absent entry times infinity is absent."""
    _, arrays = operands_of(text)
    for name, array in arrays.items():
        changed = array.copy()
        changed[(2,) * array.ndim] = value
        found, _, one = called(text, FORMATS[0], {**arrays, name: changed})
        np.testing.assert_array_equal(found, one, err_msg=name)


@pytest.mark.parametrize(("rows", "kernels"), [(20_000, 2), (500, 1)])
def test_by_sizes(rows, kernels):
    """Rows with few entries beside those that are about full."""
    count = 10 * rows
    graph = it.Tensor.from_coo(
        [np.arange(count) // 10, np.arange(count) * 7919 % rows], np.ones(count), shape=(rows, rows), format=it.CSR
    )
    kernel = it.compile("m[i] = max(k, sum(j, A[i,j] * B[j,k]))", formats={"A": it.CSR, "B": it.CSR})
    kernel.prepare(A=graph, B=graph)
    assert kernels_of(kernel) == kernels
