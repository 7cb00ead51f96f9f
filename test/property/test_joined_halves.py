"""The halves of loops that are cut, again and again, are fused to the loop that they were."""

import random

import numpy as np
import pytest

import irtensor as it


def _schedule(draw: random.Random, extent: int) -> str:
    """Cuts of the loop over i, of which neighbours are fused: each time those that were one, if nothing is between."""
    steps = [draw.choice(["", f"bound(i, {extent})", f"bound(i, {extent}, multiple)"])]
    loops = ["i"]
    for number in range(draw.randint(1, 3)):
        place = draw.randrange(len(loops))
        outer, inner = f"a{number}", f"b{number}"
        steps.append(
            f"{draw.choice(['split', 'divide'])}({loops[place]}, {outer}, {inner}, {draw.choice([1, 2, 3, 7])})"
        )
        loops[place : place + 1] = [outer, inner]
        if draw.random() < 0.7:
            steps.append(f"fuse({outer}, {inner}, f{number})")
            loops[place : place + 2] = [f"f{number}"]
    return "; ".join(filter(None, steps))


@pytest.mark.parametrize("seed", range(60))
def test_fused_halves_visit_each_coordinate_once(seed: int):
    draw = random.Random(seed)
    extent = draw.choice([1, 2, 5, 10, 13, 16])
    a, schedule = np.arange(1.0, extent + 1), it.schedule(_schedule(draw, extent))
    kernel = it.compile("y[i] += a[i]", schedule=schedule, num_threads=1)
    np.testing.assert_array_equal(kernel(a=a, y=np.zeros(extent)), a)


@pytest.mark.parametrize("cut", ["split(i, i0, i1, 4)", "divide(i, i0, i1, 4)", "split(i, i0, i1, 1)"])
def test_what_is_fused_can_be_cut_anew(cut: str):
    steps = f"{cut}; fuse(i0, i1, f); fuse(f, j, g); split(g, b, e, 5, tensor=A); parallelize(b, atomics)"
    A, x = np.random.default_rng(0).integers(0, 2, (9, 7)).astype(float), np.arange(7.0)
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": it.CSR}, schedule=it.schedule(steps))
    np.testing.assert_array_equal(kernel(A=it.Tensor.from_numpy(A, "csr"), x=x), A @ x)
