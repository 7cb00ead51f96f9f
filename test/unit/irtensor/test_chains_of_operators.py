"""Chains of other operators than products and sums: pairs are combined first where the operators distribute."""

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
# Reductions and operators, with the type and what is absent.
RINGS = {
    "min(j, k, A[i,j] + B[j,k] + C[k,l])": (np.float64, np.inf),
    "max(j, k, A[i,j] + B[j,k] + C[k,l])": (np.float32, -np.inf),
    "max(j, k, min(min(A[i,j], B[j,k]), C[k,l]))": (np.float64, -np.inf),
    "min(j, k, max(A[i,j], max(B[j,k], C[k,l])))": (np.int16, np.iinfo(np.int16).max),
    "or(j, k, A[i,j] & B[j,k] & C[k,l])": (np.bool_, None),
    "or(j, k, A[i,j] & B[j,k] & C[k,l]) & D[i,l]": (np.bool_, None),
    "xor(j, k, A[i,j] & B[j,k] & C[k,l])": (np.int64, None),
}
SPARSE = ["A", "AB", "BC", "ABC"]


def operands_of(text, dtype, fill):
    statement = insert_reductions(parse_statement(text))
    rng, found = np.random.default_rng(len(text)), {}
    for access in accesses(statement.expression):
        shape = [EXTENTS[index] for index in access.plain_indices]
        drawn = rng.integers(0, 2 if dtype == np.bool_ else 9, shape).astype(dtype)
        absent = rng.random(shape) < 0.5
        absent[0], absent[:, 1] = True, True
        found[access.tensor] = np.where(absent, dtype(0 if fill is None else fill), drawn)
    return statement, found


def tensors_of(arrays, formats):
    return {name: it.Tensor.from_numpy(a, formats[name]) if name in formats else a for name, a in arrays.items()}


@pytest.mark.one_in(12)
@pytest.mark.parametrize("sparse", SPARSE)
@pytest.mark.parametrize("text", RINGS)
def test_values(text, sparse, always):
    dtype, fill = RINGS[text]
    statement, arrays = operands_of(f"R[i,l] = {text}", dtype, fill)
    formats = {name: it.CSR if fill is None else it.CSR.with_fill(fill) for name in sparse}
    kernel = it.compile(f"R[i,l] = {text}", formats=formats)
    found = kernel(**tensors_of(arrays, formats))
    expected = evaluate_dense(statement, arrays, EXTENTS)
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == expected.dtype
    assert kernels_of(kernel) == 2


@pytest.mark.one_in(2)
@pytest.mark.parametrize("text", RINGS)
def test_entries(text, always):
    """Sparse results have the entries of one kernel."""
    dtype, fill = RINGS[text]
    _, arrays = operands_of(f"R[i,l] = {text}", dtype, fill)
    format = it.CSR if fill is None else it.CSR.with_fill(fill)
    formats: dict[str, Any] = {name: format for name in "ABCR"}
    read = tensors_of(arrays, formats)
    found, expected = (make(f"R[i,l] = {text}", formats)(**read) for make in (it.compile, one_kernel))
    np.testing.assert_array_equal(found.values, expected.values)
    for ours, other in zip(found.to_coo()[0], expected.to_coo()[0], strict=True):
        np.testing.assert_array_equal(ours, other)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("text", list(RINGS)[:3])
def test_what_is_no_number(text, value, always):
    """An absent entry is not combined with an infinity, whatever is between them."""
    dtype, fill = RINGS[text]
    _, arrays = operands_of(f"R[i,l] = {text}", dtype, fill)
    formats: dict[str, Any] = {name: it.CSR.with_fill(fill) for name in "AB"}
    kernel, one = it.compile(f"R[i,l] = {text}", formats=formats), one_kernel(f"R[i,l] = {text}", formats)
    for name, array in arrays.items():
        changed = array.copy()
        changed[2, 2] = changed[0, 0] = value
        given = tensors_of({**arrays, name: changed}, formats)
        np.testing.assert_array_equal(kernel(**given), one(**given), err_msg=name)


@pytest.mark.parametrize(
    ("text", "dtype"),
    [
        # The largest integer and 1 is another number; a product of the largest number and 0 as well.
        ("min(j, k, A[i,j] + B[j,k] + C[k,l])", np.int64),
        ("max(j, k, A[i,j] * B[j,k] * C[k,l])", np.float64),
        ("sum(j, k, min(min(A[i,j], B[j,k]), C[k,l]))", np.float64),
    ],
)
def test_operators_that_do_not_distribute_are_left_whole(text, dtype, always):
    _, arrays = operands_of(f"R[i,l] = {text}", dtype, None)
    kernel = it.compile(f"R[i,l] = {text}")
    kernel(**arrays)
    assert kernels_of(kernel) == 1


def test_by_sizes():
    """A chain of shortest paths with dense columns, whose pairs would be computed again for each entry."""
    n, format = 5_000, it.CSR.with_fill(np.inf)
    entries = np.arange(12 * n)
    graph = it.Tensor.from_coo([entries // 12, entries * 7919 % n], np.ones(12 * n), shape=(n, n), format=format)
    kernel = it.compile("R[i,f] = min(j, k, A[i,j] + B[j,k] + C[k,f])", formats={"A": format, "B": format})
    kernel.prepare(A=graph, B=graph, C=np.ones((n, 16)))
    assert "intermediate0[j, f] = min(k, B[j, k] + C[k, f]): dense" in kernel.explain()
