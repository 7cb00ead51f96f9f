"""Kernels in which each lane has columns of its own give what NumPy gives, whatever the columns and the lanes."""

import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from interpreted_statements import interpret, lowered
from reference.compare_with_oracle import Case
from reference.interpret_loop import ORDERS
from sampling import few_or_many

import irtensor as it
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.expression_tree import accesses
from irtensor.passes.nvvm import spread_loops
from irtensor.passes.pipelines import passes_between
from irtensor.runtime import emulator
from irtensor.tensors.tensor import Tensor

MATRICES = [it.CSR, it.DCSR, it.ELL, it.Format("dense, dense"), it.Format("dense, bitmap")]
CUBES = [it.Format("compressed, compressed, compressed"), it.Format("dense, compressed, compressed")]
FOURTH = [it.Format("compressed, compressed, compressed, compressed")]
ROWS = [it.Format("compressed, compressed, dense"), it.Format("dense, compressed, dense")]
BATCHES = [it.Format(f"dense, {levels}") for levels in ("dense, compressed", "compressed, compressed", "dense, dense")]
# What is computed by NumPy, and in which formats an operand may be stored, and the result. Columns are the index r.
STATEMENTS: dict[str, tuple[Callable[..., Any], dict[str, list[TensorFormat]]]] = {
    "C[i,r] = A[i,j] * X[j,r]": (lambda A, X: A @ X, {"A": MATRICES}),
    "C[i,r] = d[i] * A[i,j] * X[j,r]": (lambda d, A, X: d[:, None] * (A @ X), {"A": MATRICES}),
    "C[i,r] = A[i,j] * X[j,r] + Z[i,r]": (lambda A, X, Z: A @ X + Z, {"A": MATRICES}),
    "C[i,r] = A[i,j] * X[j,r] + B[i,j] * Y[j,r]": (lambda A, X, B, Y: A @ X + B @ Y, {"A": MATRICES, "B": MATRICES}),
    "C[i,r] = (A[i,j] + B[i,j]) * X[j,r]": (lambda A, B, X: (A + B) @ X, {"A": MATRICES, "B": MATRICES}),
    "C[i,r] = max(j, A[i,j] * X[j,r])": (lambda A, X: (A[:, :, None] * X).max(1), {"A": MATRICES}),
    "C[i,r] = A[i,j] * Y[r,j]": (lambda A, Y: A @ Y.T, {"A": MATRICES}),
    "y[r] = A[i,j] * X[j,r]": (lambda A, X: (A @ X).sum(0), {"A": MATRICES}),
    "C[b,i,r] = T[b,i,j] * X[b,j,r]": (lambda T, X: T @ X, {"T": BATCHES}),
    "M[i,r] = T[i,j,k] * P[j,r] * Q[k,r]": (
        lambda T, P, Q: np.einsum("ijk,jr,kr->ir", T, P, Q),
        {"T": CUBES},
    ),
    "M[j,r] = T[i,j,k] * P[i,r] * Q[k,r]": (
        lambda T, P, Q: np.einsum("ijk,ir,kr->jr", T, P, Q),
        {"T": CUBES},
    ),
    "M[i,r] = T[i,j,k,l] * P[j,r] * Q[k,r] * R[l,r]": (
        lambda T, P, Q, R: np.einsum("ijkl,jr,kr,lr->ir", T, P, Q, R),
        {"T": FOURTH},
    ),
    "C[i,j,r] = T[i,j,k] * Q[k,r]": (
        lambda T, Q: np.einsum("ijk,kr->ijr", T, Q),
        {"T": [*CUBES, BATCHES[0]], "C": ROWS},
    ),
    "C[i,j] = A[i,j] * P[i,r] * Q[r,j]": (lambda A, P, Q: A * (P @ Q), {"A": [it.CSR, it.DCSR], "C": [it.CSR]}),
}
EXTENTS = {"i": 7, "j": 6, "k": 5, "l": 3, "b": 2}


@pytest.fixture(params=["forward", "backward", "shuffled"])
def order(request, monkeypatch):
    """In which order the threads of a grid run."""
    shuffled = request.param == "shuffled"
    monkeypatch.setattr(emulator, "order", np.random.default_rng(0) if shuffled else request.param)


def _operands(statement: str, columns: int, dtype: str, choose: random.Random) -> dict[str, Any]:
    """An array for each operand; of what is stored, some elements and whole rows are zero."""
    generator = np.random.default_rng(choose.randrange(1 << 30))
    extents = {**EXTENTS, "r": columns}
    made: dict[str, Any] = {}
    for access in accesses(Case(statement, {}).statement().expression):
        shape = tuple(extents[index] for index in access.plain_indices)
        made[access.tensor] = array = generator.integers(1, 5, shape).astype(dtype)
        if access.tensor in STATEMENTS[statement][1]:
            array *= generator.random(shape) < choose.choice([0, 0.4, 1])
            array[3:5] = 0
    return made


def _formats(statement: str, choose: random.Random) -> dict[str, TensorFormat]:
    return {name: choose.choice(formats) for name, formats in STATEMENTS[statement][1].items()}


def _stored(arrays: dict[str, Any], formats: dict[str, TensorFormat]) -> dict[str, Any]:
    return {n: it.Tensor.from_numpy(array, formats[n]) if n in formats else array for n, array in arrays.items()}


def _dense(found: Any) -> Any:
    return found.to_numpy() if isinstance(found, Tensor) else found


# By the lanes of a team, so many columns: none, fewer than lanes, as many, and up to some times what they have at once.
COLUMNS = {4: (0, 1, 3, 4, 7, 9, 16, 17, 37), 32: (1, 31, 33, 65, 129), "block": (5, 257, 600)}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("team", COLUMNS)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_columns(statement, team, order):
    choose = random.Random(f"{statement} {team}")
    parallel = "b" if "[b," in statement else "i"
    shared = parallel not in statement.partition("=")[0]
    # Maxima of complex numbers are not defined, and these are not combined atomically.
    elements = ["f8"] if "max" in statement else ["f8", "f4", "i4"] if shared else ["f8", "f4", "i4", "c16"]
    schedule = it.schedule().parallelize(parallel, races="atomics" if shared else "none", team=team)
    for columns in few_or_many(choose.sample(COLUMNS[team], 2), COLUMNS[team]):
        formats = _formats(statement, choose)
        arrays = _operands(statement, columns, choose.choice(elements), choose)
        kernel = it.compile(statement, formats=formats, target="cuda-emulated", schedule=schedule)
        found = _dense(kernel(**_stored(arrays, formats)))
        np.testing.assert_array_equal(found, STATEMENTS[statement][0](**arrays), err_msg=f"{formats}")


def test_sums_begin_with_what_is_there(order):
    """Each of two launches adds its share to the same elements."""
    schedule = it.schedule().split("j", "j0", "j1", 3).reorder("j0", "i", "j1", "r").parallelize("i", team=4)
    kernel = it.compile("C[i,r] = D[i,j] * X[j,r]", target="cuda-emulated", schedule=schedule)
    assert "unroll = 1" in kernel.ir("spread-loops")
    generator = np.random.default_rng(0)
    for columns in (3, 11, 16):
        D, X = generator.integers(1, 9, (5, 6)) * 1.0, generator.integers(1, 9, (6, columns)) * 1.0
        np.testing.assert_array_equal(kernel(D=D, X=X), D @ X)


LOWERED = passes_between("index_notation", "device", ("parallelize-outermost",))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_no_two_lanes_race(statement, monkeypatch):
    """In any order of the lanes, with every access checked."""
    monkeypatch.setattr(spread_loops, "WARP", 4)
    choose = random.Random(statement)
    formats = _formats(statement, choose)
    result = formats.pop(statement[0], None)
    passes = LOWERED[: LOWERED.index("lower-assembly")]
    for columns in few_or_many((choose.choice([5, 6]), 13), range(18)):
        arrays = _operands(statement, columns, "f8", choose)
        expected = STATEMENTS[statement][0](**arrays)
        operands = _stored(arrays, formats)
        request = lowered(statement, operands, result, passes)
        for order in ORDERS.values():
            found = interpret(request, operands, expected.shape, result, order)
            np.testing.assert_array_equal(_dense(found), expected)


# The statements of which the loop over stored entries changes no memory.
IN_REGISTERS = {
    "C[i,r] = A[i,j] * X[j,r]": {"A": it.CSR},
    "C[i,r] = A[i,j] * X[j,r] + Z[i,r]": {"A": it.CSR},
    "C[b,i,r] = T[b,i,j] * X[b,j,r]": {"T": BATCHES[0]},
    "M[i,r] = T[i,j,k] * P[j,r] * Q[k,r]": {"T": CUBES[0]},
    "M[i,r] = T[i,j,k,l] * P[j,r] * Q[k,r] * R[l,r]": {"T": FOURTH[0]},
    "M[j,r] = T[i,j,k] * P[i,r] * Q[k,r]": {"T": CUBES[0]},
    "C[i,j,r] = T[i,j,k] * Q[k,r]": {"T": CUBES[0], "C": ROWS[0]},
    "C[i,r] = D[i,j] * X[j,r]": {},
}


@pytest.mark.parametrize("statement", IN_REGISTERS)
def test_sums_stay_in_registers(statement):
    """In the PTX, a loop that multiplies changes no memory."""
    text = it.compile(statement, formats=IN_REGISTERS[statement]).ptx("sm_90")
    blocks = re.split(r"^\$L__BB\w+:", text, flags=re.MULTILINE)
    sums = [block for block in blocks if "fma.rn.f64" in block]
    assert sums and not any(re.search(r"st\.global|atom|red\.", block.partition("bra")[0]) for block in sums)
