"""Workspaces over blocks, along them, over fused loops, in parallel loops and in each other: the result stays."""

from itertools import product

import numpy as np
import pytest

import irtensor as it
from irtensor.errors import UserError

pytestmark = pytest.mark.usefixtures("small_parts")
VECTORS, MATRICES = (None, "compressed"), (None, it.CSR, it.DCSR, it.COO(2))
# None, a part of a block, whole blocks, and a part more.
SIZES = (0, 3, 13, 16)
CUT = "split(i, i0, i1, 8)"
PIECES = "fuse(i, j, f); split(f, block, entry, 4, tensor=A)"
# Statement, formats of its operands, what NumPy makes of it, schedules. Numbers are small and whole, so that sums are
# the same in any order.
STATEMENTS = {
    "dot": (
        "y = x[i] * x[i]",
        {"x": VECTORS},
        lambda x: x @ x,
        (
            f"{CUT}; precompute(x[i1] * x[i1], over=i0)",
            f"{CUT}; precompute(x[i1] * x[i1], over=i1)",
            f"{CUT}; precompute(x[i1] * x[i1], over=(i0, i1))",
            f"{CUT}; precompute(x[i1] * x[i1])",
            "divide(i, i0, i1, 3); precompute(x[i1] * x[i1], over=i0)",
            "split(i, i0, i1, 3, tensor=x); precompute(x[i1] * x[i1], over=i0)",
            f"{CUT}; split(i0, a, b, 2); precompute(x[i1] * x[i1], over=b)",
            f"{CUT}; reorder(i1, i0); precompute(x[i] * x[i], over=i1, producer=p); parallelize(p)",
            f"{CUT}; reorder(i1, i0); precompute(x[i] * x[i], over=i0)",
            f"{CUT}; reorder(i1, i0); precompute(x[i] * x[i], over=(i0, i1), producer=(b, p)); unroll(p, 8)",
            f"{CUT}; reorder(i1, i0); precompute(x[i] * x[i], over=i)",
            f"{CUT}; split(i1, a, b, 2); precompute(x[b] * x[b], over=a)",
            f"{CUT}; split(i1, a, b, 2); precompute(x[b] * x[b], over=(i0, a))",
            f"{CUT}; precompute(x[i1] * x[i1], over=i0, producer=p); split(p, q, r, 2); parallelize(q)",
            f"{CUT}; precompute(x[i1] * x[i1], over=i0, producer=p, workspace=w); split(i0, q, r, 2); "
            "precompute(w[r], over=q)",
            f"{CUT}; precompute(x[i1] * x[i1], over=i0); parallelize(i0, temporary)",
            f"{CUT}; parallelize(i0, atomics); precompute(x[i1] * x[i1], over=i0)",
        ),
    ),
    "squares": (
        "y[i] = x[i] * x[i] + 1.0",
        {"x": VECTORS},
        lambda x: x * x + 1,
        (
            "split(i, i0, i1, 1); precompute(x[i1] * x[i1], over=i0, producer=p); parallelize(p); parallelize(i0)",
            f"{CUT}; precompute(x[i1] * x[i1], over=i1); parallelize(i0)",
            f"{CUT}; parallelize(i0); precompute(x[i1] * x[i1], over=i1)",
            f"{CUT}; parallelize(i1); precompute(x[i1] * x[i1], over=i1, producer=p, format=dense)",
            f"{CUT}; precompute(x[i1] * x[i1], over=i1, producer=p); parallelize(i0); unroll(p, 4)",
            f"{CUT}; precompute(x[i1] * x[i1], over=i1, reuse=True, producer=p)",
            f"{CUT}; precompute(x[i1] * x[i1], over=i1, workspace=w, producer=p); "
            "precompute(w[i1] + 1.0, over=i1, producer=q); parallelize(i0)",
            f"{CUT}; precompute(x[i1] * x[i1], over=i1, producer=p, format=dense); "
            "precompute(x[p], over=p, producer=q, format=dense); parallelize(i0); unroll(p, 2)",
            f"{CUT}; precompute(x[i1] * x[i1], over=i1, workspace=w, producer=p, format=dense); split(i1, a, b, 3); "
            "precompute(w[b], over=b); split(p, c, d, 2); parallelize(c)",
            f"{CUT}; precompute(x[i1] * x[i1], over=(i1, i0), producer=(p, q), format='dense, dense'); parallelize(q)",
            "divide(i, i0, i1, 3); divide(i1, a, b, 2); precompute(x[b] * x[b], over=b); parallelize(i0)",
            f"{CUT}; split(i1, a, b, 3); precompute(x[b] * x[b], over=(a, b), producer=(o, p)); parallelize(i0)",
            f"{CUT}; reorder(i1, i0); precompute(x[i] * x[i], over=(i1, i0), producer=(p, b)); parallelize(p)",
            f"{CUT}; reorder(i1, i0); precompute(x[i] * x[i], over=i)",
            "precompute(x[i] * x[i], over=i, producer=p, format=dense); split(p, p0, p1, 3); split(i, i0, i1, 5); "
            "parallelize(p0); parallelize(i0)",
        ),
    ),
    "one side": (
        "y[i] = b[i] * (c[i] * 2.0)",
        {"b": ("compressed",), "c": VECTORS},
        lambda b, c: 2 * b * c,
        (
            "precompute(c[i] * 2.0, over=i); split(i, i0, i1, 3, tensor=b)",
            "precompute(c[i] * 2.0, over=i, producer=p); split(i, i0, i1, 3, tensor=b); parallelize(i0)",
            "precompute(b[i], over=i, producer=p); divide(p, p0, p1, 2, tensor=b); split(i, i0, i1, 5)",
        ),
    ),
    "rows": (
        "y[i] = A[i,j] * x[j]",
        {"A": MATRICES, "x": VECTORS},
        lambda A, x: A @ x,
        (
            "split(j, j0, j1, 4); precompute(A[i,j1] * x[j1], over=j0)",
            "split(j, j0, j1, 4); reorder(j0, i); precompute(A[i,j1] * x[j1], over=(j0, i))",
            "split(j, j0, j1, 2, tensor=A); precompute(A[i,j1] * x[j1], over=j0)",
            "split(j, j0, j1, 4); reorder(i, j1, j0); precompute(A[i,j] * x[j], over=j1)",
            "split(j, b, e, 2, tensor=A); reorder(i, e, b); precompute(A[i,e_at] * x[e_at], over=(b, e))",
            "split(i, i0, i1, 4); precompute(A[i1,j] * x[j], over=j); parallelize(i0)",
            "split(i, i0, i1, 4); precompute(A[i1,j] * x[j], over=i1); parallelize(i0)",
            "split(i, i0, i1, 4); parallelize(i0); precompute(A[i1,j] * x[j])",
            "split(i, i0, i1, 4); precompute(A[i1,j] * x[j], over=(i0, i1))",
            f"{PIECES}; precompute(A[i,j] * x[j], over=entry)",
            f"{PIECES}; precompute(A[i,j] * x[j], over=(i, j)); parallelize(block, temporary)",
            f"{PIECES}; parallelize(block, atomics); precompute(A[i,j] * x[j], over=entry, producer=e)",
            f"{PIECES}; precompute(A[i,j] * x[j], over=(block, i, j))",
            f"{PIECES}; precompute(A[i,j] * x[j], over=(block, i))",
            f"{PIECES}; precompute(A[i,j] * x[j], over=i); parallelize(block, atomics)",
            f"{PIECES}; precompute(A[i,j] * x[j]); parallelize(block, atomics)",
            f"{PIECES}; split(entry, b2, e2, 2, tensor=A); precompute(A[i,j] * x[j], over=e2)",
            "fuse(i, j, f); split(f, block, entry, 5); precompute(A[i,j] * x[j], over=(block, i), producer=(b, p), "
            "format='dense, dense'); parallelize(b); parallelize(block, atomics)",
            "fuse(i, j, f); precompute(A[i,j] * x[j], over=f, producer=g); split(g, block, entry, 4, tensor=A)",
            "fuse(i, j, f); precompute(A[i,j] * x[j], over=i); split(f, block, entry, 4, tensor=A)",
        ),
    ),
    "all": (
        "y = A[i,j]",
        {"A": MATRICES},
        lambda A: A.sum(),
        (
            f"{PIECES}; precompute(A[i,j], over=block); parallelize(block, temporary)",
            f"{PIECES}; split(entry, b2, e2, 2, tensor=A); precompute(A[i,j], over=(block, b2))",
            "fuse(i, j, f); split(f, block, entry, 5); precompute(A[i,j], over=block)",
            "split(i, i0, i1, 4); split(j, j0, j1, 3); reorder(i0, j0, i1, j1); precompute(A[i1,j1], over=(i0, j0))",
            "split(j, j0, j1, 3); reorder(j0, i); precompute(A[i,j1], over=j0, producer=p); parallelize(p)",
        ),
    ),
    "product": (
        "C[i,j] = A[i,k] * B[k,j]",
        {"A": MATRICES[:3], "B": MATRICES},
        lambda A, B: A @ B,
        (
            # Loops that both sides need go outside of those that the workspace has dimensions for.
            "precompute(B[k,j], over=j)",
            "reorder(k, i, j); precompute(A[i,k], over=k)",
            "split(k, k0, k1, 2); precompute(A[i,k1], over=i)",
            "reorder(i, k, j); split(j, j0, j1, 4); precompute(A[i,k] * B[k,j1], over=(j0, j1)); parallelize(i)",
            "reorder(i, k, j); split(j, j0, j1, 4); reorder(j0, i); precompute(A[i,k] * B[k,j1], over=j1)",
            "split(i, i0, i1, 4); reorder(i0, i1, k, j); precompute(A[i1,k] * B[k,j], over=j, producer=p); "
            "parallelize(i0); unroll(p, 2)",
            "split(k, k0, k1, 3); reorder(i, k0, k1, j); precompute(A[i,k1] * B[k1,j], over=(k0, j)); parallelize(i)",
            "split(i, i0, i1, 4); reorder(i0, k, i1, j); precompute(B[k,j], over=j); parallelize(i0)",
        ),
    ),
    "temporary": (
        "y[i] = b[i] - sum(j, A[i,j] * x[j])",
        {"A": MATRICES, "x": VECTORS, "b": VECTORS},
        lambda A, x, b: b - A @ x,
        (
            "precompute(A[i,j] * x[j], over=i)",
            "precompute(A[i,j] * x[j], over=(i, j), producer=(p, q))",
            "split(j, j0, j1, 4); precompute(A[i,j1] * x[j1], over=(i, j0))",
            "split(i, i0, i1, 4); precompute(sum(j, A[i1,j] * x[j]), over=i1); parallelize(i0)",
            "split(i, i0, i1, 4); precompute(A[i1,j] * x[j], over=i1, producer=p); parallelize(i0)",
        ),
    ),
    # A temporary lies between the loop that the workspace has a dimension for and the one that stays around it.
    "in a sum": (
        "y[i] = (sum(j, A[i,j] * (B[i,j] * x[j]))) ** 2",
        {"A": MATRICES[:2], "B": MATRICES, "x": VECTORS},
        lambda A, B, x: ((A * B) @ x) ** 2,
        (
            "precompute(B[i,j] * x[j], over=i)",
            "precompute(B[i,j] * x[j], over=i, producer=p, format=dense); split(p, p0, p1, 3)",
            "precompute(B[i,j] * x[j], over=i, format=dense); parallelize(j, atomics)",
            "split(i, i0, i1, 4); precompute(B[i1,j] * x[j], over=i1); parallelize(i0)",
            "split(j, j0, j1, 4); precompute(B[i,j1] * x[j1], over=i)",
        ),
    ),
    "in sums of sums": (
        "y[i] = (sum(j, A[i,j] * (sum(k, B[j,k] * (A[k,j] * B[i,j]))) ** 2)) ** 2",
        {"A": MATRICES[:2], "B": MATRICES[:2]},
        lambda A, B: (A * (np.einsum("jk,kj,ij->ij", B, A, B) ** 2)).sum(1) ** 2,
        (
            "precompute(A[k,j] * B[i,j], over=i)",
            "precompute(A[k,j] * B[i,j], over=j)",
            "precompute(A[k,j] * B[i,j], over=(i, j), producer=(p, q)); reorder(q, p)",
        ),
    ),
}
CASES = [(name, steps) for name, (*_, schedules) in STATEMENTS.items() for steps in schedules]
# Steps by entries of operands that have every coordinate, and maps that a kernel for a GPU would make room for.
REFUSED = {"illegal-split", "cuda-memory"}


def operands_of(formats, size, seed):
    random = np.random.default_rng(seed)
    plain = {}
    for name in formats:
        shape = (size,) * (2 if name.isupper() else 1)
        plain[name] = np.where(random.random(shape) < 0.5, random.integers(1, 4, shape), 0).astype(float)
    stored = {
        name: array if formats[name] is None else it.Tensor.from_numpy(array, formats[name])
        for name, array in plain.items()
    }
    return plain, stored


def check(name, steps, formats, sizes, **options):
    statement, _, expected, _ = STATEMENTS[name]
    given = {key: format for key, format in formats.items() if format is not None}
    kernel = it.compile(statement, given, schedule=it.schedule(steps), disk_cache=False, **options)
    for seed, size in enumerate(sizes):
        plain, stored = operands_of(formats, size, seed)
        try:
            found = kernel(**stored)
        except UserError as error:
            if error.slug not in REFUSED:
                raise
            return False
        np.testing.assert_array_equal(found, expected(**plain), err_msg=f"{steps}, {formats}, {size}")
    return True


def formats_of(name):
    pools = STATEMENTS[name][1]
    return [dict(zip(pools, formats, strict=True)) for formats in product(*pools.values())]


@pytest.mark.one_in(64)
@pytest.mark.parametrize(("name", "steps"), CASES)
@pytest.mark.parametrize("threads", [1, 2])
def test_results_stay(name, steps, threads):
    assert any([check(name, steps, formats, SIZES, num_threads=threads) for formats in formats_of(name)])


@pytest.mark.one_in(24)
@pytest.mark.parametrize(("name", "steps"), CASES)
def test_emulated(name, steps):
    for formats in formats_of(name)[-2:]:
        check(name, steps, formats, (13,), target="cuda-emulated")


def test_rows_that_blocks_share_are_a_race():
    """A block may end within a row, which the consumer of a workspace over rows then stores into for both blocks."""
    formats = {"A": it.CSR, "x": None}
    shared = f"{PIECES}; precompute(A[i,j] * x[j], over=i); parallelize(block"
    assert check("rows", f"{shared}, atomics)", formats, SIZES, num_threads=2)
    with pytest.raises(UserError, match="block does not index 'y'"):
        it.compile("y[i] = A[i,j] * x[j]", {"A": it.CSR}, schedule=it.schedule(f"{shared})"))(A=np.eye(3), x=np.ones(3))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("format", [None, it.CSR, it.COO(2), it.DCSR], ids=str)
def test_parts_without_coordinates_have_a_component(format):
    """7 coordinates in 5 parts are 4 parts of 2 at the most: the last one is empty, and is read as the others are."""
    generator = np.random.default_rng(0)
    a = np.where(generator.random((6, 7)) < 0.5, generator.integers(1, 5, (6, 7)), 0).astype(float)
    x = generator.integers(1, 5, 7).astype(float)
    for parts in (2, 3, 5, 6, 9):
        for over in ("(i, p)", "(p, i)"):
            schedule = it.schedule(f"divide(j, p, b, {parts}); precompute(A[i,b] * x[b], over={over})")
            formats = {} if format is None else {"A": format}
            kernel = it.compile("y[i] = A[i,j] * x[j]", formats=formats, schedule=schedule, num_threads=1)
            np.testing.assert_array_equal(kernel(A=a, x=x), a @ x)


BLOCKS = "(i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense)"
JI = "(i, j) -> (j : compressed, i : compressed)"
CUBE = "(i, j, k) -> (k : compressed, j : compressed, i : compressed)"
STORED_BY = {
    "i": "i : compressed, j : compressed, k : compressed",
    "j": "j : compressed, i : compressed, k : compressed",
}


@pytest.mark.filterwarnings("ignore::irtensor.DenseResultWarning")
@pytest.mark.parametrize("parts", [1, 2, 3])
def test_windows_of_entries_in_rows_of_blocks(parts):
    """The row's number is put together from block and place inside of the loops whose windows are found in the row."""
    generator = np.random.default_rng(parts)
    b, c = (generator.integers(1, 9, (5, 7)) * (generator.random((5, 7)) < 0.4) * 1.0 for _ in range(2))
    steps = f"assemble(A, insert); divide(j, ja, jb, {parts}, tensor=C); precompute(C[i, jb], over=jb, workspace=w)"
    formats = {"A": BLOCKS, "B": BLOCKS, "C": it.CSR}
    kernel = it.compile("A[i,j] = B[i,j] + C[i,j]", formats, schedule=it.schedule(steps))
    operands = {"B": it.Tensor.from_numpy(b, BLOCKS), "C": it.Tensor.from_numpy(c, it.CSR)}
    np.testing.assert_array_equal(kernel(**operands).to_numpy(), b + c)


@pytest.mark.parametrize(
    ("first", "result"), [("i", CUBE), ("j", CUBE), ("i", "(i, j, k) -> (k : compressed, j : padded, i : bitmap)")]
)
def test_absent_parts_stay_absent_in_a_workspace(first, result):
    """A result that is gathered in another order has the entries of the statement without a workspace."""
    generator = np.random.default_rng(3)
    b = generator.integers(1, 9, (6, 5, 7)) * (generator.random((6, 5, 7)) < 0.1) * 1.0
    c = generator.integers(1, 9, (6, 5)) * (generator.random((6, 5)) < 0.2) * 1.0
    formats = {"B": f"(i, j, k) -> ({STORED_BY[first]})", "C": JI, "T": result}
    operands = {"B": it.Tensor.from_numpy(b, formats["B"]), "C": it.Tensor.from_numpy(c, JI)}
    schedule = it.schedule("precompute(sqrt(C[i,j]), workspace=w)")
    found = it.compile("T[i,j,k] = B[i,j,k] + sqrt(C[i,j])", formats, schedule=schedule)(**operands)
    np.testing.assert_allclose(found.to_numpy(), b + np.sqrt(c)[:, :, None])
    assert found.nnz == np.count_nonzero((b != 0) | (c != 0)[:, :, None])


@pytest.mark.parametrize("format", ["hashed", "bitmap", None])
def test_an_absent_number_leaves_the_rows_of_a_workspace_as_they_are(format):
    generator = np.random.default_rng(0)
    b, c = generator.random((6, 5, 7)) < 0.9, generator.random((6, 5)) < 0.2
    cube = "(i, j, k) -> (i : compressed, j : compressed, k : compressed)"
    formats = {"B": f"{cube}, fill = true", "C": JI, "T": cube}
    schedule = it.schedule().precompute("B[i,j,k]", over="k", workspace="w", format=format)
    kernel = it.compile("T[i,j,k] = ~(B[i,j,k] == C[i,j])", formats, schedule=schedule)
    found = kernel(B=it.Tensor.from_numpy(b, formats["B"]), C=it.Tensor.from_numpy(c, JI))
    np.testing.assert_array_equal(found.to_numpy(), ~(b == c[:, :, None]))
    assert found.nnz == np.count_nonzero(~b | c[:, :, None])


@pytest.mark.one_in(3)
@pytest.mark.parametrize("result", [it.CSR, it.CSC, BLOCKS, None], ids=str)
@pytest.mark.parametrize("inner", ["", ", format=dense", ', format="hashed"', ', format="bitmap"'])
@pytest.mark.parametrize("outer", ["hashed, dense", "hashed, hashed", "dense, hashed", "bitmap, bitmap"])
def test_a_hash_table_meets_another_workspace(outer, inner, result):
    """A loop goes along one of them, and looks the entries of the other up: neither has to be in order."""
    generator = np.random.default_rng(4)
    b, c, d = (generator.integers(1, 9, (6, 6)) * (generator.random((6, 6)) < 0.4) * 1.0 for _ in range(3))
    steps = f'precompute(B[i,j], over=(j, i), workspace=v, format="{outer}")'
    steps += f"; precompute(C[i,k] * D[k,j], over=j, workspace=w{inner})"
    formats = {"C": JI, "D": JI} | ({} if result is None else {"A": result})
    kernel = it.compile("A[i,j] = B[i,j] * sum(k, C[i,k] * D[k,j])", formats, schedule=it.schedule(steps))
    found = kernel(B=b, C=it.Tensor.from_numpy(c, JI), D=it.Tensor.from_numpy(d, JI))
    np.testing.assert_array_equal(found if result is None else found.to_numpy(), b * (c @ d))


@pytest.mark.parametrize("step", ["split", "divide"])
@pytest.mark.parametrize("fill", [-2.0, 0.0])
def test_rows_whose_entries_cut_a_loop_stay_around_it(fill, step):
    """A temporary gets no dimension for a loop that others take their ranges from."""
    generator = np.random.default_rng(2)
    b = np.where(generator.random((5, 6)) < 0.4, generator.integers(1, 5, (5, 6)) * 1.0, fill)
    c, d = (generator.integers(1, 9, shape) * (generator.random(shape) < 0.5) * 1.0 for shape in ((5, 4), (4, 6)))
    coo = f"(i, j) -> (i : compressed(nonunique), j : singleton), fill = {fill}"
    schedule = it.schedule(f"{step}(j, ja, jb, 2, tensor=B)")
    formats = {"A": it.CSC, "B": coo, "C": it.CSC, "D": it.CSC}
    kernel = it.compile("A[i,j] = B[i,j] * sum(k, C[i,k] * D[k,j])", formats, schedule=schedule)
    operands = {"B": it.Tensor.from_numpy(b, coo), "C": it.Tensor.from_numpy(c, it.CSC)}
    found = kernel(**operands, D=it.Tensor.from_numpy(d, it.CSC))
    np.testing.assert_array_equal(found.to_numpy(), b * (c @ d))


ROWS_OF_BLOCKS = "(i, j) -> (i : dense, j floordiv 3 : bitmap, j mod 3 : dense)"
SHAPES = ((5, 4), (4, 7), (5, 7))


@pytest.mark.parametrize(
    ("statement", "steps", "expected"),
    [
        (
            "A[i,j] = square(prod(k, B[i,k] - C[k,j]))",
            'precompute(C[k,j], over=(k, j), producer=(p, q), format="bitmap, bitmap"); pos(i, ip, B)',
            lambda b, c, d: np.prod(b[:, :, None] - c[None], axis=1) ** 2,
        ),
        (
            "A[i,j] = B[i,k] * C[k,j] * D[i,j]",
            "reorder(i, j, k); precompute(B[i,k] * C[k,j], workspace=v); precompute(C[k,j], over=(k, j))",
            lambda b, c, d: b @ c * d,
        ),
    ],
)
def test_a_workspace_is_as_wide_as_the_blocks_that_it_is_made_of(statement, steps, expected):
    """Nothing else says how many coordinates a dimension has: the loops' variables are put together."""
    generator = np.random.default_rng(5)
    b, c, d = (generator.integers(1, 4, shape) * (generator.random(shape) < 0.5) * 1.0 for shape in SHAPES)
    formats = {"B": "compressed, compressed", "C": ROWS_OF_BLOCKS}
    kernel = it.compile(statement, formats, schedule=it.schedule(steps))
    operands = {name: it.Tensor.from_numpy(array, formats[name]) for name, array in (("B", b), ("C", c))}
    found = kernel(**operands, **({"D": d} if "D" in statement else {}))
    np.testing.assert_array_equal(found, expected(b, c, d))


@pytest.mark.parametrize("later", ["", "; split(f, b, e, 3)", "; divide(f, b, e, 2); parallelize(b)"])
def test_fused_loops_go_outside_of_those_of_a_workspace(later):
    """They stay one nest, which later steps cut."""
    steps = f"reorder(j, i, k); fuse(i, k, f); precompute(A[i,j] * B[j,k], over=j, workspace=w){later}"
    kernel = it.compile("C[i,k] = A[i,j] * B[j,k]", schedule=it.schedule(steps))
    random = np.random.default_rng(2)
    for rows, inner, columns in ((4, 3, 5), (1, 1, 1), (3, 0, 2), (0, 2, 2)):
        A, B = (random.integers(-4, 5, shape).astype(float) for shape in ((rows, inner), (inner, columns)))
        np.testing.assert_array_equal(kernel(A=A, B=B), A @ B)
