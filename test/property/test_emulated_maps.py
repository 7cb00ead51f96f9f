"""Kernels for a GPU that put pairs into maps, for which memory is made before: run on the CPU, against NumPy."""

import numpy as np
import pytest
from xdsl.ir import Block

import irtensor as it
from irtensor.errors import InternalError
from irtensor.passes.emit import Emitter
from irtensor.passes.nvvm import counting_run

COLUMNS = it.Format("(i, j) -> (j : compressed, i : compressed)")
ROWS = it.Format("compressed, bitmap")
# What is written in another order than that of the loops, into levels that tell coordinates apart.
STATEMENTS = {
    "C[i,k] = A[i,j] * B[j,k]": lambda A, B: A @ B,
    "C[i,j] = A[i,j] + B[j,i]": lambda A, B: A + B.T,
    "C[i,j] = max(k, A[i,k] * B[k,j])": lambda A, B: (A[:, :, None] * B[None]).max(1),
    "C[i,k] = sum(j, exp(A[i,j]) * B[j,k])": lambda A, B: np.where(A == 0, 1, np.exp(A)) @ B,
}


def operands(density, size=9):
    random = np.random.default_rng(int(10 * density))
    return [random.integers(1, 9, (size, size)) * (random.random((size, size)) < density) * 1.0 for _ in range(2)]


def run(statement, A, B, **options):
    formats = {"A": COLUMNS, "B": it.DCSR, "C": ROWS}
    kernel = it.compile(statement, formats=formats, target="cuda-emulated", **options)
    assert "loop.index_map for %most" in kernel.ir("device")
    found = kernel(A=it.Tensor.from_numpy(A, COLUMNS), B=it.Tensor.from_numpy(B, it.DCSR))
    found.check()
    return found.to_numpy()


@pytest.mark.one_in(4)
@pytest.mark.parametrize("schedule", [None, "assemble(C, append)"])
@pytest.mark.parametrize("density", [0, 0.1, 0.9])
@pytest.mark.parametrize("statement", STATEMENTS)
def test_results_whose_rows_come_in_any_order(statement, density, schedule):
    A, B = operands(density)
    options = {} if schedule is None else {"schedule": it.schedule(schedule)}
    np.testing.assert_allclose(run(statement, A, B, **options), STATEMENTS[statement](A, B), rtol=1e-12)


def test_a_map_that_is_too_small_is_found(monkeypatch):
    """Were fewer pairs counted than come, nothing would be written elsewhere, and nobody would be given the result."""

    def count_none(map, region, counts):
        emit = Emitter(Block())
        emit.store_index(emit.index(0), counts, emit.index(0))
        counting_run.move_before(emit.block, map)

    monkeypatch.setattr(counting_run, "_count", count_none)
    it.clear_caches()
    with pytest.raises(InternalError, match="more pairs than had been counted"):
        run("C[i,k] = A[i,j] * B[j,k]", *operands(0.5))
    it.clear_caches()
