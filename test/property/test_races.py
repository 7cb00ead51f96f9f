"""Loops whose iterations meet in components of a dense result give what NumPy gives, by each strategy for that."""

from typing import Any

import numpy as np
import pytest

import irtensor as it

ROWS, COLUMNS = 400, 20
NUMBERS, COMPLEX, BITS = ("f8", "f4", "i8", "i4", "i2", "i1"), ("c16", "c8"), ("i8", "i4", "i2", "i1", "?")
# Statement, format of A, loops, element types, what NumPy makes of it.
STATEMENTS: dict[str, Any] = {
    "csc-spmv": ("y[j] = A[j,i] * x[i]", it.CSC, "i, j", (*NUMBERS, *COMPLEX), lambda a, x: a @ x),
    "coo-spmv": ("y[j] = A[i,j] * x[i]", it.COO(2), "i, j", (*NUMBERS, *COMPLEX), lambda a, x: x @ a),
    "coo-rows": ("y[i] = A[i,j] * z[j]", it.COO(2), "i, j", (*NUMBERS, *COMPLEX), lambda a, z: a @ z),
    "transposed-spmv": ("y[j] = A[i,j] * x[i]", it.CSR, "i, j", (*NUMBERS, *COMPLEX), lambda a, x: x @ a),
    "transposed-dcsr": ("y[j] = A[i,j] * x[i]", it.DCSR, "i, j", NUMBERS, lambda a, x: x @ a),
    "column-sums": ("y[j] = A[i,j]", it.CSR, "i, j", (*NUMBERS, *COMPLEX), lambda a: a.sum(0)),
    "column-products": ("y[j] *= B[i,j]", None, "i, j", NUMBERS, lambda b: b.prod(0)),
    "column-maxima": ("y[j] max= B[i,j]", None, "i, j", NUMBERS, lambda b: b.max(0)),
    "column-minima": ("y[j] min= B[i,j]", None, "i, j", NUMBERS, lambda b: b.min(0)),
    "any-in-column": ("y[j] |= B[i,j]", None, "i, j", BITS, np.bitwise_or.reduce),
    "transposed-spmm": ("Y[j,k] = A[i,j] * X[i,k]", it.CSR, "i, j, k", NUMBERS, lambda a, X: a.T @ X),
}
CASES = [
    (name, dtype, strategy)
    for name, (*_, dtypes, _) in STATEMENTS.items()
    for dtype in dtypes
    for strategy in ("atomics", "temporary", "default")
    if strategy != "atomics" or dtype not in COMPLEX
]


def operands_of(name, dtype):
    """Small integers, so that sums are the same in any order; there are many iterations of the outer loop."""
    statement, random = STATEMENTS[name][0], np.random.default_rng(0)
    stored = np.where(random.random((ROWS, COLUMNS)) < 0.3, random.integers(1, 3, (ROWS, COLUMNS)), 0)
    made = {
        "A": stored.T if name == "csc-spmv" else stored,
        "B": random.integers(0, 2, (ROWS, COLUMNS)),
        "x": random.integers(1, 3, ROWS),
        "z": random.integers(1, 3, COLUMNS),
        "X": random.integers(1, 3, (ROWS, 7)),
    }
    return {key: value.astype(dtype) for key, value in made.items() if f"{key}[" in statement}


def compiled(name, dtype, strategy):
    statement, format, order, *_ = STATEMENTS[name]
    operands = operands_of(name, dtype)
    schedule = it.schedule(f"reorder({order})")
    if strategy != "default":
        schedule = schedule.parallelize(order[0], races=strategy)
    formats = {} if format is None else {"A": format}
    dtypes = {key: operand.dtype for key, operand in operands.items()}
    return it.compile(statement, formats, dtypes, schedule=schedule, num_threads=3, disk_cache=False), operands


@pytest.mark.one_in(12)
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize(("name", "dtype", "strategy"), CASES)
def test_components_that_iterations_meet_in(name, dtype, strategy):
    kernel, operands = compiled(name, dtype, strategy)
    with np.errstate(over="ignore"):
        wanted = STATEMENTS[name][-1](*operands.values())
    found = kernel(**operands)
    np.testing.assert_array_equal(found, wanted.astype(found.dtype))
    assert "loop.parallel" in kernel.ir("divide-parallel-loops")


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("strategy", ["atomics", "temporary"])
@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("statement", ["r = A[i,j]", "r = prod(i, j, A[i,j])"])
@pytest.mark.parametrize("format", ["j floordiv 1 : compressed, j mod 1 : padded, i : hashed", "i : dense, j : dense"])
def test_complex_numbers(format, statement, dtype, strategy):
    stored = np.array([[1, 0, 2j], [1 + 1j, 3, 0], [0, 1, -2]], dtype)
    schedule = it.schedule(f"parallelize(j, races={strategy})")
    kernel = it.compile(statement, schedule=schedule, num_threads=3, disk_cache=False)
    found = kernel(A=it.Tensor.from_numpy(stored, f"(i, j) -> ({format})"))
    assert found == (stored.prod() if "prod" in statement else stored.sum())


@pytest.mark.parametrize("strategy", ["atomics", "temporary"])
def test_code_for_strategies(strategy):
    kernel, _ = compiled("csc-spmv", "f8", strategy)
    assert ("atomicrmw fadd" in kernel.llvm_ir()) == (strategy == "atomics")
    assert ("loop.view" in kernel.ir("lower-private")) == (strategy == "temporary")
