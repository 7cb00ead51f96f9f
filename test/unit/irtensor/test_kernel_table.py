"""The kernels of Kjolstad 2020 (K1-K51 of its figures and tables), one row each: statement, formats, schedule, loops.

A nest is written as its loops in order, each with what is inside of it in brackets: `p` is a loop over entries, `while`
one that merges or, inside of such, searches, any other runs over coordinates; `|` is between loops that follow each
other, `∥` before those that the schedule makes parallel. Values are compared with the dense oracle. What the loops do
inside is in test/pipelines.
"""

import re
from typing import Any, NamedTuple

import numpy as np
import pytest
from reference.compare_with_oracle import Case
from reference.evaluate_dense import evaluate_dense
from reference.random_operands import PATTERNS, random_operand

import irtensor as it
from irtensor.frontend.expression_tree import accesses

CSR, CSC, DCSR, COO, DIA, ELL, BLOCKS = it.CSR, it.CSC, it.DCSR, it.COO(2), it.DIA, it.ELL, it.BCSR(2, 3)
CSF, CSF4, COO3, VECTOR, FIBERS = (
    it.CSF(3),
    it.CSF(4),
    it.COO(3),
    it.Format("compressed"),
    it.Format("compressed, compressed, dense"),
)
SIZES = {"i": 19, "j": 11, "k": 13, "l": 7, "m": 5, "n": 4}
# The kernels for graphics processors, and a number that the list leaves out.
ELSEWHERE = {"K19", *(f"K{number}" for number in range(26, 30)), *(f"K{n}" for n in range(36, 40)), "K41", "K42", "K47"}


class Row(NamedTuple):
    """A kernel: what it computes, how what is sparse is stored, the schedule, and the loops that it becomes."""

    statement: str
    formats: dict[str, Any]
    nest: str
    schedule: str = ""
    kind: str = "fused"


SPMV = "y[i] = A[i,j] * x[j]"
PRODUCT = "A[i,j] = B[i,k] * C[k,j]"
SUM, MASK = "A[i,j] = B[i,j] + C[i,j]", "A[i,j] = B[i,j] * sum(k, C[i,k] * D[k,j])"
TTM, TTV = "A[i,j,l] = B[i,j,k] * C[k,l]", "A[i,j] = B[i,j,k] * c[k]"
MTTKRP = "A[i,j] = B[i,k,l] * D[l,j] * C[k,j]"
HOISTED = "reorder(i, k, l, j); precompute(B[i,k,l] * D[l,j], over=j)"
GUSTAVSON = "reorder(i, k, j); precompute(B[i,k] * C[k,j], over=j)"

KERNELS = {
    "K1 dense": Row(SPMV, {}, "i[j]"),
    "K2 by rows": Row(SPMV, {"A": CSR}, "i[p]"),
    "K3 stored rows": Row(SPMV, {"A": DCSR}, "p[p]"),
    "K4 all sparse": Row(SPMV, {"y": VECTOR, "A": DCSR, "x": VECTOR}, "p[while[while | while | while | while]]"),
    "K5 coordinates": Row(SPMV, {"A": COO}, "p"),
    "K5b coordinates, merged or appended": Row(SPMV, {"A": COO, "y": VECTOR}, "while[while | p]"),
    "K6 by columns": Row(SPMV, {"A": CSC}, "j[p]"),
    "K7 inner products": Row(PRODUCT, {"B": CSR, "C": CSC}, "i[p | j[p]]", "reorder(i, j, k)"),
    "K8 combinations of rows": Row(PRODUCT, {"B": CSR, "C": CSR}, "i[p[p]]", "reorder(i, k, j)"),
    "K9 into a known index": Row(PRODUCT, {"A": CSR, "B": CSR, "C": CSR}, "i[p[p] | p]", GUSTAVSON, "compute"),
    "K9b with its index": Row(PRODUCT, {"A": CSR, "B": CSR, "C": CSR}, "i[p[p] | p]", GUSTAVSON),
    "K10 sum": Row(SUM, {"A": CSR, "B": CSR, "C": CSR}, "i[while | p | p]"),
    "K11 products of elements": Row("A[i,j] = B[i,j] * C[i,j]", {"A": DCSR, "B": DCSR, "C": DCSR}, "while[while]"),
    "K12 sum with a transpose": Row("A[i,j] = B[i,j] + C[j,i]", {"A": CSR, "B": CSR, "C": CSC}, "i[while | p | p]"),
    "K13 masked sum": Row(
        "A[i,j] = (B[i,j] + C[j,i]) * D[i,j]", {"A": CSR, "B": CSR, "C": CSC, "D": CSR}, "i[while | while | while]"
    ),
    "K14 residual": Row("r[i] = b[i] - A[i,j] * x[j]", {"A": CSR}, "i[p]"),
    "K15 plus a dense vector": Row("a[i] = B[i,j] * c[j] + d[i]", {"B": CSR}, "i[p]"),
    "K15 plus a sparse vector": Row("a[i] = B[i,j] * c[j] + d[i]", {"B": CSR, "d": VECTOR}, "p[i[p] | p] | i[p]"),
    "K16 by columns, plus a vector": Row("a[i] = B[i,j] * c[j] + d[i]", {"B": CSC}, "j[p] | i"),
    "K17 by columns into rows": Row("A[i,j] = B[i,j] + C[i,j]", {"A": CSR, "B": CSR, "C": CSC}, "i[while | p | p]"),
    "K18 sum under a product": Row(
        "A[i,j] = sum(k, (B[i,k] + C[i,k]) * D[k,j])", {"B": DCSR, "C": DCSR}, "while[while[j | j | j]]"
    ),
    "K20 SDDMM": Row(MASK, {"A": CSR, "B": CSR}, "i[p[k]]"),
    "K20b SDDMM in tiles": Row(
        "A[i,j] = B[i,j] * C[i,k] * D[k,j]",
        {"B": CSR},
        "∥i0[i1[j0[p[k]]]]",
        "split(i, i0, i1, 16); split(j, j0, j1, 8, tensor=B); parallelize(i0)",
    ),
    "K20b SDDMM in tiles, the dense loop around their entries": Row(
        "A[i,j] = B[i,j] * C[i,k] * D[k,j]",
        {"B": CSR},
        "∥i0[i1[j0[k[p]]]]",
        "split(i, i0, i1, 16); split(j, j0, j1, 8, tensor=B); reorder(i0, i1, j0, k, j1); parallelize(i0)",
    ),
    "K21 TTTP": Row("A[i,j,l] = B[i,j,l] * sum(k, C[i,k] * D[j,k] * E[l,k])", {"A": CSF, "B": CSF}, "p[p[p[k]]]"),
    "K22 masked": Row(
        "a[i] = b[i] * sum(j, C[i,j] * d[j])",
        {"a": VECTOR, "b": VECTOR, "C": CSR, "d": VECTOR},
        "p[while[while | while | while | while]]",
    ),
    "K23 triangles, U by columns": Row(
        "A[i,j] = B[i,j] * sum(k, L[i,k] * U[k,j])", {"A": CSR, "B": CSR, "L": CSR, "U": CSC}, "i[p | p[p]]"
    ),
    "K23 triangles, by rows": Row(
        "A[i,j] = B[i,j] * sum(k, L[i,k] * U[k,j])", {"A": CSR, "B": CSR, "L": CSR, "U": CSR}, "i[p[p] | p]"
    ),
    "K24 trace of a cube": Row("s = A[i,j] * A[j,k] * A[k,i]", {"A": CSR}, "i[p | p[p]]"),
    "K25 contraction over two of four": Row(
        "A[i,j,k,l] = B[i,m,k,n] * C[j,m,l,n]",
        {"B": CSF4, "C": CSF4},
        "p[while[p[p[p[while]]] | while | while | while | while]]",
    ),
    "K30 TTM": Row(TTM, {"A": FIBERS, "B": CSF}, "p[p[p[l]]]", "reorder(i, j, k, l)"),
    "K30 TTM by scalars": Row(TTM, {"A": FIBERS, "B": CSF}, "p[p[l[p]]]", "reorder(i, j, l, k)"),
    "K31 TTV": Row(TTV, {"A": DCSR, "B": CSF}, "p[p[p]]"),
    "K31 TTV, coordinates": Row(TTV, {"A": COO, "B": COO3}, "while[while | while[while | p]]"),
    "K31b TTV by entries": Row(
        TTV, {"B": CSF}, "∥chunk[p[p[p]]]", "fuse(i, j, f); split(f, chunk, f1, 16, tensor=B); parallelize(chunk)"
    ),
    "K32 sum of tensors": Row(
        "A[i,j,k] = B[i,j,k] + C[i,j,k]", {"A": CSF, "B": CSF, "C": CSF}, "while[while[while | p | p | p | p]]"
    ),
    "K32 sum of tensors, coordinates": Row(
        "A[i,j,k] = B[i,j,k] + C[i,j,k]",
        {"A": COO3, "B": COO3, "C": COO3},
        "while[while | while | while[while | while | while | p | p | p | p]]",
    ),
    "K33 MTTKRP": Row(MTTKRP, {"B": CSF}, "∥p[p[p[j]]]", "reorder(i, k, l, j); parallelize(i)"),
    "K33b MTTKRP, the factor hoisted": Row(MTTKRP, {"B": CSF}, "p[p[p[j] | j]]", HOISTED),
    "K33b MTTKRP, the factor hoisted, rows in blocks": Row(
        MTTKRP, {"B": CSF}, "∥i0[p[p[p[j] | j]]]", HOISTED + "; split(i, i0, i1, 8); parallelize(i0)"
    ),
    "K33c MTTKRP of order four": Row(
        "A[i,j] = B[i,k,l,m] * E[m,j] * D[l,j] * C[k,j]",
        {"B": CSF4},
        "p[p[p[p[j] | j] | j]]",
        "reorder(i, k, l, m, j); precompute(B[i,k,l,m] * E[m,j] * D[l,j], over=j); "
        "precompute(B[i,k,l,m] * E[m,j], over=j, workspace=v)",
    ),
    "K33c MTTKRP of order five": Row(
        "A[i,j] = B[i,k,l,m,n] * F[n,j] * E[m,j] * D[l,j] * C[k,j]",
        {"B": it.CSF(5)},
        "p[p[p[p[p[j]]]]]",
        "reorder(i, k, l, m, n, j)",
    ),
    "K34 three lists per level, the middle ones in blocks": Row(
        "A[i,j,k] = B[i,j,k] * C[i,j,k]",
        {"A": CSF, "B": CSF, "C": CSF},
        "while[j0[while[while]]]",
        "divide(j, j0, j1, 4)",
    ),
    "K35 the middle levels as one": Row(
        "A[i,j,k,l] = B[i,j,k,l] * C[i,j,k,l]", {"B": CSF4, "C": CSF4}, "while[while[while[while]]]", "fuse(j, k, f)"
    ),
    "K35 the middle levels as one, in blocks": Row(
        "A[i,j,k,l] = B[i,j,k,l] * C[i,j,k,l]",
        {"A": CSF4, "B": CSF4, "C": CSF4},
        "while[f0[while[while[while]]] | p[p[p]]]",
        "fuse(j, k, f); divide(f, f0, f1, 3)",
    ),
    "K40 rows in blocks": Row(SPMV, {"A": CSR}, "∥i0[i1[p]]", "split(i, i0, i1, 8); parallelize(i0)"),
    "K43 equal numbers of rows": Row(SPMV, {"A": DCSR}, "i0[p[p]]", "divide(i, i0, i1, 2)"),
    "K43 equal numbers of stored rows": Row(SPMV, {"A": DCSR}, "i0[p[p]]", "divide(i, i0, i1, 2, tensor=A)"),
    "K43 equal numbers of entries": Row(SPMV, {"A": DCSR}, "f0[p[p]]", "fuse(i, j, f); divide(f, f0, f1, 2, tensor=A)"),
    "K44 an intersection in blocks": Row(
        "y[i] = a[i] * b[i]", {"y": VECTOR, "a": VECTOR, "b": VECTOR}, "i0[while]", "split(i, i0, i1, 4)"
    ),
    "K44 an intersection in blocks of entries": Row(
        "y[i] = a[i] * b[i]", {"y": VECTOR, "a": VECTOR, "b": VECTOR}, "i0[while]", "split(i, i0, i1, 4, tensor=b)"
    ),
    "K45 a union in blocks": Row(
        "y[i] = a[i] + b[i]", {"y": VECTOR, "a": VECTOR, "b": VECTOR}, "i0[while | p | p]", "split(i, i0, i1, 4)"
    ),
    "K45 a union in blocks of entries": Row(
        "y[i] = a[i] + b[i]",
        {"y": VECTOR, "a": VECTOR, "b": VECTOR},
        "i0[while | p | p]",
        "split(i, i0, i1, 4, tensor=b)",
    ),
    "K46 sparse times dense in tiles": Row(
        PRODUCT,
        {"B": CSR},
        "∥i0[i1[k0[j[p]]]]",
        "reorder(i, k, j); split(i, i0, i1, 16); split(k, k0, k1, 8, tensor=B); "
        "reorder(i0, i1, k0, j, k1); parallelize(i0)",
    ),
    "K48 diagonals": Row(SPMV, {"A": DIA}, "p[i]"),
    "K49 slots": Row(SPMV, {"A": ELL}, "i[p]"),
    "K50 blocks": Row(SPMV, {"A": BLOCKS}, "io[p[ii[ji]]]"),
    "K51 dense tiles": Row(
        PRODUCT,
        {},
        "i0[j0[k0[i1[k1[j1]]]]]",
        "split(i, i0, i1, 4); split(j, j0, j1, 8); split(k, k0, k1, 4); "
        "reorder(i0, j0, k0, i1, k1, j1); unroll(i1, 4); vectorize(j1, 8)",
    ),
    "K51 dense tiles of known extents": Row(
        PRODUCT,
        {},
        "i0[j0[k0[i1[k1[j1]]]]]",
        "bound(i, 19); bound(j, 11); bound(k, 13); split(i, i0, i1, 4); split(j, j0, j1, 8); split(k, k0, k1, 4); "
        "reorder(i0, j0, k0, i1, k1, j1); unroll(i1, 4); vectorize(j1, 8)",
    ),
}


def nest(kernel):
    """The loops of a kernel, read from printed IR by its indentation."""
    inside: list[Any] = []
    around = [(-1, inside)]
    for line in kernel.ir("loop").splitlines():
        indent = len(line) - len(line.lstrip())
        if line[indent:].startswith("}") and " do {" not in line:
            while around[-1][0] >= indent:
                around.pop()
        if found := re.match(r" *loop\.(while|for %(\w+?)(?:_\d+)? )", line):
            parallel = "∥" if "parallel = " in line and "automatic" not in line else ""
            loops: list[Any] = []
            around[-1][1].append((parallel + (found[2] or "while"), loops))
            around.append((indent, loops))
    return written(inside)


def written(loops):
    return " | ".join(name + (f"[{written(inner)}]" if inner else "") for name, inner in loops)


def extents(statement):
    """The sizes of the index variables; one for all if a tensor is read with its indices exchanged."""
    ways = {(access.tensor, access.indices) for access in accesses(statement.expression)}
    return dict.fromkeys(SIZES, 9) if len(ways) > len({name for name, _ in ways}) else SIZES


@pytest.mark.one_in(8)
@pytest.mark.parametrize("title", KERNELS)
def test_kernel(title):
    row = KERNELS[title]
    statement = Case(row.statement, {}).statement()
    sizes = extents(statement)
    shapes = {access.tensor: [sizes[v] for v in access.plain_indices] for access in accesses(statement.expression)}
    schedule = it.schedule(row.schedule) if row.schedule else None
    kernel = it.compile(row.statement, formats=row.formats, schedule=schedule, num_threads=3)
    random = np.random.default_rng(len(title))
    for pattern in PATTERNS:
        made = {
            name: random_operand(tuple(shape), row.formats.get(name), np.arange(1.0, 9.0), pattern, random)
            for name, shape in shapes.items()
        }
        given = {name: operand for name, (operand, _) in made.items()}
        result = kernel(**given) if row.kind == "fused" else kernel.compute(kernel.assemble(**given), **given)
        if isinstance(result, it.Tensor):
            result.check()
            result = result.to_numpy()
        expected = evaluate_dense(statement, {name: dense for name, (_, dense) in made.items()})
        np.testing.assert_array_equal(result, expected)
    if "parallelize" not in row.schedule:
        # Without the windows in which merges are divided when nobody asks for it.
        kernel = it.compile(row.statement, formats=row.formats, schedule=schedule, num_threads=1)
    assert nest(kernel) == row.nest


def test_the_table_is_complete():
    numbers = {number for title in KERNELS for number in re.findall(r"^K\d+", title)}
    assert numbers == {f"K{number}" for number in range(1, 52)} - ELSEWHERE
