"""Assembling an index and computing its values afterwards gives exactly what computing both at once gives."""

from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from sampling import few_or_many

import irtensor as it

CSR, CSC, DCSR = "dense, compressed", "(i, j) -> (j : dense, i : compressed)", "compressed, compressed"
COO, CSF = "compressed(nonunique), singleton", "compressed, compressed, compressed"
BLOCKS = "(i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense)"
SPARSE_BLOCKS = "(i, j) -> (i floordiv 2 : compressed, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : dense)"
ROWS, LAYERED = "compressed, dense", "compressed, dense, compressed"
NESTED, NESTED_TUPLES = "dense, compressed, compressed", "dense, compressed(nonunique), singleton"
BETWEEN = "dense, compressed, dense, compressed"
FLAGGED = ("dense, bitmap", "compressed, bitmap", "bitmap, compressed")
# Notation, shapes, the formats of the sparse tensors.
CASES: tuple[tuple[str, dict[Any, Any], tuple[dict[Any, str], ...]], ...] = (
    (
        "C[i,j] = A[i,j] + B[i,j]",
        {"A": (6, 9), "B": (6, 9)},
        tuple(dict.fromkeys("ABC", f) for f in (CSR, CSC, DCSR, COO, BLOCKS, SPARSE_BLOCKS, ROWS, *FLAGGED)),
    ),
    (
        "C[i,j] = A[i,j] * B[i,j]",
        {"A": (6, 9), "B": (6, 9)},
        tuple({"A": a, "B": CSR, "C": c} for a in (CSR, DCSR, COO) for c in (CSR, DCSR, COO))
        + tuple(dict.fromkeys("ABC", f) for f in (BLOCKS, SPARSE_BLOCKS, ROWS, *FLAGGED)),
    ),
    (
        "C[i,j] = A[i,j] + B[i,j] * D[i,j] + E[i,j]",
        dict.fromkeys("ABDE", (7, 8)),
        tuple(dict.fromkeys("ABCDE", f) for f in (CSR, DCSR, COO)),
    ),
    ("C[i,j] = A[i,j] * X[i,k] * Y[k,j]", {"A": (6, 9), "X": (6, 4), "Y": (4, 9)}, ({"A": CSR, "C": CSR},)),
    ("C[i,j] = A[i,k] * B[k,j]", {"A": (6, 9), "B": (9, 5)}, tuple(dict.fromkeys("ABC", f) for f in (CSR, DCSR, COO))),
    (
        "C[i,j,l] = A[i,j,k] * B[k,l]",
        {"A": (4, 5, 6), "B": (6, 3)},
        ({"A": CSF, "B": CSR, "C": CSF}, {"A": CSF, "C": "compressed, compressed, dense"}),
    ),
    ("C[i,j] = A[i,j,k] * x[k]", {"A": (4, 5, 6), "x": (6,)}, ({"A": CSF, "C": DCSR}, {"A": CSF, "C": CSR})),
    ("C[i,j,k] = A[i,j,k] + B[i,j,k]", dict.fromkeys("AB", (4, 3, 5)), (dict.fromkeys("ABC", CSF),)),
    ("C[i,j,k] = A[i,j,k] * B[i,j,k]", dict.fromkeys("AB", (4, 3, 5)), (dict.fromkeys("ABC", LAYERED),)),
    ("C[i,j,k] = A[i,j,k] + B[i,j,k]", dict.fromkeys("AB", (4, 3, 5)), (dict.fromkeys("ABC", NESTED),)),
    (
        "C[i,j,k] = A[i,j,k] * B[i,j,k]",
        dict.fromkeys("AB", (4, 6, 5)),
        tuple({"A": NESTED, "B": NESTED, "C": c} for c in (NESTED, CSF, NESTED_TUPLES)),
    ),
    ("C[i,j,l] = A[i,j,k] * B[k,l]", {"A": (4, 5, 6), "B": (6, 3)}, ({"A": NESTED, "B": CSR, "C": NESTED},)),
    (
        "C[i,j,k,l] = A[i,j,k,l] * B[i,j,k,l]",
        dict.fromkeys("AB", (4, 4, 3, 3)),
        tuple(dict.fromkeys("ABC", format) for format in (f"{NESTED}, compressed", BETWEEN)),
    ),
    ("c[i] = a[i] + b[i]", dict.fromkeys("ab", (9,)), (dict.fromkeys("abc", "compressed"),)),
)
PAIRS = [(notation, shapes, formats) for notation, shapes, choices in CASES for formats in choices]


@pytest.fixture(autouse=True, params=[1, 3], ids=["one thread", "three threads"])
def threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, small_parts: None) -> int:
    monkeypatch.setenv("IRTENSOR_NUM_THREADS", str(request.param))
    return request.param


def _operands(
    rng: np.random.Generator, shapes: dict[str, tuple[int, ...]], formats: dict[str, str], density: float
) -> dict[str, object]:
    made: dict[str, object] = {}
    for name, shape in shapes.items():
        # Whole numbers: a sum is the same whichever of the kernels LLVM has optimised.
        array = few_or_many(rng.integers(1, 9, shape) * 1.0, rng.random(shape))
        if name in formats:
            array *= rng.random(shape) < density
            made[name] = it.Tensor.from_numpy(array, it.Format(formats[name]))
        else:
            made[name] = array
    return made


def _same_index(a: it.Tensor, b: it.Tensor) -> None:
    for left, right in zip(a.buffers()[:-1], b.buffers()[:-1], strict=True):
        np.testing.assert_array_equal(left, right)


def _check_phases(kernel: object, operands: dict[str, object]) -> it.Tensor:
    whole = kernel(**operands)  # pyrefly: ignore[not-callable]
    index = kernel.assemble(**operands)  # pyrefly: ignore[missing-attribute]
    result = kernel.compute(index, **operands)  # pyrefly: ignore[missing-attribute]
    for tensor in (index, result):
        tensor.check()
        _same_index(tensor, whole)
    assert (index.values == index.fill_value).all()
    np.testing.assert_array_equal(result.values, whole.values)
    return whole


@pytest.mark.one_in(24)
@pytest.mark.parametrize(
    ("notation", "shapes", "formats"), PAIRS, ids=[f"{n} {f['C' if 'C' in f else 'c']}" for n, _, f in PAIRS]
)
def test_phases_agree(notation: str, shapes: dict[str, tuple[int, ...]], formats: dict[str, str]) -> None:
    rng = np.random.default_rng(len(notation))
    kernel = it.compile(notation, formats=formats)
    for density in (0.3, 0.0, 1.0, 0.05):
        _check_phases(kernel, _operands(rng, shapes, formats, density))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("format", [BLOCKS, SPARSE_BLOCKS])
@pytest.mark.parametrize("term", ["A[i,j] - b[i]", "A[i,j] * x[j] - b[i]"])
def test_other_reductions(term: str, format: str) -> None:
    """They start from another value than what is in the padding of blocks; an index has neither."""
    rng = np.random.default_rng(3)
    formats = {"A": format, "b": "compressed", "c": "(i) -> (i floordiv 2 : compressed, i mod 2 : dense)"}
    shapes: dict[str, tuple[int, ...]] = {"A": (7, 5), "b": (7,)}
    if "x" in term:
        shapes["x"] = (5,)
    kernel = it.compile(f"c[i] = max(j, {term})", formats=formats)
    for density in (0.3, 0.0, 1.0):
        _check_phases(kernel, _operands(rng, shapes, formats, density))


@pytest.mark.one_in(8)
@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0), (1, 7), (7, 1), (1000, 1000)])
@pytest.mark.parametrize("format", [CSR, DCSR, COO, BLOCKS])
def test_any_extent(shape: tuple[int, int], format: str) -> None:
    """The last shape is hypersparse: a few entries, most rows empty."""
    rng = np.random.default_rng(3)
    kernel = it.compile("C[i,j] = A[i,j] + B[i,j]", formats=dict.fromkeys("ABC", format))
    density = 0.4 if max(shape) < 100 else 3e-6
    _check_phases(kernel, _operands(rng, dict.fromkeys("AB", shape), dict.fromkeys("AB", format), density))


@pytest.mark.one_in(8)
@pytest.mark.parametrize(("notation", "shapes", "formats"), PAIRS[::2])
def test_an_index_of_other_operands(notation: str, shapes: dict[str, tuple[int, ...]], formats: dict[str, str]) -> None:
    """Is refused, and nothing behind the values is written; where it happens to be the same, values are right."""
    rng = np.random.default_rng(11)
    kernel = it.compile(notation, formats=formats)
    refused = 0
    for density in (0.1, 0.3, 0.8):
        ours, others = (_operands(rng, shapes, formats, d) for d in (0.3, density))
        whole, index = kernel(**ours), kernel.assemble(**others)
        same = all(np.array_equal(a, b) for a, b in zip(whole.buffers()[:-1], index.buffers()[:-1], strict=True))
        if same:
            np.testing.assert_array_equal(kernel.compute(index, **ours).values, whole.values)
        else:
            refused += 1
            with pytest.raises(it.UserError) as error:
                kernel.compute(index, **ours)
            assert error.value.slug == "index-mismatch"
    assert refused


# Statements that scatter into a workspace, and where it matters, that the index is walked instead of its list.
SCATTERED = (
    ("C[i,j] = A[i,k] * B[k,j]", {"A": CSR, "B": CSR, "C": CSR}, True),
    ("C[i,j] = A[i,k] * B[k,j]", {"A": DCSR, "B": CSR, "C": DCSR}, True),
    ("C[i,j] = A[i,k] * B[k,j]", {"A": DCSR, "B": DCSR, "C": DCSR}, None),
    ("C[i,j] = A[i,k] * B[k,j]", {"A": CSC, "B": CSC, "C": CSC}, True),
    ("C[i,j] = A[i,k] * B[k,j]", {"A": CSR, "B": CSR, "C": COO}, True),
    ("C[i,j] = A[i,k] * B[k,j] + D[i,j] + E[i,j] + A[i,j]", dict.fromkeys("ABCDE", CSR), None),
    ("C[i,j] = A[i,k] * B[k,j] * x[j]", {"A": CSR, "B": CSR, "C": CSR}, None),
    ("C[i,j] = min(k, A[i,k] + B[k,j])", {"A": CSR, "B": CSR, "C": CSR}, None),
)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("notation", "formats", "walks"), SCATTERED, ids=range(len(SCATTERED)))
def test_a_workspace_agrees_with_the_index_or_is_refused(
    notation: str, formats: dict[str, str], walks: bool | None
) -> None:
    """Indices with entries more, less, or elsewhere in the row or in other rows: each is refused, the right one not."""
    size = 7
    rng = np.random.default_rng(4)
    kernel = it.compile(notation, formats=formats)
    for density in (0.0, 0.15, 0.4):
        shapes: dict[str, tuple[int, ...]] = {
            name: (size,) if name == "x" else (size, size) for name in "ABDEx" if f"{name}[" in notation
        }
        operands = _operands(rng, shapes, formats, density)
        whole = _check_phases(kernel, operands)
        if walks:
            kernel.compute(whole, **operands)
            assert "loop.remove" in kernel.ir("loop")
            assert "loop.members" not in kernel.ir("loop")
        stored = np.zeros((size, size), bool)
        coords, _ = whole.to_coo()
        stored[tuple(coords)] = True
        others = [rng.permutation(stored.ravel()).reshape(stored.shape), rng.permutation(stored, axis=1), ~stored]
        for row in range(size):
            others.append(stored.copy())
            others[-1][row] = np.roll(stored[row], 1)
        for flip in rng.permutation(size * size)[:12]:
            others.append(stored.copy())
            others[-1].flat[flip] ^= True
        for other in others:
            where = np.stack(np.nonzero(other))
            index = it.Tensor.from_coo(where, np.ones(where.shape[1]), shape=other.shape, format=whole.format)
            if np.array_equal(other, stored):
                np.testing.assert_array_equal(kernel.compute(index, **operands).values, whole.values)
            else:
                with pytest.raises(it.UserError, match="index-mismatch"):
                    kernel.compute(index, **operands)
        # What a refused call left behind is not seen by the next one.
        np.testing.assert_array_equal(kernel.compute(whole, **operands).values, whole.values)


def test_compute_stays_inside_the_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words behind the room for values keep what they hold, whatever index is given."""
    from irtensor.compiler.kernel import allocate_results

    canaries: list[np.ndarray] = []

    def empty(shape: tuple[int], dtype: np.dtype) -> np.ndarray:
        array = np.full(shape[0] + 64, -7.0, dtype)
        canaries.append(array[shape[0] :])
        return array[: shape[0]]

    rng, accepted = np.random.default_rng(5), 0
    pairs = few_or_many(PAIRS[::5], PAIRS)
    for notation, shapes, formats in pairs:
        kernel = it.compile(notation, formats=formats)
        ours, others = (_operands(rng, shapes, formats, d) for d in (0.9, 0.1))
        index = kernel.assemble(**others)
        with monkeypatch.context() as patch:
            patch.setattr(allocate_results.RESULT_MEMORY, "empty", empty)
            with suppress(it.UserError):
                kernel.compute(index, **ours)
                accepted += 1
        assert (canaries[-1] == -7.0).all(), notation
    assert accepted < len(pairs) // 4


def test_compute_takes_new_values_and_leaves_the_index_alone() -> None:
    rng = np.random.default_rng(2)
    kernel = it.compile("C[i,j] = A[i,j] + B[i,j]", formats=dict.fromkeys("ABC", CSR))
    operands = _operands(rng, dict.fromkeys("AB", (5, 6)), dict.fromkeys("AB", CSR), 0.4)
    first = kernel(**operands)
    kept = first.values.copy()
    # pyrefly: ignore[missing-attribute]
    scaled = {name: it.Tensor.from_buffers(t.shape, t.format, t.levels, 2 * t.values) for name, t in operands.items()}
    second = kernel.compute(first, **scaled)
    np.testing.assert_array_equal(first.values, kept)
    np.testing.assert_array_equal(second.values, 2 * kept)
    assert second.levels is first.levels


def test_what_is_no_index_is_refused() -> None:
    kernel = it.compile("C[i,j] = A[i,j] + B[i,j]", formats=dict.fromkeys("ABC", CSR))
    a = it.Tensor.from_numpy(np.eye(3), it.CSR)
    for wrong, message in (
        (np.eye(3), "is a Tensor, not ndarray"),
        (it.Tensor.from_numpy(np.eye(4), it.CSR), r"for shape \(4, 4\)"),
        (it.Tensor.from_numpy(np.eye(3), it.DCSR), r"stored \(i, j\) -> \(i : compressed"),
    ):
        with pytest.raises(it.UserError, match=message) as error:
            kernel.compute(wrong, A=a, B=a)
        assert error.value.slug == "index-mismatch"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("format", [it.BCSR(2, 3), it.BCSC(3, 2), it.DIA, it.ELL, it.CSB(2)])
def test_converted_results_have_an_index(format) -> None:
    """Whole blocks and diagonals store more than the entries of the kernel's own result."""
    kernel = it.compile("C[i,j] = A[i,k] * B[k,j]", formats={"A": it.CSR, "B": it.CSR, "C": format})
    a, b = np.diag([1.0, 2.0, 0.0, 3.0, 4.0]), np.eye(5, 7, 1)
    given = {name: it.Tensor.from_numpy(dense, it.CSR) for name, dense in (("A", a), ("B", b))}
    index = kernel.assemble(**given)
    for factor in (1.0, 3.0):
        result = kernel.compute(index, A=it.Tensor.from_numpy(factor * a, it.CSR), B=given["B"])
        result.check()
        np.testing.assert_array_equal(result.to_numpy(), factor * a @ b)
    with pytest.raises(it.UserError, match="index-mismatch"):
        kernel.compute(index, A=it.Tensor.from_numpy(np.roll(a, 2, 1), it.CSR), B=given["B"])
    with pytest.raises(it.UserError, match="index-mismatch"):
        kernel.compute(given["A"], **given)


IN_BLOCKS = "(i, j) -> (i : compressed, j floordiv 2 : dense, j mod 2 : dense)"


@pytest.mark.parametrize("format", ["padded, dense", "hashed, dense", IN_BLOCKS])
def test_converted_rows_have_an_index(format) -> None:
    """An assembled row has nothing but fill values, and is a row all the same when it is converted."""
    kernel = it.compile("C[i,j] = 2 * A[i,j]", formats={"A": "compressed, dense", "C": format})
    a = it.Tensor.from_numpy(np.diag([1.0, 0.0, 3.0, 2.0]), it.Format("compressed, dense"))
    index = kernel.assemble(A=a)
    assert index.nnz == 12
    np.testing.assert_array_equal(kernel.compute(index, A=a).to_numpy(), np.diag([2.0, 0.0, 6.0, 4.0]))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("format", ["bitmap, hashed", "hashed, compressed", "dense, hashed", "hashed, hashed"])
def test_tables_whose_entries_came_in_no_order_have_an_index(format) -> None:
    """A table does not say in which order its entries came, as a replay would have to find them."""
    levels = [None, ([0, 2, 4], [2, 1, 2, 0])]
    a = it.Tensor.from_buffers((2, 3), "dense, compressed(nonordered)", levels, [2.0, 1.0, 4.0, 3.0])
    dense = np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 4.0]])
    kernel = it.compile("C[i,j] = 2 * A[i,j]", formats={"A": a.format, "C": it.Format(format)})
    index = kernel.assemble(A=a)
    np.testing.assert_array_equal(kernel.compute(index, A=a).to_numpy(), 2 * dense)
    with pytest.raises(it.UserError, match="index-mismatch"):
        kernel.compute(index, A=it.Tensor.from_numpy(dense[::-1].copy(), a.format))


@pytest.mark.parametrize(
    "schedule", ["fuse(i, j, f); split(f, fa, fb, 4)", "fuse(i, j, f); divide(f, fa, fb, 2, tensor=A)"]
)
def test_rows_that_blocks_share_have_an_index(schedule) -> None:
    """What cannot be replayed, because a block begins within a row, is found again and compared."""
    kernel = it.compile("C[i,j] = A[i,j]", formats={"A": it.CSR, "C": it.CSR}, schedule=it.schedule(schedule))
    dense = np.triu(np.arange(1.0, 31).reshape(5, 6))
    a, other = it.Tensor.from_numpy(dense, it.CSR), it.Tensor.from_numpy(dense[::-1].copy(), it.CSR)
    index = kernel.assemble(A=a)
    np.testing.assert_array_equal(kernel.compute(index, A=a).to_numpy(), dense)
    with pytest.raises(it.UserError, match="index-mismatch"):
        kernel.compute(index, A=other)


def test_dense_results_have_no_index() -> None:
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": it.CSR})
    a, x = it.Tensor.from_numpy(np.eye(3), it.CSR), np.arange(3.0)
    index = kernel.assemble(A=a, x=x)
    np.testing.assert_array_equal(index, np.zeros(3))
    np.testing.assert_array_equal(kernel.compute(index, A=a, x=x), x)
    with pytest.raises(it.UserError, match="index-mismatch"):
        kernel.compute(np.zeros(4), A=a, x=x)


@pytest.mark.parametrize(
    "notation", ["C[i,j] = A[i,k] * B[k,j]", "C[i,j] = A[i,j] + B[i,j]", "C[i,j] = A[i,j] * B[i,j]"]
)
def test_values_are_computed_by_all_threads(notation: str, threads: int) -> None:
    """Where the rows of an index begin, its positions say, so that nothing is handed on from row to row."""
    kernel = it.compile(notation, formats=dict.fromkeys("ABC", it.CSR))
    operands = dict.fromkeys("AB", it.Tensor.from_numpy(np.eye(4), it.CSR))
    kernel.compute(kernel.assemble(**operands), **operands)
    said = kernel.explain().partition("\nthreads\n")[2].splitlines()[0]
    assert ("one thread, " if threads == 1 else ": in parts of about equal work") in said


def test_the_kind_is_shown() -> None:
    kernel = it.compile("C[i,j] = A[i,j] * X[i,k] * Y[k,j]", formats={"A": it.CSR, "C": it.CSR})
    operands = {"A": it.Tensor.from_numpy(np.eye(3), it.CSR), "X": np.ones((3, 2)), "Y": np.ones((2, 3))}
    index = kernel.assemble(**operands)
    assert "purpose of kernel  assemble" in kernel.explain()
    assert 'storage.result purpose "assemble"' in kernel.ir("iteration_lattice")
    # No sum is left, and nothing reads a value.
    assert "algebra" not in kernel.ir("loop") and "_vals[" not in kernel.ir("loop")
    kernel.compute(index, **operands)
    assert 'storage.result purpose "compute"' in kernel.ir("iteration_lattice")
    assert "loop.require" in kernel.ir("loop")
    kernel(**operands)
    assert "purpose of kernel" not in kernel.explain()


@pytest.mark.one_in(8)
@pytest.mark.parametrize("schedule", ["parallelize(i)", "split(i, a, b, 2); parallelize(a)"])
@pytest.mark.parametrize("format", [CSR, BLOCKS, NESTED, NESTED_TUPLES, BETWEEN])
def test_segments_are_computed_in_parallel(format: str, schedule: str) -> None:
    """Or all is computed again and compared, where entries of lists below levels that are located are counted."""
    rng = np.random.default_rng(5)
    formats: dict[str, str] = dict.fromkeys("ABC", format)
    rank = it.Format(format).rank
    indices = ",".join("ijkl"[:rank])
    notation = f"C[{indices}] = A[{indices}] + B[{indices}]"
    kernel = it.compile(notation, formats=formats, schedule=it.schedule(schedule))
    _check_phases(kernel, _operands(rng, dict.fromkeys("AB", (6, 9, 4, 3)[:rank]), formats, 0.3))
    if format != BETWEEN:
        assert 'storage.result purpose "compute"' in kernel.ir("iteration_lattice")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("schedule", ["parallelize(i)", "split(i, a, b, 2); parallelize(a)"])
@pytest.mark.parametrize("format", [DCSR, COO])
def test_rows_that_are_counted_have_an_index(format: str, schedule: str) -> None:
    """What cannot be replayed, as no positions lead to an iteration's entries, is found again and compared."""
    rng = np.random.default_rng(5)
    formats = {"A": CSR, "B": CSR, "C": format}
    kernel = it.compile("C[i,j] = A[i,j] + B[i,j]", formats=formats, schedule=it.schedule(schedule))
    operands = _operands(rng, dict.fromkeys("AB", (6, 9)), formats, 0.3)
    _check_phases(kernel, operands)


def test_a_place_without_entry_leaves_what_the_next_parent_has() -> None:
    """Of a block it is known at its end whether it is one; until then it is written behind its row's last block."""
    rows_of_blocks = "(i, j) -> (i : dense, j floordiv 3 : bitmap, j mod 3 : dense)"
    kernel = it.compile("A[i,j] = B[i,j]", formats={"A": BLOCKS, "B": rows_of_blocks})
    for seed in range(40):
        rng = np.random.default_rng(seed)
        array = np.where(rng.random((40, 30)) < rng.random(), rng.random((40, 30)), 0.0)
        b = it.Tensor.from_numpy(array, rows_of_blocks)
        np.testing.assert_array_equal(kernel.compute(kernel.assemble(b), b).to_numpy(), array)


@pytest.mark.parametrize("result", ["padded, bitmap", "bitmap, padded", "hashed, dense", "padded, padded"])
@pytest.mark.parametrize("shape", [(5, 0), (0, 5), (0, 0)])
def test_the_index_of_a_result_without_elements(shape: tuple[int, int], result: str):
    for operand in ("dense, dense", "compressed, bitmap"):
        A = it.Tensor.from_numpy(np.ones(shape), operand)
        kernel = it.compile("C[i,j] = A[i,j]", {"A": operand, "C": result})
        index = kernel.assemble(A=A)
        computed = kernel.compute(index, A=A)
        computed.check()
        assert computed.shape == shape and computed.format == index.format
    with pytest.raises(it.UserError, match="index-mismatch"):
        kernel.compute(it.Tensor.from_numpy(np.ones((1, 1)), result), A=A)
