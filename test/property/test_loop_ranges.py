"""Cutting loops into blocks, in any legal order, keeps what a kernel means: interpreted, and run natively."""

from itertools import permutations, product

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from reference.random_operands import PATTERNS
from reference.stepwise_kernel import COO, COO3, CSC, CSF, CSR, DCSR, VECTOR, Problem, chain, fused
from sampling import few_or_many

from irtensor.errors import UserError

# Notation, formats of its sparse operands, format of its result.
KERNELS = [
    ("y[i] = A[i,j] * x[j]", {"A": CSR}, None),
    ("y[i] = A[i,j] * x[j]", {"A": DCSR, "x": VECTOR}, VECTOR),
    ("y[i] = A[i,j] * x[j]", {"A": COO}, None),
    ("y[i] = A[i,j] * x[j] + b[i]", {"A": CSR, "b": VECTOR}, None),
    ("y[i] = A[j,i] * x[j]", {"A": CSC}, None),
    ("y[i] = a[i] * b[i]", {"a": VECTOR, "b": VECTOR}, VECTOR),
    ("y[i] = a[i] + b[i]", {"a": VECTOR, "b": VECTOR}, VECTOR),
    ("y[i] = a[i] + b[i]", {"a": VECTOR, "b": VECTOR}, None),
    ("y[i] = a[i] + b[i]", {"a": VECTOR}, None),
    ("s = A[i,j] * B[i,j]", {"A": CSR, "B": DCSR}, None),
    ("C[i,j] = A[i,j] + B[i,j]", {"A": CSR, "B": CSR}, CSR),
    ("C[i,j] = A[i,j] + B[i,j]", {"A": DCSR, "B": COO}, DCSR),
    ("C[i,j] = A[i,j] * B[i,k] * D[k,j]", {"A": CSR}, CSR),
    ("C[i,j] = A[i,k] * B[k,j]", {"A": CSR}, None),
    ("C[i,j] = A[i,k] * B[k,j]", {"A": CSR, "B": CSR}, None),
    ("C[i,j] = A[i,k] * B[k,j]", {}, None),
    ("C[i,j] = T[i,k,l] * B[k,j] * D[l,j]", {"T": CSF}, None),
    ("C[i,j] = T[i,j,k] * x[k]", {"T": CSF}, DCSR),
    ("U[i,j,k] = T[i,j,k] + S[i,j,k]", {"T": CSF, "S": COO3}, CSF),
    ("m max= A[i,j]", {"A": CSR}, None),
    ("C[i,j] = A[i,k] * B[k,j]", {"A": CSR, "B": CSR}, CSR),
    ("C[i,j] = A[i,k] * B[k,j]", {"A": DCSR, "B": DCSR}, DCSR),
]
ILLEGAL = ("loop-order-cycle", "output-needs-workspace", "illegal-reorder", "no-such-loops", "unordered-search")


@st.composite
def problems(draw):
    notation, formats, result = draw(st.sampled_from(KERNELS))
    extents = {index: draw(st.sampled_from([0, 1, 2, 3, 5, 7, 8])) for index in "ijkl"}
    pattern, seed = draw(st.sampled_from(sorted(PATTERNS))), draw(st.integers(0, 1000))
    return Problem(notation, formats, result, extents, pattern, seed)


def cut(draw, problem, number):
    """Cut a loop, or two that are fused first, by coordinates or by the entries of an operand."""
    loops = chain(problem.module)
    variable = draw(st.sampled_from([*sorted({*loops, *fused(problem.module)}), *fused(problem.module)]))
    names = {"outer": f"o{number}", "inner": f"n{number}"}
    if variable in loops[:-1] and draw(st.booleans()):
        inner = loops[loops.index(variable) + 1]
        try:
            problem.step("fuse", outer=variable, inner=inner, fused=f"f{number}")
            variable = f"f{number}"
        except UserError as error:
            if error.slug not in ("no-such-loops", "illegal-split"):
                raise
    tensor = draw(st.sampled_from([None, *problem.names]))
    count = draw(st.sampled_from([1, 2, 3, 4, 100]))
    try:
        if draw(st.booleans()):
            problem.step("split", variable=variable, **names, size=count, tensor=tensor)
        else:
            problem.step("divide", variable=variable, **names, parts=count, tensor=tensor)
    except UserError as error:
        if error.slug != "illegal-split":
            raise


@settings(
    max_examples=few_or_many(3, 100),
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
)
@given(st.data())
def test_cut_and_reordered_loops(data):
    problem = data.draw(problems())
    for number in range(data.draw(st.integers(1, 4))):
        cut(data.draw, problem, number)
    loops = chain(problem.module)
    try:
        if data.draw(st.booleans()) and len(set(loops)) == len(loops):
            problem.step("reorder", order=tuple(data.draw(st.permutations(loops))))
        problem.finish()
    except UserError as error:
        assume(error.slug not in ILLEGAL)
        raise


@pytest.mark.one_in(16)
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("size", [3])
def test_every_loop_is_split(kernel, size):
    notation, formats, result = kernel
    problem = Problem(notation, formats, result, {"i": 7, "j": 5, "k": 4, "l": 3}, "sparse", 1)
    for variable in dict.fromkeys(chain(problem.module)):
        problem.step("split", variable=variable, outer=f"{variable}0", inner=f"{variable}1", size=size)
    problem.finish()


# Statements with temporaries, loops to order, and what is computed before.
TEMPORARIES = [
    ("y[i] = b[i] - sum(j, A[i,j] * x[j])", {"A": CSR}, None, "ij", {}),
    ("y[i] = b[i] * max(j, A[i,j] * x[j])", {"A": DCSR, "x": VECTOR}, VECTOR, "ij", {}),
    ("C[i,j] = A[i,j] + sum(k, B[i,k] * D[k,j])", {"A": CSR, "B": CSR, "D": CSC}, CSR, "ijk", {}),
    (
        "C[i,j] = T[i,k,l] * D[l,j] * B[k,j]",
        {"T": CSF},
        None,
        "ikl",
        {"expression": "T[i,k,l] * D[l,j]", "variables": ("l",), "workspace": "w"},
    ),
]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("notation", "formats", "result", "names", "before"), TEMPORARIES, ids=str)
def test_loops_go_inside_of_temporaries(notation, formats, result, names, before):
    """Every order of the loops on the way to the innermost one, and then of two that may be on both sides."""
    legal = 0
    for order in permutations(names):
        problem = Problem(notation, formats, result, {"i": 3, "j": 2, "k": 4, "l": 2}, "sparse", 2)
        if before:
            problem.step("precompute", **before)
        try:
            problem.step("reorder", order=order)
            found = [name for name in chain(problem.module) if name in names]
            assert found[: len(order)] == [*order]
            problem.step("reorder", order=order[::-1][:2])
            problem.finish()
            legal += 1
        except UserError as error:
            if error.slug not in ILLEGAL:
                raise
    assert legal > 1


CUT = ("split", {"variable": "i", "outer": "i0", "inner": "i1", "size": 3})
COLUMNS = ("split", {"variable": "j", "outer": "j0", "inner": "j1", "size": 2})
PIECES = (
    ("fuse", {"outer": "i", "inner": "j", "fused": "f"}),
    ("split", {"variable": "f", "outer": "f0", "inner": "f1", "size": 3, "tensor": "A"}),
)
PRODUCT = "A[i,j] * x[j]"
# Steps before a part is computed first, the part, and over which variables.
WORKSPACES = [
    ("m = a[i] * a[i]", (CUT,), "a[i1] * a[i1]", (("i0",), ("i1",), ("i0", "i1"), ())),
    ("y[i] = a[i] * a[i]", (CUT,), "a[i1] * a[i1]", (("i1",), ("i0", "i1"), ("i1", "i0"))),
    ("y[i] = A[i,j] * x[j]", (COLUMNS,), "A[i,j1] * x[j1]", (("j0",), ("j1",), ("j0", "j1"))),
    (
        "y[i] = A[i,j] * x[j]",
        PIECES,
        PRODUCT,
        (("f1",), ("i",), ("j",), ("f0", "i"), ("f0", "f1"), ("j", "f0", "i"), ()),
    ),
]


@pytest.mark.one_in(48)
@pytest.mark.parametrize(
    ("notation", "before", "part", "over"),
    [(notation, before, part, over) for notation, before, part, choices in WORKSPACES for over in choices],
)
@pytest.mark.parametrize("formats", [{}, {"A": CSR}, {"A": DCSR, "a": VECTOR, "x": VECTOR}], ids=str)
def test_workspaces_of_blocks(notation, before, part, over, formats):
    """Over blocks, along them, and over loops that are fused; each pass behind keeps what is computed."""
    if "A" in notation and "A" not in formats and before is PIECES:
        before = (before[0], (before[1][0], {**before[1][1], "tensor": None}))
    for extents in (0, 2, 7, 9):
        problem = Problem(notation, formats, None, {"i": extents, "j": 5}, "sparse", 3)
        for name, options in before:
            problem.step(name, **options)
        problem.step("precompute", expression=part, variables=over, producer=tuple(f"p{name}" for name in over))
        problem.finish()


FUSED = [
    ("y[i] = A[i,j] * x[j]", CSR, ("i", "j")),
    ("y[i] = A[i,j] * x[j]", DCSR, ("i", "j")),
    ("y[i] = A[i,j] * x[j]", COO, ("i", "j")),
    ("s = T[i,j,k] * x[k]", CSF, ("i", "j", "k")),
    ("s = T[i,j,k] * x[k]", COO3, ("i", "j", "k")),
    ("s = T[i,j,k] * x[k]", "(i, j, k) -> (i : dense, j : dense, k : compressed)", ("i", "j", "k")),
    ("s = Q[i,j,k,l]", "(i, j, k, l) -> (i : compressed, j : dense, k : compressed, l : compressed)", tuple("ijkl")),
]


@pytest.mark.one_in(40)
@pytest.mark.parametrize("pattern", ["empty", "sparse", "full"])
@pytest.mark.parametrize(("notation", "format", "order"), FUSED, ids=str)
@pytest.mark.parametrize(("step", "options"), [("split", {"size": 4}), ("divide", {"parts": 3})])
def test_fused_loops_are_cut_by_entries(step, options, notation, format, order, pattern):
    tensor = next(name for name in "ATQ" if f"{name}[" in notation)
    # What is interpreted takes seconds where there are four loops.
    extents = {"i": 4, "j": 3, "k": 3 if "l" in order else 5, "l": 2}
    problem = Problem(notation, {tensor: format}, None, extents, pattern, 1)
    if [v for v in chain(problem.module) if v in order] != list(order):
        problem.step("reorder", order=order)
    outer = order[0]
    for inner in order[1:]:
        problem.step("fuse", outer=outer, inner=inner, fused=f"{outer}{inner}")
        outer += inner
    problem.step(step, variable=outer, outer="b", inner="c", tensor=tensor, **options)
    # Blocks of a block; of the two ways to cut, the other one.
    again, count = ("divide", {"parts": 3}) if step == "split" else ("split", {"size": 2})
    problem.step(again, variable="c", outer="d", inner="e", tensor=tensor, **count)
    problem.finish()


@pytest.mark.one_in(28)
@pytest.mark.parametrize("pattern", ["empty", "sparse"])
@pytest.mark.parametrize(("format", "tensor"), [(None, None), *product([CSR, DCSR, COO], [None, "A"])], ids=str)
@pytest.mark.parametrize("counts", [(5, 2, 2), few_or_many((20, 3, 2), (100, 7, 2))], ids=str)
def test_parts_of_parts(format, tensor, pattern, counts):
    """Fused loops are cut three times, by coordinates or by entries, into parts and blocks."""
    formats = {} if format is None else {"A": format}
    problem = Problem("y[i] = A[i,j] * x[j]", formats, None, {"i": 5, "j": 7}, pattern, 1)
    problem.step("fuse", outer="i", inner="j", fused="f0")
    for number, (step, count) in enumerate(zip(("divide", "split", "divide"), counts, strict=True)):
        size = {"size" if step == "split" else "parts": count}
        names = {"variable": f"f{number}", "outer": f"o{number}", "inner": f"f{number + 1}"}
        problem.step(step, **names, tensor=tensor, **size)
    problem.finish()


# Of one loop or two.
SPARSE_RESULTS = [kernel for kernel in KERNELS if kernel[2] in (VECTOR, CSR, DCSR) and "k]" not in kernel[0]]


@pytest.mark.one_in(16)
@pytest.mark.parametrize("tensor", [None, "first"])
@pytest.mark.parametrize(("notation", "formats", "result"), SPARSE_RESULTS, ids=str)
def test_blocks_of_blocks_in_all_orders(notation, formats, result, tensor):
    """What is appended to a result is in order, whichever of the loops over blocks of its coordinates is outside."""
    problem = Problem(notation, formats, result, dict.fromkeys("ij", 7), "full", 1)
    loops, tensor = chain(problem.module), tensor and problem.names[0]
    legal = 0
    for variable in loops:
        inside = [name for name in loops if name != variable]
        every = permutations(["o0", "o1", "n1", *inside])
        orders = [cut for cut in every if cut.index("o1") < cut.index("n1")]
        orders = [cut for cut in orders if [name for name in cut if name in inside] == inside]
        for cut in few_or_many(orders[::2], orders):
            problem = Problem(notation, formats, result, dict.fromkeys("ij", 7), "full", 1)
            try:
                problem.step("divide", variable=variable, outer="o0", inner="n0", parts=2, tensor=tensor)
                problem.step("divide", variable="n0", outer="o1", inner="n1", parts=2, tensor=tensor)
                problem.step("reorder", order=cut)
                problem.finish()
                legal += 1
            except UserError as error:
                if error.slug not in (*ILLEGAL, "illegal-split"):
                    raise
    assert legal or tensor


def test_fused_windows_are_cut_by_coordinates():
    for extents in ({"i": 5, "j": 7}, {"i": 0, "j": 3}, {"i": 2, "j": 0}):
        problem = Problem("y[i] = A[i,j] * x[j]", {"A": CSR}, None, extents, "sparse", 1)
        problem.step("split", variable="j", outer="j0", inner="j1", size=3)
        problem.step("reorder", order=("j0", "i", "j1"))
        problem.step("fuse", outer="i", inner="j1", fused="f")
        problem.step("split", variable="f", outer="f0", inner="f1", size=4)
        problem.step("divide", variable="f1", outer="f2", inner="f3", parts=3)
        problem.finish()


KNOWN_NESTS = [
    # Kjolstad 2020, figure 3-14: three lists per level, the middle ones in four blocks.
    ("U[i,j,k] = T[i,j,k] * S[i,j,k]", {"T": CSF, "S": CSF}, CSF, [("divide", "j", 4, None)], None),
    # Figure 1-13: rows in blocks for threads.
    ("y[i] = A[i,j] * x[j]", {"A": CSR}, None, [("split", "i", 32, None)], None),
    # Figures 3-13 and 5-7: an intersection in blocks of coordinates, and of one operand's entries.
    ("y[i] = a[i] * b[i]", {"a": VECTOR, "b": VECTOR}, VECTOR, [("split", "i", 4, None)], None),
    ("y[i] = a[i] * b[i]", {"a": VECTOR, "b": VECTOR}, VECTOR, [("split", "i", 4, "a")], None),
    # Section 5.2: a union; what only the other operand stores belongs to one block as well.
    ("y[i] = a[i] + b[i]", {"a": VECTOR, "b": VECTOR}, VECTOR, [("split", "i", 4, None)], None),
    ("y[i] = a[i] + b[i]", {"a": VECTOR, "b": VECTOR}, VECTOR, [("split", "i", 2, "a")], None),
    # Section 7.4: tiles of a sparse times a dense matrix, entries of a row eight at a time.
    (
        "C[i,j] = A[i,k] * B[k,j]",
        {"A": CSR},
        None,
        [("split", "i", 16, None), ("split", "k", 8, "A")],
        ("i0", "i1", "k0", "j", "k1"),
    ),
    (
        "C[i,j] = A[i,j] * B[i,k] * D[k,j]",
        {"A": CSR},
        None,
        [("split", "i", 16, None), ("split", "j", 8, "A")],
        None,
    ),
    # Dense is a special case of sparse.
    (
        "C[i,j] = A[i,k] * B[k,j]",
        {},
        None,
        [("split", "i", 4, None), ("split", "j", 4, None), ("split", "k", 4, None)],
        ("i0", "j0", "k0", "i1", "k1", "j1"),
    ),
]


@pytest.mark.one_in(8)
@pytest.mark.parametrize(("notation", "formats", "result", "cuts", "order"), KNOWN_NESTS, ids=str)
def test_known_nests(notation, formats, result, cuts, order):
    # Where all is stored, each step is interpreted at every coordinate.
    large = {"i": 19, "j": 11, "k": 13}
    extents = large if formats else few_or_many({"i": 9, "j": 7, "k": 5}, large)
    problem = Problem(notation, formats, result, extents, "sparse", 3)
    if order is not None and {"A": CSR} == formats:
        problem.step("reorder", order=("i", "k", "j"))
    for step, variable, count, tensor in cuts:
        size = {"size" if step == "split" else "parts": count}
        problem.step(step, variable=variable, outer=f"{variable}0", inner=f"{variable}1", tensor=tensor, **size)
    if order is not None:
        problem.step("reorder", order=order)
        assert chain(problem.module) == list(order)
    problem.finish()


def test_entries_within_a_block_of_coordinates():
    """A block of entries may reach beyond a block of coordinates: what is outside belongs to another iteration."""
    problem = Problem("y[i] = A[i,j] * x[j]", {"A": CSR}, None, {"i": 5, "j": 23}, "sparse", 2)
    problem.step("split", variable="j", outer="j0", inner="j1", size=7)
    problem.step("split", variable="j1", outer="j2", inner="j3", size=2, tensor="A")
    problem.finish()
