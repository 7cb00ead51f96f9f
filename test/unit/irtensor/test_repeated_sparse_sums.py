"""Sums of sparse tensors that one kernel would compute again: as a sparse tensor, with the entries of one kernel."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from kernels_of_statement import kernels_of, one_kernel
from reference.evaluate_dense import evaluate_dense

import irtensor as it
from irtensor.frontend.expression_tree import accesses
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.summation import insert_reductions

EXTENTS = {"i": 5, "j": 6, "k": 7, "l": 4}
# Statements, and whether a sparse result has the entries of one kernel if the sum is a sparse tensor: what is stored by
# rows is collected in rows, unless something is behind the outermost sum.
STATEMENTS = {
    "R[i,j] = sum(k, C[i,k] * sqrt(sum(l, A[k,l] * B[l,j])))": True,
    "R[i,j] = max(k, C[i,k] * sum(l, A[k,l] * B[l,j]))": True,
    "R[i,j] = sum(k, C[i,k] * abs(c[k] * sum(l, A[k,l] * B[l,j])))": True,
    "R[j,i] = sum(k, C[i,k] * abs(max(l, A[k,l] * B[l,j])))": False,
    "R[i,j] = sum(k, C[i,k] * sqrt(sum(l, A[k,l] * B[l,j]))) / d[j]": False,
    "R[i,j] = D[i,j] + sum(k, C[i,k] * sqrt(sum(l, A[k,l] * B[l,j])))": False,
}
LEVELS = [it.CSR, it.CSC, it.DCSR, it.COO(2)]


@pytest.fixture
def sparse(always, monkeypatch):
    """Several kernels are taken wherever they may be, and sparse tensors between them."""
    monkeypatch.setattr("irtensor.frontend.parts.listed_sums.VECTOR", 1e9)


def operands_of(text):
    """Arrays of few small numbers, without entries in a row and a column, and the statement."""
    statement = insert_reductions(parse_statement(text))
    rng, found = np.random.default_rng(len(text)), {}
    for access in accesses(statement.expression):
        shape = [EXTENTS[index] for index in access.plain_indices]
        drawn = rng.integers(1, 3, shape) * (rng.random(shape) < 0.4) * 1.0
        if len(shape) > 1:
            drawn[0], drawn[:, 1] = 0, 0
        found.setdefault(access.tensor, drawn)
    return statement, found


def both(text, formats, arrays):
    formats = {name: format for name, format in formats.items() if f"{name}[" in text}
    given = {name: it.Tensor.from_numpy(a, formats[name]) if name in formats else a for name, a in arrays.items()}
    kernel = it.compile(text, formats=formats)
    return kernel(**given), one_kernel(text, formats)(**given), kernel


@pytest.mark.filterwarnings("ignore::irtensor.DenseResultWarning")
@pytest.mark.one_in(160)
@pytest.mark.parametrize("result", [it.CSR, it.CSC, it.COO(2), None], ids=str)
@pytest.mark.parametrize("factors", [*product(LEVELS, LEVELS, [it.CSR, it.CSC])], ids=str)
@pytest.mark.parametrize("text", STATEMENTS)
def test_entries_and_values(text, factors, result, sparse):
    statement, arrays = operands_of(text)
    formats = {
        "A": factors[0],
        "B": factors[1],
        "C": factors[2],
        "D": it.CSR,
        **({} if result is None else {"R": result}),
    }
    found, expected, kernel = both(text, formats, arrays)
    with np.errstate(all="ignore"):
        dense = evaluate_dense(statement, arrays, EXTENTS)
    if result is None:
        np.testing.assert_allclose(found, dense)
        return
    is_listed = STATEMENTS[text] and it.CSC not in (*factors[1:], result)
    assert ("entries" in kernel.explain().partition("\nkernels\n")[2].partition("\n\n")[0]) == is_listed
    np.testing.assert_allclose(found.to_numpy(), expected.to_numpy())
    for ours, other in zip(found.to_coo()[0], expected.to_coo()[0], strict=True):
        np.testing.assert_array_equal(ours, other)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("text", STATEMENTS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("result", [it.CSR, None], ids=str)
def test_what_is_no_number(text, value, result, sparse):
    """Beside one kernel, for each operand: an absent entry times infinity is absent."""
    _, arrays = operands_of(text)
    formats = {**dict.fromkeys("ABCD", it.CSR), **({} if result is None else {"R": result})}
    for name, array in arrays.items():
        changed = array.copy()
        changed[(2,) * array.ndim] = value
        found, expected, _ = both(text, formats, {**arrays, name: changed})
        ours, other = (np.asarray(getattr(one, "values", one)) for one in (found, expected))
        np.testing.assert_array_equal(ours, other, err_msg=name)


@pytest.mark.parametrize(("rows", "stored"), [(20_000, "sparse"), (300, "dense")])
def test_by_sizes(rows, stored):
    """Rows with few entries beside those that are about full."""
    count = 10 * rows
    graph = it.Tensor.from_coo(
        [np.arange(count) // 10, np.arange(count) * 7919 % rows], np.ones(count), shape=(rows, rows), format=it.CSR
    )
    formats: dict[str, Any] = {name: it.CSR for name in "ABC"}
    kernel = it.compile("R[i,f] = sum(k, C[i,k] * sqrt(sum(l, A[k,l] * B[l,j])) * H[j,f])", formats=formats)
    kernel.prepare(A=graph, B=graph, C=graph, H=np.ones((rows, 4)))
    assert kernels_of(kernel) > 1 and f": {stored}" in kernel.explain(), kernel.explain()
