"""How many threads of a GPU share an iteration: by the operands of a call, where no schedule says it."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from cuda_stub import run_on_card

import irtensor as it
from irtensor.compiler.device.team_by_size import LaneIterations, team_by_size
from irtensor.core.schedule_words import team_for


@pytest.mark.parametrize(
    ("iterations", "team"), [(0, 1), (1, 1), (1.1, 2), (2, 2), (4.5, 8), (8, 8), (16.1, 32), (32, 32), (10**9, 32)]
)
def test_teams_have_all_iterations_at_once(iterations: float, team: int):
    assert team_for(iterations) == team


def test_the_loop_with_the_most_iterations_says_how_many_threads():
    operands = [np.zeros((5, 3)), np.zeros((3, 20))]
    both = [LaneIterations(0, "extent", 1), LaneIterations(1, "extent", 1)]
    assert [team_by_size(both[:1], operands), team_by_size(both, operands), team_by_size(both[::-1], operands)] == [
        4,
        32,
        32,
    ]


def test_calls_choose_teams_and_the_stream_stays():
    """The number of blocks says how many threads share a row: a block has 128."""
    ran = run_on_card(
        """
import scipy.sparse as sp

class Stream:
    def __cuda_stream__(self):
        return 0, 0x70

def rows(each):
    dense = np.zeros((256, 40))
    dense[:, :each] = np.arange(1, each + 1)
    return dense

kernel = compiled(SPMV)
x = np.arange(40.0)
X = it.cuda.to_device(x)
for each in (0, 1, 2, 3, 9, 17, 40):
    dense = rows(each)
    result = kernel(A=it.Tensor.from_scipy(sp.csr_matrix(dense)).to_device(), x=X, stream=Stream())
    show(each, result.memory.stream == 0x70 and np.array_equal(result.to_numpy(), dense @ x))
"""
    )
    assert ran.shown[1::2] == [True] * 7
    assert _blocks(ran.calls) == [2, 2, 4, 8, 32, 64, 64]
    assert {call.split("stream ")[1].split()[0] for call in ran.named("cuLaunchKernel")} == {"0x70"}


def test_columns_count_where_lanes_share_them():
    ran = run_on_card(
        """
import scipy.sparse as sp
dense = np.ones((256, 40))
A = it.Tensor.from_scipy(sp.csr_matrix(dense)).to_device()
kernel = compiled("Y[i,k] = A[i,j] * X[j,k]")
for columns in (1, 4, 30):
    x = np.arange(40.0 * columns).reshape(40, columns)
    show(np.array_equal(kernel(A=A, X=it.cuda.to_device(x)).to_numpy(), dense @ x))
"""
    )
    assert ran.shown == [True, True, True]
    assert _blocks(ran.calls)[-3:] == [2, 8, 64]


def test_the_last_of_merged_columns_counts():
    """There are at least as many of them as it says."""
    ran = run_on_card(
        """
import scipy.sparse as sp
dense = np.ones((256, 40))
A = it.Tensor.from_scipy(sp.csr_matrix(dense)).to_device()
kernel = compiled("Y[i,k,l] = A[i,j] * X[j,k,l]")
for columns in (1, 4, 30):
    x = np.arange(80.0 * columns).reshape(40, 2, columns)
    show(np.array_equal(kernel(A=A, X=it.cuda.to_device(x)).to_numpy(), np.einsum("ij,jkl->ikl", dense, x)))
"""
    )
    assert ran.shown == [True] * 3
    assert _blocks(ran.calls)[-3:] == [2, 8, 64]


def test_a_schedule_and_an_unknown_number_of_iterations_are_not_overruled():
    ran = run_on_card(
        """
import scipy.sparse as sp
dense = np.ones((256, 2))
A, x = it.Tensor.from_scipy(sp.csr_matrix(dense)).to_device(), it.cuda.to_device(np.ones(2))
for team in (16, "block"):
    kernel = compiled(SPMV, schedule=it.schedule().parallelize("i", team=team))
    show(kernel(A=A, x=x).to_numpy().tolist() == [2.0] * 256)
"""
    )
    assert ran.shown == [True, True]
    assert _blocks(ran.calls) == [32, 256]


def _blocks(calls: list[str]) -> list[int]:
    return [int(re.search(r"grid (\d+)", call)[1]) for call in calls if call.startswith("cuLaunchKernel")]  # type: ignore[index]


BY_ROWS = "the mean length of the segments in level 1 of A"


@pytest.mark.parametrize(
    ("statement", "format", "lines"),
    [
        (
            "y[i] = A[i,j] * x[j]",
            it.CSR,
            [
                "for i: a team of 32 threads has an iteration, and shares the loops inside",
                f"calls choose teams of 1 to 32 threads, by {BY_ROWS}",
            ],
        ),
        (
            "y[i] = A[i,j] * x[j]",
            it.CSC,
            [
                "for j: a team of 32 threads has an iteration, and shares the loops inside; where iterations meet, "
                "numbers are combined by atomic operations",
                f"calls choose teams of 1 to 32 threads, by {BY_ROWS}",
            ],
        ),
        (
            "y[i] = A[i,j] * x[j]",
            it.COO,
            [
                "for each stored entry: a thread has an iteration; where iterations meet, numbers are combined by "
                "atomic operations"
            ],
        ),
        (
            "Y[i,k] = A[i,j] * X[j,k]",
            it.CSR,
            [
                "for i: a team of 32 threads has an iteration, and shares the loops inside",
                "calls choose teams of 1 to 32 threads, by the extent of dimension 1 of X",
            ],
        ),
        (
            "C[i,j] = A[i,j] + B[i,j]",
            it.CSR,
            ["for i: a thread has a part of the iterations"],
        ),
        (
            "C[i,k] = A[i,j] * B[j,k]",
            it.CSR,
            ["for i: a thread has a part of the iterations, with memory of its own"],
        ),
    ],
)
def test_explained(statement: str, format: Any, lines: list[str]):
    formats = {"A": format, **({"B": format, "C": format} if "B" in statement else {})}
    text = it.compile(statement, formats=formats, target="cuda-emulated").explain().splitlines()
    start = text.index("threads") + 1
    assert [line.strip() for line in text[start : text.index("", start)]] == lines
