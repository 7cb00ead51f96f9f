"""Statements for GPUs in which each entry of an operand gives one: nothing is counted, and the host does not wait."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from cuda_stub import run_on_card

import irtensor as it

SCALED = "C[i,j] = s[i] * S[i,j]"
SAMPLED = "C[i,j] = S[i,j] * P[i,k] * Q[k,j]"
NEGATED = "C[i,j] = -S[i,j]"
OF_ORDER_3 = "C[i,j,k] = S[i,j,k] * M[i,l] * N[l,k]"
BLOCKS = it.BCSR(2, 3)
ONE_PHASE = [
    *((statement, format) for statement in (SCALED, SAMPLED, NEGATED) for format in ("csr", "csc", BLOCKS)),
    *((OF_ORDER_3, format) for format in ("dense, dense, compressed", "dense, compressed, dense")),
]
EXTENTS = {"i": 5, "j": 7, "k": 4, "l": 3}


def operands(statement: str) -> dict[str, np.ndarray[Any, Any]]:
    """Arrays of integers by name, of which S has many zeros, and a row of nothing else."""
    random = np.random.default_rng(1)
    found: dict[str, np.ndarray[Any, Any]] = {}
    for name, indices in re.findall(r"(\w)\[([\w,]*)\]", statement.partition("=")[2]):
        array = random.integers(1, 9, [EXTENTS[index] for index in indices.split(",")]).astype(float)
        found[name] = array * (random.random(array.shape) < 0.3) if name == "S" else array
    found["S"][2] = 0
    return found


def expected(statement: str, arrays: dict[str, np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    match statement:
        case "C[i,j] = s[i] * S[i,j]":
            return arrays["s"][:, None] * arrays["S"]
        case "C[i,j] = S[i,j] * P[i,k] * Q[k,j]":
            return arrays["S"] * (arrays["P"] @ arrays["Q"])
        case "C[i,j] = -S[i,j]":
            return -arrays["S"]
        case _:
            return arrays["S"] * (arrays["M"] @ arrays["N"])[:, None]


def sums(kernel: it.Kernel) -> int:
    """How many arrays of counts are added up: each time it is found out how many tiles that takes."""
    return len(re.findall(r"%tiles\w* = ", kernel.ir("spread")))


@pytest.mark.parametrize(("statement", "format"), ONE_PHASE, ids=str)
def test_results_have_the_pattern_of_the_operand(statement: str, format: Any):
    kernel = it.compile(statement, formats={"S": format, "C": format}, target="cuda-emulated")
    assert sums(kernel) == 0
    arrays = operands(statement)
    for sparse in (arrays["S"], np.zeros_like(arrays["S"])):
        S = it.Tensor.from_numpy(sparse, format)
        result = kernel(**{**arrays, "S": S})
        np.testing.assert_array_equal(result.to_numpy(), expected(statement, {**arrays, "S": sparse}))
        result.check()
        for mine, given in zip(result.levels, S.levels, strict=True):
            for one, other in zip(mine.arrays(), given.arrays(), strict=True):
                np.testing.assert_array_equal(one, other)


TWO_PHASES = [
    ("C[i,j] = S[i,j] * T[i,j]", "csr", lambda s, t: s * t),
    ("C[i,j] = S[i,j] + T[i,j]", "csr", lambda s, t: s + t),
    ("C[i,j] = where(S[i,j] > 4, T[i,j], 0)", "csr", lambda s, t: np.where(s > 4, t, 0)),
    ("C[i,j] = 2 * S[i,j]", "dcsr", lambda s, t: 2 * s),
    ("C[i,j] = 2 * S[i,j]", "dense, compressed(nonunique)", lambda s, t: 2 * s),
]


@pytest.mark.parametrize(("statement", "format", "of_numpy"), TWO_PHASES)
def test_other_entries_are_counted(statement: str, format: str, of_numpy: Any):
    operands = {name for name in "ST" if name + "[" in statement}
    formats = {**dict.fromkeys(operands, format), "C": "csr" if "nonunique" in format else format}
    kernel = it.compile(statement, formats=formats, target="cuda-emulated")
    assert sums(kernel) == 1
    random = np.random.default_rng(2)
    s, t = ((random.random((6, 9)) < 0.4) * random.integers(1, 9, (6, 9)).astype(float) for _ in "st")
    arrays = {"S": s, "T": t}
    given = {name: it.Tensor.from_numpy(arrays[name], format) for name in operands}
    result = kernel(**given)
    result.check()
    np.testing.assert_array_equal(result.to_numpy(), of_numpy(s, t))


def test_entries_that_are_stored_twice_are_one():
    """Three entries of an operand, of which two are at the same place."""
    levels: list[Any] = [None, (np.array([0, 2, 3]), np.array([1, 1, 0]))]
    S = it.Tensor.from_buffers((2, 3), "dense, compressed(nonunique)", levels, np.array([1.0, 2.0, 3.0]))
    kernel = it.compile(SCALED, formats={"S": S.format, "C": "csr"}, target="cuda-emulated")
    result = kernel(s=np.array([2.0, 5.0]), S=S)
    result.check()
    assert result.nnz == 2
    np.testing.assert_array_equal(result.to_numpy(), [[0, 6, 0], [15, 0, 0]])


def test_segments_without_entries_are_left_out():
    levels: list[Any] = [(np.array([0, 3]), np.array([0, 1, 4])), (np.array([0, 1, 1, 3]), np.array([2, 0, 1]))]
    S = it.Tensor.from_buffers((5, 3), "dcsr", levels, np.array([1.0, 2.0, 3.0]))
    result = it.compile(NEGATED, formats={"S": "dcsr", "C": "dcsr"}, target="cuda-emulated")(S=S)
    assert result.levels[0].coordinates is not None and result.levels[0].coordinates.tolist() == [0, 4]
    np.testing.assert_array_equal(result.to_numpy(), -S.to_numpy())


# `calls` gives a result, and how many kernels were launched and how often the host waited for it.
BEGIN = """
import os

def log():
    with open(os.environ["CUDA_STUB_LOG"]) as file:
        return file.read().splitlines()

def calls(run):
    begin = len(log())
    result = run()
    names = [line.split()[0] for line in log()[begin:]]
    waits = sum(name.startswith(("cuMemcpyDtoH", "cuStreamSynchronize")) for name in names)
    return result, [names.count("cuLaunchKernel"), waits]

random = np.random.default_rng(0)
a = (random.random((20, 30)) < 0.2) * random.integers(1, 9, (20, 30)).astype(float)
"""


def test_calls_do_not_wait_for_the_card():
    """A result is an operand at once: its length is that of the operand, which the host knows."""
    ran = run_on_card(
        BEGIN
        + """
P, Q = (random.integers(1, 9, shape).astype(float) for shape in ((20, 4), (4, 30)))
p, q = map(it.cuda.to_device, (P, Q))
for format in ("csr, pos = i32, crd = i32", it.BCSR(2, 3)):
    S = it.Tensor.from_numpy(a, format).to_device()
    sampled = compiled("C[i,j] = S[i,j] * P[i,k] * Q[k,j]", dict(S=S.format, C=S.format))
    scaled = compiled("C[i,j] = 2 * S[i,j]", dict(S=S.format, C=S.format))
    sampled(S=S, P=p, Q=q), scaled(S=S)
    first, counts = calls(lambda: sampled(S=S, P=p, Q=q))
    second, more = calls(lambda: scaled(S=first))
    show(counts[0] <= 3, counts[1], more[0] <= 2, more[1], (second.to_numpy() == 2 * a * (P @ Q)).all().item())
"""
    )
    assert ran.shown == [True, 0, True, 0, True] * 2


def test_ends_of_positions_are_known():
    """Where rows of entries begin and end is in memory of the card; what is counted has to be waited for."""
    ran = run_on_card(
        BEGIN
        + """
T = it.Tensor.from_numpy(a, "coo").to_device()
spmv, x = compiled("y[i] = A[i,j] * x[j]", dict(A=it.COO(2))), it.cuda.to_device(np.arange(30.0))
spmv(A=T, x=x)
y, counts = calls(lambda: spmv(A=T, x=x))
show(counts[1], (y.to_numpy() == a @ np.arange(30.0)).all().item())
added = compiled("C[i,j] = A[i,j] + B[i,j]", dict.fromkeys("ABC", it.CSR))
S = it.Tensor.from_numpy(a, "csr").to_device()
added(A=S, B=S)
total, counts = calls(lambda: added(A=S, B=S))
show(counts[1], (total.to_numpy() == 2 * a).all().item())
"""
    )
    assert ran.shown == [0, True, 2, True]
