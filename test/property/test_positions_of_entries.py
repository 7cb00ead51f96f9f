"""Blocks of entries are entered at the positions of entries, without a search, and have all of them."""

import numpy as np
import pytest

import irtensor as it

ROWS = [it.CSR, it.DCSR, it.COO(2), it.Format("compressed(nonunique), singleton(nonunique)")]
SCHEDULES = [
    "pos(j, jp, A); split(jp, b, e, 3)",
    "pos(j, jp, A); divide(jp, b, e, 3)",
    "fuse(i, j, f); split(f, b, e, 4, tensor=A)",
    "fuse(i, j, f); divide(f, b, e, 3, tensor=A)",
    "fuse(i, j, f); split(f, b, e, 7, tensor=A); split(e, c, d, 2)",
    "split(j, j0, j1, 4); split(j1, b, e, 2, tensor=A)",
    "split(i, i0, i1, 3); fuse(i1, j, f); split(f, b, e, 4, tensor=A)",
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("format", ROWS, ids=str)
def test_all_entries_are_visited_once(format, schedule):
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": format}, schedule=it.schedule(schedule))
    for shape in [(6, 9), (1, 12), (7, 1), (0, 3), (3, 0), (40, 2)]:
        for share in (0, 0.2, 0.6, 1):
            dense = _matrix(shape, share)
            x = np.arange(1.0, shape[1] + 1)
            np.testing.assert_array_equal(kernel(A=it.Tensor.from_numpy(dense, format), x=x), dense @ x)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("loops", ["i, k, j", "k, i, j"])
@pytest.mark.parametrize("accesses", ["A[i,j] * A[k,j]", "A[k,j] * A[i,j]", "A[i,j] + A[k,j]"])
@pytest.mark.parametrize("indices", ["i,j", "k,j"])
def test_another_row_of_the_same_operand_is_searched(indices, accesses, loops):
    """The coordinates of one row's entries are not where they are in the other row."""
    for steps in ("split(jp, b, e, 2)", "divide(jp, b, e, 3)"):
        schedule = it.schedule(f"reorder({loops}); pos(j, jp, A[{indices}]); {steps}")
        kernel = it.compile(f"Y[i,k] = sum(j, {accesses})", formats={"A": it.CSR}, schedule=schedule)
        dense = _matrix((6, 9), 0.4)
        combined = np.multiply if "*" in accesses else np.add
        expected = combined(dense[:, None, :], dense[None, :, :]).sum(2)
        np.testing.assert_array_equal(kernel(A=it.Tensor.from_numpy(dense, it.CSR)), expected)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "schedule",
    [
        "fuse(i, k, f); fuse(f, l, g); split(g, b, e, 5, tensor=B)",
        "fuse(k, l, g); split(g, b, e, 3, tensor=B)",
        "fuse(i, k, f); split(f, b, e, 3, tensor=B)",
        "pos(l, lp, B); split(lp, b, e, 2)",
    ],
)
@pytest.mark.parametrize("format", [it.CSF(3), it.Format("dense, compressed, compressed"), it.COO(3)], ids=str)
def test_tensors_of_three_levels(format, schedule):
    if format == it.COO(3) and not schedule.startswith("fuse(i, k, f); fuse"):
        return
    kernel = it.compile(
        "A[i,j] = B[i,k,l] * C[l,j] * D[k,j]",
        formats={"B": format},
        schedule=it.schedule(f"reorder(i, k, l, j); {schedule}"),
    )
    random = np.random.default_rng(3)
    for shape in [(4, 5, 6), (1, 7, 3), (3, 0, 2)]:
        dense = np.where(random.random(shape) < 0.3, random.integers(1, 9, shape), 0).astype(float)
        c, d = (random.integers(1, 5, (shape[axis], 3)).astype(float) for axis in (2, 1))
        expected = np.einsum("ikl,lj,kj->ij", dense, c, d)
        np.testing.assert_array_equal(kernel(B=it.Tensor.from_numpy(dense, format), C=c, D=d), expected)


def _matrix(shape, share):
    random = np.random.default_rng(5)
    return np.where(random.random(shape) < share, random.integers(1, 9, shape), 0).astype(float)
