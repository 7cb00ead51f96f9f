"""Kernels for a GPU that put pairs into maps, for which memory is made before: run on the CPU, against NumPy."""

import numpy as np
import pytest
from interpreted_statements import interpret, lowered
from reference.interpret_loop import ORDERS
from xdsl.ir import Block

import irtensor as it
from irtensor.core.tensor_format import TensorFormat
from irtensor.errors import InternalError
from irtensor.passes.nvvm.support import counting_run
from irtensor.passes.pipelines import passes_between
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.pass_order import passes_that_need

COLUMNS = it.Format("(i, j) -> (j : compressed, i : compressed)")
ROWS = it.Format("compressed, bitmap")
# What is written in another order than that of the loops, into levels that tell coordinates apart.
STATEMENTS = {
    "C[i,k] = A[i,j] * B[j,k]": lambda A, B: A @ B,
    "C[i,j] = A[i,j] + B[j,i]": lambda A, B: A + B.T,
    "C[i,j] = max(k, A[i,k] * B[k,j])": lambda A, B: (A[:, :, None] * B[None]).max(1),
    "C[i,k] = sum(j, exp(A[i,j]) * B[j,k])": lambda A, B: np.where(A == 0, 1, np.exp(A)) @ B,
}
# Each element has a value, be it that of absent entries: the workspace is dense.
FULL = {"C[i,j] = max(k, A[i,k] * B[k,j])"}


def operands(density, size=9):
    random = np.random.default_rng(int(10 * density))
    return [random.integers(1, 9, (size, size)) * (random.random((size, size)) < density) * 1.0 for _ in range(2)]


def run(statement, A, B, **options):
    formats = {"A": COLUMNS, "B": it.DCSR, "C": ROWS}
    # With A by rows there would be one row of results at a time, and no map.
    kernel = it.compile(statement, formats=formats, target="cuda-emulated", convert=False, **options)
    assert ("loop.index_map for %most" in kernel.ir("device")) == (statement not in FULL)
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


FRONT = passes_between("index_notation", "loop", ("parallelize-outermost", "map-wide-workspaces"))
DEVICE = passes_between("loop", "device")
CONVERTING = passes_that_need("conversions", "loop")
PASSES = (*[name for name in FRONT if name not in CONVERTING], *DEVICE[: DEVICE.index("place-memory") + 1])
HUGE = {"map-wide-workspaces": {"huge": ("i", "j", "k")}}
# With all extents too wide for workspaces: the formats of A, of B and of the result.
WIDE = {
    "product": ("C[i,j] = A[i,k] * B[k,j]", (it.CSR, it.CSR, it.CSR), lambda A, B: A @ B),
    "product of few rows": ("C[i,j] = A[i,k] * B[k,j]", (it.DCSR, it.DCSR, it.DCSR), lambda A, B: A @ B),
    "product by columns": ("C[j,i] = A[i,k] * B[k,j]", (COLUMNS, COLUMNS, it.DCSR), lambda A, B: (A @ B).T),
    "product in a sum": ("C[i,j] = A[i,k] * B[k,j] + A[i,j]", (it.CSR, it.CSR, it.CSR), lambda A, B: A @ B + A),
    "sums of rows": ("C[j] = A[i,j] * B[i,k]", (it.DCSR, it.DCSR, "compressed"), lambda A, B: A.T @ B.sum(1)),
    "rows in any order": ("C[i,j] = A[i,k] * B[k,j]", (COLUMNS, it.DCSR, ROWS), lambda A, B: A @ B),
}


@pytest.mark.one_in(12)
@pytest.mark.parametrize("density", [0, 0.1, 0.9])
@pytest.mark.parametrize("name", WIDE)
def test_nothing_is_written_beyond_what_was_counted(name, density):
    """The code that becomes kernels, interpreted in any order of the iterations, with every access checked."""
    statement, formats, expected = WIDE[name]
    A, B = operands(density, 5)
    stored = {"A": it.Tensor.from_numpy(A, formats[0]), "B": it.Tensor.from_numpy(B, formats[1])}
    result = TensorFormat.parse(str(formats[2])).with_fill(0.0)
    request = lowered(statement, stored, result, PASSES, HUGE)
    assert "loop.index_map for %most in" in str(request.module)
    for order in ORDERS.values():
        found = interpret(request, stored, (5,) * result.rank, result, order)
        assert isinstance(found, it.Tensor)
        np.testing.assert_array_equal(found.to_numpy(), expected(A, B))


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
