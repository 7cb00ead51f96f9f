"""Workspaces over the entries of a block have a place for each of them, by its number: neither sets nor hash tables."""

import numpy as np
import pytest
from whole_statements import Case, steps_of

import irtensor as it

pytestmark = pytest.mark.usefixtures("small_parts")
SPMV, PART = "y[i] = A[i,j] * x[j]", "A[i,j] * x[j]"
PIECES = "fuse(i, j, f); pos(f, fp, A); split(fp, block, entry, 7)"
PIECES_OF_PIECES = "fuse(i, j, f); pos(f, fp, A); split(fp, block, f2, 7); split(f2, thread, entry, 3)"
ROWS = "pos(j, jp, A); split(jp, block, entry, 3)"
# Of blocks, of blocks in blocks in two orders, of parts, of parts of a row; the part that is computed
# first, and over what; then steps for the loops of either side.
SCHEDULES = (
    (SPMV, f"{PIECES}; precompute({PART}, over=entry)"),
    (SPMV, f"{PIECES}; precompute(A[i,j], over=entry, producer=p); unroll(p, 7); parallelize(block, temporary)"),
    (SPMV, f"{PIECES_OF_PIECES}; precompute({PART}, over=entry, producer=p); parallelize(block, atomics)"),
    (SPMV, f"{PIECES_OF_PIECES}; precompute({PART}, over=entry, producer=p); parallelize(p); split(entry, a, b, 2)"),
    (SPMV, f"{PIECES_OF_PIECES}; reorder(thread, block, entry); precompute({PART}, over=entry); split(entry, a, b, 2)"),
    (SPMV, f"{PIECES}; precompute({PART}, over=entry, producer=p); split(p, a, b, 2); unroll(b, 2)"),
    (
        SPMV,
        f"fuse(i, j, f); divide(f, part, e, 3, tensor=A); precompute({PART}, over=e); parallelize(part, atomics)",
    ),
    (SPMV, f"{ROWS}; precompute(A[i,entry] * x[entry], over=entry, producer=p); parallelize(i, atomics)"),
    ("y[i] = A[i,j] * x[j] * z[i]", f"{PIECES}; precompute({PART}, over=entry, producer=p)"),
    ("s = A[i,j] * x[j]", f"{PIECES}; precompute({PART}, over=entry, producer=p); parallelize(block, temporary)"),
    ("C[i,j] = A[i,j] * x[j]", f"{PIECES}; precompute({PART}, over=entry, producer=p)"),
    ("C[i,j] = A[i,j] * x[j] + B[i,j]", f"{PIECES}; precompute({PART}, over=entry, producer=p)"),
    ("D[i,k] = A[i,j] * X[j,k]", f"reorder(i, j, k); {PIECES}; precompute(A[i,j] * X[j,k], over=(entry, k))"),
    ("D[i,k] = A[i,j] * X[j,k]", f"reorder(i, j, k); {PIECES}; precompute(A[i,j], over=entry, producer=p)"),
)
# What the rule is for: other operands that leave out entries, and values that are something else where A has none.
OTHERS = (
    ("C[i,j] = A[i,j] * B[i,j]", f"{PIECES}; precompute(A[i,j] * B[i,j], over=entry)"),
    ("C[i,j] = A[i,j] * v[j]", f"{PIECES}; precompute(A[i,j] * v[j], over=entry)"),
    ("y[i] max= A[i,j] * x[j]", f"{PIECES}; precompute({PART}, over=entry)"),
    ("C[i,j] = (A[i,j] + B[i,j]) * x[j]", f"{PIECES}; precompute(A[i,j] + B[i,j], over=entry)"),
)


def operands(statement, size, matrix):
    random = np.random.default_rng(size)
    shapes = {"A": (size, 5), "B": (size, 5), "X": (5, 3), "x": (5,), "v": (5,), "z": (size,)}
    kinds = {"A": matrix, "B": it.CSR, "v": it.Format("compressed")}
    made = {}
    for name, shape in shapes.items():
        if f"{name}[" in statement.partition("=")[2]:
            array = random.integers(-3, 4, shape).astype(float) * (random.random(shape) < 0.6)
            made[name] = it.Tensor.from_numpy(array, kinds[name]) if name in kinds else array
    return made


def stored(result):
    """The arrays of a sparse result, or the elements of a dense one."""
    if isinstance(result, it.Tensor):
        return [result.to_numpy(), result.to_scipy().tocsr().indices]
    return [result]


@pytest.mark.one_in(32)
@pytest.mark.parametrize("options", [{"num_threads": 1}, {"num_threads": 2}, {"target": "cuda-emulated"}], ids=str)
@pytest.mark.parametrize("matrix", [it.CSR, it.DCSR, it.COO(2)], ids=str)
@pytest.mark.parametrize(("statement", "steps"), [*SCHEDULES, *OTHERS])
def test_results_stay(statement, steps, matrix, options):
    for result in (None, it.CSR) if statement.startswith("C") else (None,):
        formats = {} if result is None else {"C": result}
        for size in (0, 1, 4, 9):
            given = operands(statement, size, matrix)
            kinds = formats | {name: one.format for name, one in given.items() if isinstance(one, it.Tensor)}
            plain = it.compile(statement, kinds)(**given)
            found = it.compile(statement, kinds, schedule=it.schedule(steps), **options)(**given)
            for one, other in zip(stored(plain), stored(found), strict=True):
                np.testing.assert_array_equal(one, other, err_msg=f"{result} {size}")


@pytest.mark.parametrize(("statement", "steps"), SCHEDULES)
def test_there_are_no_sets_and_maps(statement, steps):
    formats = {name: it.CSR for name in "AB" if f"{name}[" in statement}
    loops = it.compile(statement, formats, schedule=it.schedule(steps)).ir("loop")
    assert "index_map" not in loops and "index_set" not in loops


def test_other_values_keep_a_set_of_what_is_stored():
    formats = {"A": it.CSR, "B": it.CSR, "C": it.CSR, "v": it.Format("compressed")}
    for statement, steps in OTHERS:
        used = {name: format for name, format in formats.items() if f"{name}[" in statement}
        assert "index_map" in it.compile(statement, used, schedule=it.schedule(steps)).ir("loop"), statement


@pytest.mark.parametrize("pieces", [PIECES, PIECES_OF_PIECES])
def test_steps(pieces):
    """A place by number takes a fifth less than one that is looked up, whose coordinates are sorted and searched: more
    in large pieces, whose ends are searched for seldom."""
    case = Case.of(SPMV, "A csr")
    arrays, steps = case.arrays(), []
    for format in ("", ", format='hashed, hashed'"):
        schedule = it.schedule(f"{pieces}; precompute({PART}, over=entry{format})")
        result, taken = steps_of(case.statement, case.formats, arrays, case.extents(), schedule)
        np.testing.assert_allclose(result, case.expected())
        steps.append(taken)
    assert steps[0] < 0.8 * steps[1]


def test_blocks_are_cut_in_another_order():
    """After a reorder, what inner ranges are computed from stands inside of loops that a cut goes around."""
    kernel = it.compile(
        SPMV,
        {"A": it.CSR},
        schedule=it.schedule(f"{PIECES_OF_PIECES}; reorder(thread, block, entry); split(entry, a, b, 2)"),
    )
    given = operands(SPMV, 9, it.CSR)
    plain = it.compile(SPMV, {"A": it.CSR})
    np.testing.assert_array_equal(kernel(**given), plain(**given))
