"""Loops over tensors in blocks, cut by the entries of these: all places of stored blocks are counted."""

import numpy as np
import pytest
from reference.stepwise_kernel import Problem

import irtensor as it

pytestmark = pytest.mark.usefixtures("small_parts")
# Matrices by rows.
ROWS = [
    it.BCSR(2, 3),
    it.BCSR(1, 2),
    it.BCSR(2, 1),
    it.Format("(i, j) -> (i floordiv 2 : compressed, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense)"),
    it.Format("(i, j) -> (i floordiv 3 : compressed, j : compressed, i mod 3 : dense)"),
    it.Format("(i, j) -> (i floordiv 2 : dense, i mod 2 : dense, j : compressed)"),
    it.Format("(i, j) -> (i floordiv 2 : dense, i mod 2 : dense, j floordiv 3 : compressed, j mod 3 : dense)"),
    it.Format("(i, j) -> (i : dense, j floordiv 3 : compressed, j mod 3 : dense)"),
    it.Format("(i, j) -> (i : dense, j floordiv 3 : compressed, j mod 3 : compressed)"),
    it.Format("(i, j) -> (i floordiv 2 : dense, j floordiv 3 : dense, i mod 2 : dense, j mod 3 : dense)"),
]
SCHEDULES = [
    "split(j, j0, j1, 4, tensor=A)",
    "split(j, j0, j1, 6, tensor=A)",
    "divide(j, j0, j1, 3, tensor=A)",
    "fuse(i, j, f); split(f, f0, f1, 5, tensor=A)",
    "fuse(i, j, f); split(f, f0, f1, 12, tensor=A)",
    "fuse(i, j, f); divide(f, f0, f1, 3, tensor=A); parallelize(f0, atomics)",
    "fuse(i, j, f); divide(f, f0, f1, 3, tensor=A); split(f1, g0, g1, 4)",
    "pos(j, jp, A); split(jp, a, b, 8); split(b, c, d, 3)",
    "split(j, a, b, 4); split(b, c, d, 2, tensor=A)",
    "split(j, j0, j1, 4, tensor=A); reorder(i, j1, j0)",
    "fuse(i, j, f); split(f, f0, f1, 5, tensor=A); reorder(f1, f0)",
    "split(i, i0, i1, 3); fuse(i1, j, f); split(f, f0, f1, 4, tensor=A)",
]
STATEMENTS = {
    "y[i] = A[i,j] * x[j]": lambda a, x: a @ x,
    "y[i] = 2 * A[i,j] * x[j]": lambda a, x: 2 * a @ x,
    "Y[i,j] = A[i,j] + x[j]": lambda a, x: a + x,
    "S[i,j] = A[i,j] * x[j]": lambda a, x: a * x,
    "s = sum(i, sum(j, A[i,j] * x[j]))": lambda a, x: np.sum(a * x),
}
# Rows and columns that blocks divide, that they do not, one, and none.
SHAPES = [(4, 6), (5, 7), (1, 1), (3, 8), (0, 4), (4, 0), (7, 5)]


@pytest.mark.one_in(10)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("format", ROWS, ids=str)
def test_rows_of_blocks_are_cut_by_entries(format, schedule, statement, threads):
    if statement.startswith("S"):
        # Pieces that begin within a row append to its list one after the other.
        schedule = schedule.replace("; parallelize(f0, atomics)", "")
    kernel = _compiled(statement, format, schedule, threads)
    for shape in SHAPES:
        _check(kernel, format, STATEMENTS[statement], shape)


@pytest.mark.parametrize(
    "schedule",
    [
        "reorder(j, i); split(i, i0, i1, 4, tensor=A)",
        "reorder(j, i); fuse(j, i, f); split(f, f0, f1, 5, tensor=A)",
        "reorder(j, i); fuse(j, i, f); divide(f, f0, f1, 3, tensor=A); parallelize(f0, atomics)",
    ],
)
def test_columns_of_blocks_are_cut_by_entries(schedule):
    kernel = _compiled("y[i] = A[i,j] * x[j]", it.BCSC(3, 2), schedule, 2)
    for shape in SHAPES:
        _check(kernel, it.BCSC(3, 2), lambda a, x: a @ x, shape)


@pytest.mark.parametrize("format", [ROWS[0], ROWS[3], ROWS[6]], ids=str)
def test_each_step_keeps_the_meaning(format):
    # Steps are interpreted; what splits blocks afterwards is not.
    for extents in ({"i": 5, "j": 7}, {"i": 4, "j": 6}, {"i": 0, "j": 3}):
        problem = Problem("y[i] = A[i,j] * x[j]", {"A": str(format)}, None, extents, "sparse", 1)
        problem.step("fuse", outer="i", inner="j", fused="f")
        problem.step("split", variable="f", outer="f0", inner="f1", size=4, tensor="A")
        problem.step("split", variable="f1", outer="f2", inner="f3", size=2)
        problem = Problem("y[i] = A[i,j] * x[j]", {"A": str(format)}, None, extents, "sparse", 1)
        problem.step("split", variable="j", outer="j0", inner="j1", size=4)
        problem.step("divide", variable="j1", outer="j2", inner="j3", parts=2, tensor="A")


def test_a_list_of_blocks():
    format = it.Format("(i) -> (i floordiv 4 : compressed, i mod 4 : dense)")
    for schedule in ("split(i, b, e, 3, tensor=A)", "split(i, b, e, 8, tensor=A)", "divide(i, b, e, 3, tensor=A)"):
        kernel = it.compile("s = A[i] * x[i]", formats={"A": format}, schedule=it.schedule(schedule))
        for extent in (0, 1, 7, 8, 30):
            dense = np.arange(1.0, extent + 1) * (np.arange(extent) // 4 % 3 != 1)
            x = np.arange(2.0, extent + 2)
            assert kernel(A=it.Tensor.from_numpy(dense, format), x=x) == np.sum(dense * x)


def _compiled(statement, format, schedule, threads):
    formats = {"A": format, **({"S": it.CSR} if statement.startswith("S") else {})}
    return it.compile(statement, formats=formats, schedule=it.schedule(schedule), num_threads=threads)


def _check(kernel, format, oracle, shape):
    random = np.random.default_rng(sum(shape))
    for share in (0.3, 1):
        dense = np.where(random.random(shape) < share, random.integers(1, 9, shape), 0).astype(float)
        x = np.arange(1.0, shape[1] + 1)
        found = kernel(A=it.Tensor.from_numpy(dense, format), x=x)
        found = found.to_numpy() if isinstance(found, it.Tensor) else found
        np.testing.assert_allclose(found, oracle(dense, x), err_msg=str(shape))
