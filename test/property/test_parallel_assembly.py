"""Sparse results that several parts of a loop append to are those that one loop appends, entry by entry."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import StringAttr

import irtensor as it
from irtensor.dialects.loop.loop import ForOp, ParallelOp
from irtensor.passes.support.pass_base import structured_functions
from irtensor.passes.threads import divide_appending_loops
from irtensor.runtime import thread_pool

CSR, CSC, DCSR = "dense, compressed", "(i, j) -> (j : dense, i : compressed)", "compressed, compressed"
COO, CSF = "compressed(nonunique), singleton", "compressed, compressed, compressed"
BLOCKS = "(i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense)"
ROWS, LAYERED, DEEP = "compressed, dense", "compressed, dense, compressed", "dense, dense, compressed"
MATRIX, CUBE = (13, 9), (13, 5, 6)
# Notation, shapes, formats of the sparse tensors.
CASES: tuple[tuple[str, dict[Any, Any], dict[Any, str]], ...] = (
    *(
        ("C[i,j] = A[i,j] + B[i,j]", dict.fromkeys("AB", MATRIX), dict.fromkeys("ABC", f))
        for f in (CSR, CSC, BLOCKS, DCSR, COO)
    ),
    *(
        ("C[i,j] = A[i,j] * B[i,j]", dict.fromkeys("AB", MATRIX), {"A": CSR, "B": CSR, "C": f})
        for f in (CSR, DCSR, COO)
    ),
    *(("C[i,j] = 2 * A[i,j]", {"A": MATRIX}, {"A": a, "C": c}) for a in (CSR, DCSR, ROWS) for c in (DCSR, COO, BLOCKS)),
    ("C[i,j] = A[i,j] * X[i,k] * Y[k,j]", {"A": MATRIX, "X": (13, 4), "Y": (4, 9)}, {"A": CSR, "C": CSR}),
    *(
        ("C[i,j] = A[i,k] * B[k,j]", {"A": MATRIX, "B": (9, 11)}, {"A": a, "B": CSR, "C": c})
        for a, c in ((CSR, CSR), (CSR, DCSR), (CSR, COO), (DCSR, DCSR))
    ),
    ("C[i,j] = A[i,j,k] * x[k]", {"A": CUBE, "x": (6,)}, {"A": CSF, "C": DCSR}),
    *(("C[i,j,l] = A[i,j,k] * B[k,l]", {"A": CUBE, "B": (6, 3)}, {"A": f, "B": CSR, "C": f}) for f in (CSF, DEEP)),
    ("C[i,j,k] = A[i,j,k] + B[i,j,k]", dict.fromkeys("AB", CUBE), dict.fromkeys("ABC", DEEP)),
    ("C[i,j,k] = 2 * A[i,j,k]", {"A": CUBE}, {"A": LAYERED, "C": LAYERED}),
)


@pytest.fixture
def divided(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Every loop is worth dividing; gives the number of parallel loops of each kernel compiled."""
    found: list[int] = []
    apply = divide_appending_loops.DivideAppendingLoopsPass.apply

    def mark(self, ctx, op) -> None:
        for function in structured_functions(op):
            top = function.body.block
            for loop in [op for op in function.walk() if op.parent is top or op.parent_op() in [*top.ops]]:
                # What follows the loops that compute, such as closing holes, goes on from iteration to iteration.
                if isinstance(loop, ForOp) and len(list(loop.walk())) > 8:
                    loop.attributes["parallel"] = StringAttr("none")
        apply(self, ctx, op)
        found.append(sum(isinstance(inner, ParallelOp) for inner in op.walk()))
        for loop in op.walk():
            if not isinstance(loop, ParallelOp):
                loop.attributes.pop("parallel", None)

    monkeypatch.setattr(divide_appending_loops.DivideAppendingLoopsPass, "apply", mark)
    it.clear_caches()
    monkeypatch.setattr(thread_pool, "GRAIN", 1)
    monkeypatch.setattr(thread_pool._state, "contexts", {})
    yield found
    monkeypatch.undo()


def _operand(rng: np.random.Generator, shape: tuple[int, ...], format: str | None, density: float) -> object:
    array = rng.random(shape)
    if format is None:
        return array
    return it.Tensor.from_numpy(array * (rng.random(shape) < density), it.Format(format))


@pytest.mark.one_in(16)
@pytest.mark.parametrize("case", CASES, ids=[f"{n} {f}" for n, _, f in CASES])
def test_parts_join_to_the_whole(divided: list[int], case: tuple[Any, ...]) -> None:
    notation, shapes, formats = case
    rng = np.random.default_rng(len(notation))
    plain = it.compile(notation, formats=formats, num_threads=1, disk_cache=False)
    samples = [
        {name: _operand(rng, shape, formats.get(name), density) for name, shape in shapes.items()}
        for density in (0.3, 0.05, 0.0, 1.0)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(divide_appending_loops.DivideAppendingLoopsPass, "apply", lambda self, ctx, op: None)
        expected = [(plain(**operands), plain.assemble(**operands)) for operands in samples]
    for threads in (1, 2, 3):
        it.clear_caches()
        kernel = it.compile(notation, formats=formats, num_threads=threads, disk_cache=False)
        for operands, (whole, index) in zip(samples, expected, strict=True):
            for result, wanted in ((kernel(**operands), whole), (kernel.assemble(**operands), index)):
                result.check()
                for ours, theirs in zip(result.buffers()[:-1], wanted.buffers()[:-1], strict=True):
                    np.testing.assert_array_equal(ours, theirs)
                # Sums inside a part may be vectorised in another way.
                np.testing.assert_allclose(result.values, wanted.values, rtol=1e-13)
    assert all(divided), divided


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0), (1, 7), (7, 1), (3000, 40)])
def test_any_extent(divided: list[int], shape: tuple[int, int]) -> None:
    """The last shape has more rows than the memory that parts are lent has room for, and rows of all lengths."""
    rng = np.random.default_rng(1)
    kernel = it.compile("C[i,j] = A[i,j] + B[i,j]", formats=dict.fromkeys("ABC", CSR), num_threads=2, disk_cache=False)
    arrays = [rng.random(shape) * (rng.random(shape) < rng.random((shape[0], 1))) for _ in "AB"]
    result = kernel(*[it.Tensor.from_numpy(a, it.CSR) for a in arrays])
    result.check()
    np.testing.assert_array_equal(result.to_numpy(), arrays[0] + arrays[1])
    assert all(divided)


def test_parts_are_lent_memory(divided: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where one part appends far more than its share, and again with the memory that it has grown."""
    from irtensor.compiler.kernel import part_lists

    monkeypatch.setattr(part_lists, "_MANY_ENTRIES", 1)
    rng = np.random.default_rng(4)
    array = np.zeros((300, 200))
    array[280:] = rng.random((20, 200))
    operands = [it.Tensor.from_numpy(array, it.CSR), it.Tensor.from_numpy(array.T @ array, it.CSR)]
    kernel = it.compile("C[i,j] = A[i,k] * B[k,j]", formats=dict.fromkeys("ABC", CSR), num_threads=2, disk_cache=False)
    for _ in range(3):
        np.testing.assert_allclose(kernel(*operands).to_numpy(), array @ (array.T @ array), rtol=1e-12)
    assert all(divided)


def test_parts_that_go_on_where_others_ended_see_what_they_stored() -> None:
    formats: dict[str, object] = dict.fromkeys("ABC", it.CSR)
    text = it.compile("C[i,j] = A[i,j] + B[i,j]", formats=formats, num_threads=2, disk_cache=False).llvm_ir()
    assert len(re.findall(r"= load atomic i64, .* acquire", text)) == 1
    assert len(re.findall(r"store atomic i64 .* release", text)) == 1


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_calling_thread_alone_copies_nothing(divided: list[int], threads: int) -> None:
    """Its parts follow one another, so that all of them append to the result itself, as when others have the pool."""
    formats: dict[str, object] = dict.fromkeys("ABC", it.CSR)
    kernel = it.compile("C[i,j] = A[i,j] + B[i,j]", formats=formats, num_threads=threads, disk_cache=False)
    rng = np.random.default_rng(2)
    arrays = [rng.random((50, 40)) * (rng.random((50, 40)) < 0.3) for _ in "AB"]
    operands = [it.Tensor.from_numpy(a, it.CSR) for a in arrays]
    kernel(*operands)
    pool = thread_pool._state.pool
    pool.busy = 1
    try:
        result = kernel(*operands)
    finally:
        pool.busy = 0
    result.check()
    np.testing.assert_array_equal(result.to_numpy(), arrays[0] + arrays[1])
