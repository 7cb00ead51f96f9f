"""What the help of a refused step says to do instead is accepted, wherever that is a step."""

import re
from typing import Any

import numpy as np
import pytest
from advised_steps import ADVICE, advised, refused_step

import irtensor as it

VECTOR, MATRIX, PAIR = "y[i] = A[i,j] * x[j]", "C[i,k] = A[i,j] * B[j,k]", "y[i] = A[i,j] * B[i,j]"
LARGEST = "y[j] = max(i, A[i,j] * x[i])"
SPARSE = MATRIX.replace("C", "S")
# Blocks that are all there, with lists of the rows in them.
BLOCKS = it.Format("(i, j) -> (i floordiv 2 : dense, j floordiv 3 : dense, i mod 2 : compressed, j mod 3 : dense)")
FORMATS = {
    "dense": None,
    "CSR": it.CSR,
    "DCSR": it.DCSR,
    "CSC": it.CSC,
    "COO": it.COO(2),
    "BCSR": it.BCSR(2, 2),
    "ELL": it.ELL,
    "blocks": BLOCKS,
}
# A statement, how A is stored, steps of which the last is refused, and in how many ways the help says what to do.
REFUSED = [
    (VECTOR, "CSR", "split(i, i0, i1, 4, tensor=A)", 2),
    (VECTOR, "CSC", "divide(i, i0, i1, 4, tensor=A)", 2),
    (VECTOR, "BCSR", "split(i, i0, i1, 4, tensor=A)", 2),
    (VECTOR, "ELL", "split(i, i0, i1, 4, tensor=A)", 1),
    (VECTOR, "blocks", "split(i, i0, i1, 4, tensor=A)", 1),
    (VECTOR, "blocks", "split(j, j0, j1, 4, tensor=A)", 1),
    (VECTOR, "CSR", "split(j, j0, j1, 4); reorder(j0, i, j1); fuse(i, j1, f); split(f, b, e, 8, tensor=A)", 1),
    (VECTOR, "DCSR", "split(i, i0, i1, 4); split(i0, i2, i3, 2, tensor=A)", 2),
    (VECTOR, "CSR", "fuse(i, j, f); split(f, b, e, 8, tensor=A); split(e, c, d, 2, tensor=x)", 1),
    (VECTOR, "CSR", "precompute(A[i,j] * x[j], over=j, reuse=True)", 1),
    (VECTOR, "CSC", "reorder(j, i); pos(i, ip, A); reorder(ip, j); split(ip, i0, i1, 4)", 2),
    (VECTOR, "CSR", "pos(i, ip, A)", 2),
    (VECTOR, "CSR", "reorder(j, i); pos(j, jp, A)", 2),
    (VECTOR, "DCSR", "split(i, i0, i1, 4); pos(i0, ip, A)", 2),
    (VECTOR, "DCSR", "split(i, i0, i1, 4); reorder(i1, i0); pos(i1, ip, A)", 2),
    (VECTOR, "CSR", "split(i, i0, i1, 4); reorder(i1, j, i0); pos(j, jp, A)", 2),
    (VECTOR, "CSR", "split(i, i0, i1, 4); reorder(j, i1, i0); pos(j, jp, A)", 2),
    (VECTOR, "CSR", "fuse(i, j, f); split(f, b, e, 4, tensor=A); reorder(e, b); pos(e, p, A)", 2),
    (VECTOR, "dense", "unroll(j)", 3),
    (VECTOR, "dense", "split(i, i0, i1, 100); unroll(i1)", 2),
    (VECTOR, "dense", "fuse(i, j, f); unroll(f)", 2),
    (VECTOR, "dense", "fuse(i, j, f); split(f, b, e, 100); unroll(e)", 2),
    (VECTOR, "CSR", "fuse(i, j, f); split(f, b, e, 100, tensor=A); unroll(e)", 2),
    ("y[i] = A[i,j] * A[j,i]", "CSR", "unroll(j, 4)", 1),
    # A merge has no count, whatever else is said of it.
    (PAIR, "CSR", "unroll(j)", 1),
    ("y[i] = A[i,j] + B[i,j]", "CSR", "unroll(j)", 3),
    ("S[i,j] = 2 * A[i,j]", "CSR", "fuse(i, j, f); split(f, b, e, 4, tensor=A); parallelize(b)", 1),
    ("S[i,j] = 2 * A[i,j]", "CSR", "fuse(i, j, f); divide(f, b, e, 4, tensor=A); parallelize(b)", 1),
    ("S[i,j] = 2 * A[i,j]", "COO", "fuse(i, j, f); split(f, b, e, 4, tensor=A); parallelize(b)", 1),
    ("L[i,j] = 2 * A[i,j]", "CSR", "fuse(i, j, f); split(f, b, e, 4, tensor=A); parallelize(b)", 1),
    ("L[i,j] = 2 * A[i,j]", "COO", "fuse(i, j, f); split(f, b, e, 4, tensor=A); parallelize(b)", 1),
    ("y[i] = sum(j, A[i,j] + x[j])", "CSR", "vectorize(j, 4)", 1),
    (VECTOR, "CSR", "vectorize(i, 4)", 2),
    (VECTOR, "BCSR", "vectorize(i, 4)", 2),
    (MATRIX, "CSR", "reorder(i, j, k); vectorize(i, 4)", 1),
    (VECTOR, "dense", "parallelize(i); vectorize(i, 4)", 2),
    (VECTOR, "dense", "split(i, i0, i1, 4); parallelize(i0); vectorize(i0, 4)", 1),
    (VECTOR, "dense", "precompute(A[i,j], over=j, workspace=w); vectorize(i, 4)", 2),
    (MATRIX, "dense", "reorder(i, k, j); precompute(A[i,j] * B[j,k], over=k, workspace=w); vectorize(i, 4)", 1),
    (VECTOR, "dense", "vectorize(j, 3)", 1),
    (VECTOR, "dense", "vectorize(j, 128)", 1),
    # Later passes would refuse other loops as well.
    (LARGEST, "CSR", "reorder(i, j); vectorize(i, 4)", 1),
    (LARGEST, "CSR", "reorder(i, j); bound(j, 8); vectorize(i, 4)", 1),
    (LARGEST, "blocks", "reorder(i, j); vectorize(i, 4)", 1),
    (VECTOR, "CSR", "merge(j, gallop)", 2),
    (MATRIX, "dense", "fuse(i, j, f)", 2),
    (MATRIX, "CSR", "fuse(i, j, f)", 2),
    (MATRIX, "dense", "split(i, i0, i1, 4); fuse(i0, k, f)", 1),
    (VECTOR, "dense", "split(i, i0, i1, 4); parallelize(i0); fuse(i0, i1, f)", 1),
    (VECTOR, "CSR", "fuse(i, j, f); split(f, b, e, 8, tensor=A); fuse(b, e, g)", 1),
    (VECTOR, "CSR", "split(j, j0, j1, 4, tensor=A); reorder(j1, j0, i)", 1),
    (VECTOR, "dense", "assemble(y, append)", 1),
    (VECTOR, "dense", "parallelize(j)", 3),
    (VECTOR, "CSR", "fuse(i, j, f); split(f, b, e, 8, tensor=A); parallelize(b)", 3),
    (VECTOR, "CSR", "split(j, j0, j1, 4); reorder(j1, j0); parallelize(j1)", 3),
    (VECTOR, "COO", "parallelize(i)", 2),
    ("C[i,k] = A[i,k]", "COO", "parallelize(i)", 2),
    (SPARSE, "CSR", "reorder(j, i, k); parallelize(j)", 1),
    (SPARSE, "CSR", "parallelize(j, temporary)", 1),
    ("S[k] = A[i,k]", "CSR", "parallelize(i)", 0),
]


def _prepare(statement: str, format: str, schedule):
    """What refuses a schedule; None if nothing does."""
    formats: dict[str, Any] = {} if FORMATS[format] is None else {"A": FORMATS[format]}
    if "B[i,j]" in statement:
        formats["B"] = FORMATS[format]
    if statement.startswith("L"):
        formats["L"] = it.COO(2)
    if statement.startswith("S"):
        formats["S"] = it.CSR if "," in statement.split("=")[0] else "compressed"
    kernel = it.compile(statement, formats=formats, schedule=schedule)
    A = np.eye(8)
    given = {"x": np.ones(8)} if "x[" in statement else {"B": np.ones((8, 8))} if "B[" in statement else {}
    try:
        kernel(A=A if FORMATS[format] is None else it.Tensor.from_numpy(A, FORMATS[format]), **given)
    except it.UserError as error:
        return error
    return None


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("statement", "format", "steps", "ways"), REFUSED)
def test_advice_is_accepted(statement: str, format: str, steps: str, ways: int):
    schedule = it.schedule(steps)
    refused = _prepare(statement, format, schedule)
    assert refused is not None and refused_step(refused) == len(schedule.steps), refused
    found = list(advised(schedule, refused))
    assert len(found) == ways, (refused, found)
    for said, instead in found:
        again = _prepare(statement, format, instead)
        assert again is None, f"{refused}\n{said}: {instead}\n{again}"


def test_all_kinds_of_advice_are_taken():
    errors = [_prepare(statement, format, it.schedule(steps)) for statement, format, steps, _ in REFUSED]
    texts = [error.help for error in errors if error is not None and error.help is not None]
    assert [pattern for pattern, _ in ADVICE if not any(re.search(pattern, text) for text in texts)] == []


def test_what_later_passes_refuse_has_the_number_of_the_step():
    schedule = it.schedule("bound(i, 8); split(i, i0, i1, 2); unroll(j, 2); parallelize(i0)")
    refused = _prepare("y[i] = A[i,j] * A[j,i]", "CSR", schedule)
    assert refused is not None and refused.slug == "illegal-unroll" and refused_step(refused) == 3
