"""Levels of runs, read and written: all that kernels compute with them is what NumPy computes with arrays."""

from itertools import pairwise, product

import numpy as np
import pytest
from loops_of_kernel import iterations

import irtensor as it
from irtensor.storage.stored_tensor import StoredTensor

RUNS = ("run_list", "sparse_run_list")
ELEMENTWISE = {
    "A[i] * B[i]": lambda a, b: a * b,
    "A[i] + B[i]": lambda a, b: a + b,
    "max(A[i], B[i])": np.maximum,
    "A[i] * B[i] + A[i]": lambda a, b: a * b + a,
}


def stretched(rng, size, axis=-1):
    """Numbers that stay the same for a while, zeros among them."""
    lengths = rng.integers(1, 4, size + 1)
    return np.repeat(rng.integers(-2, 3, size + 1), lengths)[:size].astype(float)


def matrix(rng, rows=5, columns=7):
    return np.array([stretched(rng, columns) for _ in range(rows)]).reshape(rows, columns)


def tall(rng, inner, level, rows=9, columns=4):
    """A matrix with equal rows next to each other, as runs of rows: packing alone does not find such runs."""
    bounds = [0, *sorted(rng.choice(np.arange(1, rows), 3, replace=False)), rows]
    base = np.array([stretched(rng, columns) for _ in bounds[1:]])
    base[1] = 0
    kept = [k for k in range(len(base)) if level == "run_list" or base[k].any()]
    below = it.Tensor.from_numpy(base[kept], f"dense, {inner}")
    ends = [bounds[k + 1] for k in kept]
    outer = {"positions": [0, len(kept)], "coordinates": ends}
    if level == "sparse_run_list":
        outer = {"positions": [0, len(kept)], "begins": [bounds[k] for k in kept], "coordinates": ends}
    stored = it.Tensor.from_buffers(
        (rows, columns), f"{level}, {inner}", [outer, *[one.named() or None for one in below.levels[1:]]], below.values
    )
    return stored, np.repeat(base, np.diff(bounds), axis=0)


def checked(text, expected, formats=None, **operands):
    got = it.compile(text, formats or {})(**operands)
    if isinstance(got, StoredTensor):
        got.check()
        got = got.to_numpy()
    np.testing.assert_array_equal(got, expected, err_msg=f"{text}, {formats}, {operands}")
    return got


@pytest.mark.one_in(4)
@pytest.mark.parametrize("others", ["dense", "compressed", "bitmap", *RUNS])
@pytest.mark.parametrize("level", RUNS)
@pytest.mark.parametrize("text", ELEMENTWISE)
def test_products_of_vectors(text, level, others):
    rng, function = np.random.default_rng(1), ELEMENTWISE[text]
    for size, swapped in product(range(13), (False, True)):
        a, b = stretched(rng, size), stretched(rng, size)
        given = [it.Tensor.from_numpy(a, level), it.Tensor.from_numpy(b, others)]
        if swapped:
            a, b, given = b, a, given[::-1]
        operands = dict(zip("AB", given, strict=True))
        checked(f"s = sum(i, {text})", function(a, b).sum(), **operands)
        checked(f"c[i] = {text}", function(a, b), **operands)
        for result in ("compressed", *RUNS):
            checked(f"c[i] = {text}", function(a, b), {"c": result}, **operands)


STATEMENTS = {
    "y[i] = A[i,j] * x[j]": lambda A, B, x, z: A @ x,
    "y[j] = A[i,j]": lambda A, B, x, z: A.sum(0),
    "y[j] = A[i,j] * z[i]": lambda A, B, x, z: A.T @ z,
    "y[j] = max(i, A[i,j])": lambda A, B, x, z: A.max(0),
    "s = prod(i, j, A[i,j] + 2)": lambda A, B, x, z: (A + 2).prod(),
    "s = sum(i, j, A[i,j] + 1)": lambda A, B, x, z: (A + 1).sum(),
    "C[i,j] = A[i,j] * B[i,j] + B[i,j]": lambda A, B, x, z: A * B + B,
    "C[i,j] = floor(0.3 * A[i,j] + 0.7 * B[i,j])": lambda A, B, x, z: np.floor(0.3 * A + 0.7 * B),
    "C[j,i] = A[i,j]": lambda A, B, x, z: A.T,
    "C[i,k] = A[i,j] * B[k,j]": lambda A, B, x, z: A @ B.T,
    "C[i,j] = A[i,j] + z[i] * x[j]": lambda A, B, x, z: A + np.outer(z, x),
    "C[i,j] = where(A[i,j] > 0, x[j], 0)": lambda A, B, x, z: np.where(A > 0, x, 0),
}
FORMATS = [
    *("dense, {}", "compressed, {}", "{}, dense", "{}, {}", "{}, compressed"),
    *("(i, j) -> (j : dense, i : {})", "(i, j) -> (j : {}, i : compressed)"),
]


@pytest.mark.one_in(16)
@pytest.mark.filterwarnings("ignore::irtensor.DenseResultWarning")
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("other", ["csr", "dense, dense", "dense, run_list", "dense, sparse_run_list"])
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("level", RUNS)
@pytest.mark.parametrize("text", STATEMENTS)
def test_statements_of_matrices(text, level, format, other):
    rng = np.random.default_rng(2)
    results = ["dense, run_list", "dense, sparse_run_list", "csr", "compressed, run_list", "run_list, sparse_run_list"]
    a, b, x, z = matrix(rng), matrix(rng), stretched(rng, 7), stretched(rng, 5)
    given = {"A": it.Tensor.from_numpy(a, format.format(level, level)), "B": it.Tensor.from_numpy(b, other)}
    operands = {name: array for name, array in {**given, "x": x, "z": z}.items() if f"{name}[" in text}
    expected = STATEMENTS[text](a, b, x, z)
    for result in results if text[0] == "C" else [None]:
        outcomes = []
        for threads in (1, 2):
            kernel = it.compile(text, {"C": result} if result else {}, num_threads=threads)
            got = kernel(**operands)
            outcomes.append(got)
            if result:
                got.check()
                assert got.format == (it.CSR if result == "csr" else it.Format(result))
            array = got.to_numpy() if result else got
            np.testing.assert_array_equal(array, expected, err_msg=f"{text}, {format}, {other}, {result}, {threads}")
        if result:
            for one, two in zip(outcomes[0].buffers(), outcomes[1].buffers(), strict=True):
                np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("inner", ["dense", "compressed", *RUNS])
@pytest.mark.parametrize("level", RUNS)
def test_runs_of_rows(level, inner):
    rng = np.random.default_rng(3)
    for _ in range(4):
        stored, array = tall(rng, inner, level)
        np.testing.assert_array_equal(stored.to_numpy(), array)
        x = stretched(rng, 4)
        checked("y[j] = A[i,j]", array.sum(0), A=stored)
        checked("y[i] = A[i,j] * x[j]", array @ x, A=stored, x=x)
        checked("y[j] = min(i, A[i,j])", array.min(0), A=stored)
        checked("y[j] = A[i,j]", array.sum(0), {"y": "compressed"}, A=stored)
        for result in ("dense, dense", "csr", f"{level}, {inner}", "dense, run_list"):
            checked("C[i,j] = 2 * A[i,j]", 2 * array, {"C": result}, A=stored)


@pytest.mark.parametrize("steps", ["split", "reorder", "parallelize", "parts"])
@pytest.mark.parametrize("level", RUNS)
def test_schedules(level, steps):
    schedule = {
        "split": it.schedule().split("j", "j0", "j1", 3),
        "reorder": it.schedule().reorder("j", "i"),
        "parallelize": it.schedule().parallelize("i"),
        "parts": it.schedule().split("i", "i0", "i1", 2).split("j", "j0", "j1", 4),
    }[steps]
    rng = np.random.default_rng(4)
    a, b, x = matrix(rng), matrix(rng), stretched(rng, 7)
    stored = it.Tensor.from_numpy(a, f"dense, {level}")
    kernel = it.compile("y[i] = A[i,j] * x[j]", schedule=schedule, num_threads=2)
    np.testing.assert_array_equal(kernel(A=stored, x=x), a @ x)
    kernel = it.compile("y[i] = A[i,j] * B[i,j]", schedule=schedule, num_threads=2)
    np.testing.assert_array_equal(kernel(A=stored, B=it.Tensor.from_numpy(b, "csr")), (a * b).sum(1))
    np.testing.assert_array_equal(kernel(A=stored, B=it.Tensor.from_numpy(b, f"dense, {level}")), (a * b).sum(1))


@pytest.mark.parametrize("level", RUNS)
def test_reductions_of_runs(level):
    """Each kind of repetition: multiples, powers, once, parity, and squaring, also of a declared operator."""
    rng = np.random.default_rng(5)
    for size in (0, 1, 2, 7, 12):
        runs = np.repeat(rng.integers(-3, 4, size), rng.integers(1, 6, size)).astype(np.int8)
        stored = it.Tensor.from_numpy(runs, level)
        for name, function in (("sum", np.add), ("prod", np.multiply), ("xor", np.bitwise_xor), ("or", np.bitwise_or)):
            got = it.compile(f"s = {name}(i, A[i])")(A=stored)
            assert got == function.reduce(runs, dtype=got.dtype), (name, runs)
        complex_runs = runs * (1 + 2j)
        got = it.compile("s = sum(i, A[i])")(A=it.Tensor.from_numpy(complex_runs, level))
        assert got == complex_runs.sum()


def test_a_declared_operator_by_squaring():
    circle = it.operator("circle", lambda a, b: a + b + a * b, associative=True, identity=0)
    runs = np.repeat([0.5, 0.0, 0.25], [5, 3, 2])
    for level in RUNS:
        got = it.compile("s = circle(i, A[i])", operators=[circle])(A=it.Tensor.from_numpy(runs, level))
        np.testing.assert_allclose(got, np.prod(1 + runs) - 1)


@pytest.mark.parametrize("level", RUNS)
def test_order_of_sums_may_be_kept(level):
    runs = np.repeat([0.1, 0.7], [10, 3])
    total = 0.0
    for value in runs:
        total += value
    stored = it.Tensor.from_numpy(runs, level)
    assert it.compile("s = A[i]", strict_fp=True)(A=stored) == total
    assert it.compile("s = A[i]")(A=stored) == 0.1 * 10 + 0.7 * 3


@pytest.mark.parametrize("level", RUNS)
def test_index_first(level):
    rng = np.random.default_rng(6)
    a = it.Tensor.from_numpy(matrix(rng), f"dense, {level}")
    kernel = it.compile("C[i,j] = 2 * A[i,j]", {"C": "dense, sparse_run_list"})
    index = kernel.assemble(A=a)
    computed = kernel.compute(index, A=a)
    computed.check()
    np.testing.assert_array_equal(computed.to_numpy(), 2 * a.to_numpy())
    fused = kernel(A=a)
    for one, two in zip(fused.buffers(), computed.with_joined_runs().buffers(), strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("format", ["dense, run_list", "dense, run_list, crd = i16", "compressed, run_list"])
def test_index_first_of_a_covered_result(format):
    """Runs of an index are parts of those that have equal values, and stay apart in what is computed for it."""
    a = it.Tensor.from_numpy(
        np.array([[2.0, 2, 3, 0, 0, 4], [0, 0, 0, 0, 0, 0], [1, 1, 1, 5, 5, 5]]), "dense, run_list"
    )
    kernel = it.compile("C[i,j] = 0 * A[i,j] + A[i,j]", {"C": format})
    index, fused = kernel.assemble(A=a), kernel(A=a)
    for given in (index, fused, kernel.compute(index, A=a)):
        computed = kernel.compute(given, A=a)
        computed.check()
        np.testing.assert_array_equal(computed.to_numpy(), a.to_numpy())
        for one, two in zip(fused.buffers(), computed.with_joined_runs().buffers(), strict=True):
            np.testing.assert_array_equal(one, two)
    other = it.Tensor.from_numpy(a.to_numpy()[:, ::-1].copy(), "dense, run_list")
    with pytest.raises(it.UserError, match="index-mismatch"):
        kernel.compute(fused, A=other)


def test_without_runs_nothing_is_joined():
    for format in ("csr", "dense, dense", "run_list, compressed", "dense, block_list"):
        tensor = it.Tensor.from_numpy(np.eye(3), format)
        assert tensor.with_joined_runs() is tensor


def test_another_index_is_refused():
    """Runs that end where those of the index do, and begin elsewhere."""
    kernel = it.compile("C[i] = 2 * A[i]", {"C": "sparse_run_list"})
    index = kernel.assemble(A=it.Tensor.from_numpy(np.array([0.0, 0, 3, 3, 0]), "sparse_run_list"))
    with pytest.raises(it.UserError) as caught:
        kernel.compute(index, A=it.Tensor.from_numpy(np.array([0.0, 3, 3, 3, 0]), "sparse_run_list"))
    assert caught.value.slug == "index-mismatch"


@pytest.mark.parametrize("level", RUNS)
def test_single_coordinates(level):
    """Where a loop asks for one coordinate, the run that it is in is searched."""
    rng = np.random.default_rng(9)
    for size in range(1, 9):
        a = matrix(rng, size, size)
        stored = it.Tensor.from_numpy(a, f"dense, {level}")
        checked("y[i] = A[i,i]", a.diagonal(), A=stored)


def test_equal_neighbours_are_joined():
    a = it.Tensor.from_numpy(np.array([[1.0, 1, 2, 2, 3, 0, 0, np.nan, np.nan, 0]]), "dense, run_list")
    b = it.Tensor.from_numpy(np.array([[2.0, 2, 1, 1, 0, 0, 0, 1, 2, -0.0]]), "dense, run_list")
    c = it.compile("C[i,j] = A[i,j] + B[i,j]", {"C": "dense, run_list"})(A=a, B=b)
    assert c.levels[1].array("coordinates").tolist() == [5, 7, 9, 10]
    assert c.pieces == 4 and c.nnz == 10
    c = it.compile("C[i,j] = A[i,j] + B[i,j]", {"C": "dense, sparse_run_list"})(A=a, B=b)
    assert (c.levels[1].array("begins").tolist(), c.levels[1].array("coordinates").tolist()) == ([0, 7], [5, 9])


@pytest.mark.parametrize("level", RUNS)
def test_zeros_with_a_sign_stay(level):
    """Bits tell which runs are of the fill value, in NumPy's results as well."""
    array = np.array([[1.0, 1, -0.0, 2], [0, -0.0, -3, -3]])
    stored = it.Tensor.from_numpy(array, f"dense, {level}")
    for text, expected in (("A[i,j]", array), ("2 * A[i,j]", 2 * array), ("A[i,j] + A[i,j]", array + array)):
        for threads in (1, 2):
            result = it.compile(f"C[i,j] = {text}", {"C": f"dense, {level}"}, num_threads=threads)(A=stored)
            assert result.to_numpy().tobytes() == expected.tobytes(), text


def test_explained():
    a = it.Tensor.from_numpy(np.eye(3), "dense, run_list")
    kernel = it.compile("C[i,j] = 2 * A[i,j]", {"C": "dense, run_list"})
    kernel(A=a)
    assert (
        "neighbouring runs of C with equal values are joined afterwards; a run of the fill value is not stored"
        in kernel.explain()
    )


def test_rows_that_no_loop_reaches():
    stored = it.Tensor.from_numpy(np.array([[0.0, 0, 0], [1, 1, 0], [0, 0, 0], [0, 0, 2]]), "dcsr")
    for result in ("dense, run_list", "dense, sparse_run_list", "compressed, run_list"):
        got = it.compile("C[i,j] = 2 * A[i,j]", {"C": result})(A=stored)
        got.check()
        np.testing.assert_array_equal(got.to_numpy(), 2 * stored.to_numpy())


TEXTS = ("s = A[i]", "s = A[i] * B[i]", "s = max(i, A[i] + B[i])", "c[i] = A[i] * B[i]", "c[i] = A[i] + 2 * B[i]")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("formats", list(product(RUNS, RUNS)), ids=str)
@pytest.mark.parametrize("text", TEXTS)
def test_work_is_proportional_to_pieces(text, formats):
    rng = np.random.default_rng(7)
    for _ in range(5):
        counted = []
        pieces = [(np.sort(rng.choice(np.arange(1, 12), 4, replace=False)), rng.integers(0, 4, 5)) for _ in "AB"]
        for scale in (1, 1000):
            operands = {}
            for name, level, (bounds, values) in zip("AB", formats, pieces, strict=True):
                stored = np.repeat(values, np.diff([0, *bounds, 12])).astype(float)
                operands[name] = widened(it.Tensor.from_numpy(stored, level), scale)
            operands = {name: one for name, one in operands.items() if f"{name}[" in text}
            counted.append(iterations(text, {"c": "sparse_run_list"} if text[0] == "c" else {}, operands))
        assert counted[0] == counted[1]
        assert counted[0] <= 2 * sum(one.pieces for one in operands.values()) + 2


def widened(stored, scale):
    """The tensor with each coordinate so many times."""
    arrays = {name: array * scale if name != "positions" else array for name, array in stored.levels[0].named().items()}
    return it.Tensor.from_buffers((stored.shape[0] * scale,), stored.format, [arrays], stored.values)


def test_fills_take_no_loop():
    stored = it.Tensor.from_coo([[5, 10, 10**9 - 1]], [2.0] * 3, shape=(10**9,), format="compressed, fill = 1")
    assert it.compile("s = A[i]")(A=stored) == 10**9 + 3
    assert iterations("s = A[i]", {}, {"A": stored}) <= 6


@pytest.mark.parametrize("level", RUNS)
def test_fibers_that_are_absent(level):
    """A row that another operand has, and not this one: its runs are gaps, and arrays without any are not read."""
    there = np.zeros((4, 4, 4))
    there[1, 2, 3] = there[2, 0, 0] = 2
    for array in (np.zeros((4, 4, 4)), there[::-1].copy()):
        for fill in (0, np.inf):
            array[array == 0] = fill
            a = it.Tensor.from_numpy(
                array, f"(i, j, k) -> (j : compressed, i : {level}, k : compressed), fill = {fill}"
            )
            b = it.Tensor.from_numpy(there, "(i, j, k) -> (j : compressed, i : compressed, k : compressed)")
            text = "s = max(i, j, k, A[i,j,k] - B[i,j,k])"
            checked(text, (array - there).max(), A=a, B=b)
            iterations(text, {}, {"A": a, "B": b})
            array[array == fill] = 0


def test_pieces():
    array = np.repeat([1.0, 0.0, 2.0], [10, 80, 10])
    for level, nnz, pieces in (("run_list", 100, 3), ("sparse_run_list", 20, 2), ("compressed", 20, 20)):
        stored = it.Tensor.from_numpy(array, level)
        assert (stored.nnz, stored.pieces) == (nnz, pieces)
    assert all(
        before < after
        for before, after in pairwise(it.Tensor.from_numpy(array, "run_list").levels[0].array("coordinates"))
    )


@pytest.mark.parametrize("format", ["dense, run_list", "dense, sparse_run_list", "run_list, dense"])
def test_emulated_gpu(format):
    rng = np.random.default_rng(8)
    a, b, x = matrix(rng), matrix(rng), stretched(rng, 7)
    operands = {"A": it.Tensor.from_numpy(a, format), "B": it.Tensor.from_numpy(b, format)}
    got = it.compile("y[i] = A[i,j] * x[j]", target="cuda-emulated")(A=operands["A"], x=x)
    np.testing.assert_array_equal(got, a @ x)
    for result in ("dense, run_list", "dense, sparse_run_list"):
        made = it.compile("C[i,j] = A[i,j] * B[i,j]", {"C": result}, target="cuda-emulated")(**operands)
        made.check()
        np.testing.assert_array_equal(made.to_numpy(), a * b)


def test_runs_that_cover_more_than_fits():
    """What has runs in an outer level is converted by its elements."""
    size = 10_000_000
    levels = [([0, 1], [size]), ([0, 2], [50, size])]
    stored = it.Tensor.from_buffers((size, size), "run_list, run_list", levels, np.array([1.0, 2.0]))
    assert stored.sum() == size * (50 + 2.0 * (size - 50))
    with pytest.raises(it.UserError, match=r"storage-too-large.*the elements that runs"):
        stored.to_format("csr")
