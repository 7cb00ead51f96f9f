"""Loops that were split, in every order: the inner one outside of the outer one as well, against NumPy."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest

import irtensor as it

FORMATS: dict[str, Any] = {
    "dense": None,
    "CSR": it.CSR,
    "DCSR": it.DCSR,
    "COO": it.COO(2),
    "CSC": it.CSC,
    "BCSR": it.BCSR(2, 2),
}
# Extents that the sizes below divide, that they do not, that are less than a size, and nothing.
SHAPES = [(4, 6), (5, 7), (0, 3), (3, 0), (1, 1), (8, 4)]
STATEMENTS: dict[str, Any] = {
    "y[i] = A[i,j] * x[j]": lambda A, x: A @ x,
    "B[i,j] = A[i,j] + x[j]": lambda A, x: A + x,
    "B[i,j] = A[i,j] * x[j]": lambda A, x: A * x,
}
# How loops are cut, which of them are then put in every order, and the formats in which that makes sense.
CUTS = [
    ("split(i, i0, i1, 2); split(j, j0, j1, 3)", "i0 i1 j0 j1", tuple(FORMATS)),
    ("divide(i, i0, i1, 2); divide(j, j0, j1, 3)", "i0 i1 j0 j1", tuple(FORMATS)),
    ("split(i, i0, i1, 4); split(i1, i2, i3, 3); split(j, j0, j1, 2)", "i0 i2 i3 j1", ("CSR", "COO")),
    ("split(i, i0, i1, 3); split(i0, i2, i3, 2); split(i1, i4, i5, 2)", "i2 i3 i4 i5", ("dense", "DCSR")),
    ("divide(i, i0, i1, 3); divide(i1, i2, i3, 2); split(i2, i4, i5, 2)", "i0 i4 i5 i3", ("dense", "CSR")),
    ("split(j, j0, j1, 2, tensor=A)", "j0 j1", ("CSR", "DCSR", "COO")),
    ("split(j, j0, j1, 4, tensor=A); split(j1, j2, j3, 3, tensor=A)", "j0 j2 j3", ("CSR", "DCSR", "COO")),
    ("split(j, j0, j1, 4); split(j1, j2, j3, 3, tensor=A)", "j0 j2 j3", ("CSR", "DCSR")),
    ("fuse(i, j, f); split(f, f0, f1, 3, tensor=A)", "f0 f1", ("CSR", "DCSR", "COO")),
    ("fuse(i, j, f); split(f, f0, f1, 5); split(f1, f2, f3, 2)", "f0 f2 f3", ("dense", "CSR")),
    ("fuse(i, j, f); divide(f, f0, f1, 3, tensor=A); divide(f1, f2, f3, 2, tensor=A)", "f0 f2 f3", ("CSR", "COO")),
]
# Fused loops that are cut again once another loop is between the blocks and them, where a bound of theirs may stand.
CUT_INSIDE = [
    f"fuse(i, j, f); {first}; reorder(b, k, e); {second}"
    for first in ("split(f, b, e, 4)", "divide(f, b, e, 3)", "split(f, b, e, 4, tensor=T)")
    for second in ("split(e, c, d, 2)", "divide(e, c, d, 2)", "split(e, c, d, 2); reorder(c, k, d); split(d, g, h, 1)")
] + ["fuse(i, j, f); split(f, b, e, 4); reorder(e, k, b); reorder(b, k, e)"]
CASES = [
    (notation, format, f"{cut}; reorder({', '.join(order)})")
    for cut, loops, formats in CUTS
    for format in formats
    for notation in STATEMENTS
    for order in permutations(loops.split())
]


def _check(notation: str, format: str, steps: str, rows: bool = False, **options: Any) -> None:
    """A kernel with a schedule gives for all shapes what NumPy gives."""
    formats = {} if FORMATS[format] is None else {"A": FORMATS[format]}
    if rows:
        formats["B"] = it.CSR
    kernel = it.compile(notation, formats=formats, schedule=it.schedule(steps), **options)
    rng = np.random.default_rng(0)
    for shape in SHAPES:
        A = rng.integers(-3, 4, shape).astype(float) * (rng.random(shape) < 0.5)
        x = rng.integers(1, 5, shape[1]).astype(float)
        operand = A if FORMATS[format] is None else it.Tensor.from_numpy(A, FORMATS[format])
        found = kernel(A=operand, x=x)
        found = found.to_numpy() if isinstance(found, it.Tensor) else found
        assert np.array_equal(found, STATEMENTS[notation](A, x)), shape


@pytest.mark.one_in(192)
@pytest.mark.parametrize("notation, format, steps", CASES)
def test_every_order(notation: str, format: str, steps: str):
    _check(notation, format, steps)


@pytest.mark.one_in(192)
@pytest.mark.parametrize("notation, format, steps", [case for case in CASES if case[0].startswith("B")])
def test_every_order_with_rows_of_a_result(notation: str, format: str, steps: str):
    _check(notation, format, steps, rows=True)


@pytest.mark.one_in(192)
@pytest.mark.parametrize("notation, format, steps", CASES)
def test_every_order_on_a_gpu(notation: str, format: str, steps: str):
    _check(notation, format, steps, target="cuda-emulated")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("target", ["cpu", "cuda-emulated"])
@pytest.mark.parametrize("format", ["dense", "CSR"])
@pytest.mark.parametrize(
    "steps",
    [
        "split(i, i0, i1, 4); reorder(i1, i0); parallelize(i1); unroll(i0, 4)",
        "split(i, i0, i1, 4); reorder(i1, i0); parallelize(i0); unroll(i1, 2)",
        "split(i, i0, i1, 4); reorder(i1, j, i0); vectorize(i0, 4)",
        "split(j, j0, j1, 4); reorder(j1, i, j0); parallelize(j1, races=temporary)",
        "fuse(i, j, f); parallelize(f)",
        "fuse(i, j, f); split(f, block, entry, 4); parallelize(block, races=temporary); unroll(entry, 2)",
        "fuse(i, j, f); split(f, block, entry, 4); parallelize(entry)",
        "fuse(i, j, f); split(f, block, entry, 4); reorder(block, entry)",
        "fuse(i, j, f); split(f, block, entry, 4); reorder(entry, block); parallelize(entry, races=atomics)",
        "fuse(i, j, f); split(f, block, entry, 4); reorder(entry, block); unroll(block, 2)",
        # Vectors around a loop over a block: its places go outside, and lanes are the blocks.
        "split(j, j0, j1, 4); vectorize(j0, 4)",
        "split(i, i0, i1, 4); reorder(i0, i1, j); split(j, j0, j1, 4); vectorize(i0, 2)",
        "divide(i, i0, i1, 4); vectorize(i0, 4)",
        "fuse(i, j, f); split(f, block, entry, 4); vectorize(block, 4)",
        # A loop over what is at one place in a block is between those that are fused.
        "split(i, i0, i1, 4); reorder(i1, i0); fuse(i0, j, f); split(f, b, e, 3); reorder(b, i1, e)",
        "split(i, i0, i1, 4); reorder(i1, i0); fuse(i1, i0, f); fuse(f, j, g); split(g, b, e, 5); reorder(e, b)",
        "fuse(i, j, f); split(f, block, entry, 4); merge(entry, linear); unroll(entry)",
    ],
)
def test_loops_in_other_orders_are_named_in_all_steps(target: str, format: str, steps: str):
    if format != "dense":
        steps = steps.replace("entry, 4)", "entry, 4, tensor=A)")
    _check("y[i] = A[i,j] * x[j]", format, steps, target=target, num_threads=3 if target == "cpu" else None)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("format", ["CSR", "DCSR", "COO"])
@pytest.mark.parametrize(
    "steps",
    [
        # Only one side of the workspace reads the entries that are counted.
        "pos(j, jp, A); precompute(A[i,jp] * x[jp], over=jp); split(jp, j0, j1, 4)",
        "precompute(A[i,j] * x[j], over=j); pos(j, jp, A); divide(jp, j0, j1, 3)",
        # Parts of a block of entries have entries.
        "fuse(i, j, f); split(f, b, e, 4, tensor=A); divide(e, c, d, 2); reorder(c, b, d)",
    ],
)
def test_entries_are_those_of_the_one_operand_that_can_be_meant(format: str, steps: str):
    _check("y[i] = A[i,j] * x[j]", format, steps, verify=True)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("steps", CUT_INSIDE)
def test_fused_loops_are_cut_inside_of_another(steps: str):
    is_counted = "tensor=T" in steps
    steps = steps.replace("d, 2)", "d, 2, tensor=T)").replace("h, 1)", "h, 1, tensor=T)") if is_counted else steps
    kernel = it.compile(
        "C[i,j] = T[i,j,k]", formats={"T": it.CSF(3)} if is_counted else {}, schedule=it.schedule(steps), verify=True
    )
    for shape in [(3, 4, 2), (1, 5, 3), (4, 0, 2), (0, 3, 2), (2, 2, 0)]:
        T = np.random.default_rng(0).integers(-1, 2, shape).astype(float)
        operand = it.Tensor.from_numpy(T, it.CSF(3)) if is_counted else T
        assert np.array_equal(kernel(T=operand), T.sum(2)), shape


def _loops(notation: str, steps: str) -> str:
    return it.compile(notation, schedule=it.schedule(steps)).ir("loop")


def _innermost(text: str) -> list[str]:
    """The lines of the loop that stands deepest."""
    lines = text.splitlines()
    depth = max(len(line) - len(line.lstrip()) for line in lines if "loop.for" in line)
    start = next(number for number, line in enumerate(lines) if line.startswith(" " * depth + "loop.for"))
    return [line for line in lines[start + 1 :] if line.startswith(" " * (depth + 1))]


@pytest.mark.parametrize(
    "notation, steps",
    [
        ("y[i] = x[i]", "split(i, i0, i1, 8); reorder(i1, i0)"),
        ("y[i] = x[i]", "split(i, i0, i1, 7); split(i1, i2, i3, 3); reorder(i3, i2, i0)"),
        (
            "C[i,j] = A[i,k] * B[k,j]",
            "split(i, i0, i1, 32); split(i1, i2, i3, 8); split(j, j0, j1, 16); reorder(i3, j1, i0, k, j0, i2)",
        ),
    ],
)
def test_the_innermost_loop_compares_nothing(notation: str, steps: str):
    inner = _innermost(_loops(notation, steps))
    assert inner and not any(word in line for line in inner for word in ("minsi", "maxsi", "cmpi", "loop.if", "for"))


def test_the_nearest_order_that_is_allowed_is_named():
    schedule = it.schedule("split(j, j0, j1, 4, tensor=A); reorder(j1, j0, i)")
    with pytest.raises(it.UserError, match="loop j0 runs over coordinates that loop i selects") as refused:
        it.compile("y[i] = A[i,j] * x[j]", formats={"A": it.CSR}, schedule=schedule).ir("loop")
    assert "the nearest order that is allowed is j1, i, j0" in str(refused.value)
