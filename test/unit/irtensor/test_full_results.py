"""Who is told that a sparse result gets an entry at every coordinate, how often, and in which words."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import irtensor as it

A = scipy.sparse.random_array((5, 4), density=0.3, rng=1, format="csr")
Z = np.ones(4)
BECAUSE_OF_B = "every coordinate of 'R' gets an entry because of 'b'; a dense result takes less memory"

MODULE = """#csr = #storage.format<(i, j) -> (i : dense, j : compressed)>
func.func @add(%A: tensor<?x?xf64, #csr>, %b: tensor<?xf64>) -> tensor<?x?xf64, #csr> {
  %R = index_notation.assign (%i, %j) : tensor<?x?xf64, #csr> {
    %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #csr>
    %x = index_notation.access %b[%j] : tensor<?xf64>
    %s = algebra.apply add(%a, %x) : (f64, f64) -> f64
    index_notation.yield %s : f64
  } {name = "R"}
  func.return %R : tensor<?x?xf64, #csr>
}
"""


def _said(call: Callable[[], Any]) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    assert all(one.category is it.DenseResultWarning and one.filename == __file__ for one in found)
    return [str(one.message) for one in found]


def test_each_kernel_of_a_statement_warns_once():
    for _ in range(2):
        kernel = it.compile("R[i,j] = A[i,j] + b[j]", formats={"A": "csr", "R": "csr"})
        assert _said(lambda: kernel(A=A, b=Z)) == [BECAUSE_OF_B]
        assert _said(lambda: kernel(A=A, b=Z)) == []


@pytest.mark.parametrize("schedule", [None, "auto"])
def test_a_kernel_that_is_chosen_for_sizes_warns_once(schedule):
    kernel = it.compile("R[i,j] = A[i,j] + b[j]", formats={"A": "csr", "R": "csr"}, schedule=schedule)
    assert _said(lambda: kernel(A=A, b=Z)) == [BECAUSE_OF_B]
    larger = scipy.sparse.random_array((500, 400), density=0.3, rng=1, format="csr")
    assert _said(lambda: kernel(A=larger, b=np.ones(400))) == []


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda: it.einsum("ij,j->ij", A, Z, format="csr", exact=True), "of operand 1"),
        (lambda: it.einsum("ij,j->ij", A, Z, format="csr", exact=True, schedule="auto"), "of operand 1"),
        (
            lambda: it.einsum("ij,j,j->ij", A, Z, Z, format="csr", exact=True, optimize=[(1, 2), (0, 1)]),
            "of the result of step 0",
        ),
    ],
    ids=["one kernel", "auto", "in pairs"],
)
def test_einsum_names_operands_by_their_position(call, reason):
    assert _said(call) == [
        f"every coordinate of 'result' gets an entry because {reason}; a dense result takes less memory"
    ]


def test_expressions_warn():
    i, j = it.indices("i j")
    R, b = it.Tensor.from_numpy(np.zeros((5, 4)), "csr"), Z

    def assign():
        R[i, j] = it.as_tensor(A)[i, j] + it.as_tensor(b)[j]

    assert len(_said(assign)) == 1


def test_each_compiled_module_warns_once():
    made = []
    for _ in range(2):
        assert len(_said(lambda: made.append(it.compile_module(MODULE)))) == 1
        assert _said(lambda: made[-1](A, Z)) == []
