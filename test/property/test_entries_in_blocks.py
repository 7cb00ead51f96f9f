"""Loops that are a block of something, and are cut by the entries of an operand; and what is said of fused loops."""

from itertools import product

import numpy as np
import pytest
from reference.stepwise_kernel import COO, CSR, DCSR, Problem, run

import irtensor as it

# Every coordinate of these levels is an entry, below whatever is stored above.
FULL = ["(i, j) -> (i : compressed, j : dense)", "(i, j) -> (i : dense, j : dense)"]


@pytest.mark.one_in(144)
@pytest.mark.parametrize("pattern", ["empty", "sparse", "full"])
@pytest.mark.parametrize("formats", [*product([CSR, DCSR, COO], repeat=2), (FULL[0], CSR)])
@pytest.mark.parametrize("counted", [(None, "A", "A"), ("A", "B", "A"), (None, "A", "B"), ("B", "A", None)], ids=str)
def test_blocks_of_entries_in_blocks_of_something_else(counted, formats, pattern):
    """Blocks of coordinates, or of another operand's entries, are cut by entries from corner to corner."""
    for extents, counts in (
        ({"i": 5, "j": 7}, (5, 3, 2)),
        ({"i": 0, "j": 3}, (2, 2, 2)),
        ({"i": 6, "j": 4}, (11, 2, 1)),
    ):
        problem = Problem(
            "s = sum(i, j, 2 * A[i,j] + B[i,j])", dict(zip("AB", formats, strict=True)), None, extents, pattern, 1
        )
        problem.step("fuse", outer="i", inner="j", fused="f0")
        for number, (tensor, count) in enumerate(zip(counted, counts, strict=True)):
            step, size = [("divide", "parts"), ("split", "size")][number != 1]
            names = {"variable": f"f{number}", "outer": f"o{number}", "inner": f"f{number + 1}"}
            problem.step(step, **names, tensor=tensor, **{size: count})
        problem.finish()


@pytest.mark.parametrize("format", [CSR, DCSR, COO])
def test_fused_rows_of_a_block_are_cut_by_entries(format):
    for extents in ({"i": 7, "j": 5}, {"i": 0, "j": 3}, {"i": 3, "j": 0}):
        problem = Problem("y[i] = A[i,j] * x[j]", {"A": format}, None, extents, "sparse", 1)
        problem.step("split", variable="i", outer="i0", inner="i1", size=3)
        problem.step("fuse", outer="i1", inner="j", fused="f")
        problem.step("split", variable="f", outer="f0", inner="f1", size=4, tensor="A")
        problem.step("divide", variable="f1", outer="f2", inner="f3", parts=3)
        problem.finish()


@pytest.mark.parametrize("format", FULL)
def test_entries_of_dense_levels(format):
    problem = Problem("y[i] = A[i,j] * x[j]", {"A": format}, None, {"i": 6, "j": 5}, "sparse", 1)
    problem.step("pos", variable="j", positions="jp", tensor="A")
    problem.step("split", variable="jp", outer="j0", inner="j1", size=2)
    problem.finish()
    problem = Problem("y[i] = A[i,j] * x[j]", {"A": format}, None, {"i": 6, "j": 5}, "sparse", 1)
    problem.step("fuse", outer="i", inner="j", fused="f")
    problem.step("split", variable="f", outer="f0", inner="f1", size=7, tensor="A")
    problem.step("split", variable="f1", outer="f2", inner="f3", size=2)
    problem.finish()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("format", [None, it.CSR], ids=str)
@pytest.mark.parametrize("steps", ["", "; split(f, a, b, 8); unroll(b)", "; divide(f, a, b, 4); unroll(a)"])
@pytest.mark.parametrize(
    ("bound", "is_met"), [("24", True), ("12, multiple", True), ("25", False), ("7, multiple", False)]
)
def test_bounds_of_fused_loops(bound, is_met, steps, format):
    """What is said of their combinations is checked at the call, whether or not they are cut."""
    A, x = np.arange(24.0).reshape(4, 6), np.arange(6.0)
    schedule = it.schedule(f"fuse(i, j, f); bound(f, {bound}){steps}")
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={} if format is None else {"A": format}, schedule=schedule)
    operands = {"A": A if format is None else it.Tensor.from_numpy(A, format), "x": x}
    if is_met:
        np.testing.assert_array_equal(kernel(**operands), A @ x)
        return
    with pytest.raises(it.UserError, match=r"bound-not-met.* it has 24"):
        kernel(**operands)


def test_numbers_of_blocks_follow_from_a_bound():
    problem = Problem("y[i] = A[i,j] * x[j]", {"A": CSR}, None, {"i": 4, "j": 6}, "sparse", 1)
    problem.step("fuse", outer="i", inner="j", fused="f")
    problem.step("bound", variable="f", extent=24, kind="exact")
    problem.step("divide", variable="f", outer="a", inner="b", parts=4)
    # Without the bound, nothing would say how many combinations a part has.
    run("unroll", problem.module, variable="b")
    problem.finish()
