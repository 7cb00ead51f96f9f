"""Lists of blocks, read and written: all that kernels compute with them is what NumPy computes with arrays."""

from itertools import product

import numpy as np
import pytest
from loops_of_kernel import iterations

import irtensor as it
from irtensor.storage.stored_tensor import StoredTensor

FORMATS = [
    *("dense, block_list", "compressed, block_list", "block_list, dense", "block_list, block_list"),
    *("block_list, compressed", "(i, j) -> (j : dense, i : block_list)", "run_list, block_list"),
    "(i, j) -> (i floordiv 2 : dense, j floordiv 3 : block_list, i mod 2 : dense, j mod 3 : dense)",
]
STATEMENTS = {
    "y[i] = A[i,j] * x[j]": lambda A, B, x, z: A @ x,
    "y[j] = A[i,j] * z[i]": lambda A, B, x, z: A.T @ z,
    "s = A[i,j] * B[i,j]": lambda A, B, x, z: (A * B).sum(),
    "y[j] = max(i, A[i,j])": lambda A, B, x, z: A.max(0),
    "C[i,j] = A[i,j] * B[i,j] + B[i,j]": lambda A, B, x, z: A * B + B,
    "C[i,j] = A[i,j] + z[i] * B[i,j]": lambda A, B, x, z: A + z[:, None] * B,
    "C[j,i] = A[i,j]": lambda A, B, x, z: A.T,
    "C[i,k] = A[i,j] * B[k,j]": lambda A, B, x, z: A @ B.T,
    "C[i,j] = where(A[i,j] > 1, x[j], 0)": lambda A, B, x, z: np.where(A > 1, x, 0),
}


def matrix(rng, rows=5, columns=9):
    """Numbers with gaps between them."""
    there = np.repeat(rng.random((rows, columns)) < 0.5, 2, axis=1)[:, :columns]
    return (there * rng.integers(1, 4, (rows, columns))).astype(float)


def outcomes(text, formats, operands, **options):
    """What a kernel gives on one thread and on two."""
    return [it.compile(text, formats, num_threads=threads, **options)(**operands) for threads in (1, 2)]


@pytest.mark.one_in(12)
@pytest.mark.filterwarnings("ignore::irtensor.DenseResultWarning")
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("other", ["csr", "dense, dense", "dense, block_list", "dense, band"])
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("text", STATEMENTS)
def test_statements_of_matrices(text, format, other):
    rng = np.random.default_rng(2)
    results = ["dense, block_list", "csr", "compressed, block_list", "block_list, block_list", "block_list, dense"]
    a, b, x, z = matrix(rng), matrix(rng), rng.integers(0, 3, 9) * 1.0, rng.integers(0, 3, 5) * 1.0
    given = {"A": it.Tensor.from_numpy(a, format), "B": it.Tensor.from_numpy(b, other), "x": x, "z": z}
    operands = {name: one for name, one in given.items() if f"{name}[" in text}
    expected = STATEMENTS[text](a, b, x, z)
    for result in results if text[0] == "C" else [None]:
        found = outcomes(text, {"C": result} if result else {}, operands)
        for one in found:
            array = one
            if isinstance(one, StoredTensor):
                one.check()
                assert one.format == (it.CSR if result == "csr" else it.Format(str(result)))
                array = one.to_numpy()
            np.testing.assert_array_equal(array, expected, err_msg=f"{text}, {format}, {other}, {result}")
        if result:
            for one, two in zip(found[0].buffers(), found[1].buffers(), strict=True):
                np.testing.assert_array_equal(one, two)


STEPS = {
    "split": it.schedule().split("j", "j0", "j1", 3),
    "reorder": it.schedule().reorder("j", "i"),
    "parallelize": it.schedule().parallelize("i"),
    "parts": it.schedule().split("i", "i0", "i1", 2).split("j", "j0", "j1", 4),
    "entries": it.schedule().fuse("i", "j", "f").pos("f", "p", "A").split("p", "p0", "p1", 4),
    "window": it.schedule().split("j", "j0", "j1", 4).pos("j1", "p", "A"),
    "windows": it.schedule().split("i", "i0", "i1", 2).fuse("i1", "j", "f").pos("f", "p", "A"),
    "positions": it.schedule().pos("j", "p", "A").split("p", "p0", "p1", 2),
}


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("format", ["dense, block_list", "compressed, block_list", "block_list, block_list"])
def test_schedules(format, steps):
    rng = np.random.default_rng(4)
    for _ in range(4):
        a, b, x = matrix(rng), matrix(rng), rng.integers(0, 3, 9) * 1.0
        A, B = it.Tensor.from_numpy(a, format), it.Tensor.from_numpy(b, "csr")
        kernel = it.compile("y[i] = A[i,j] * x[j]", schedule=STEPS[steps], num_threads=2)
        np.testing.assert_array_equal(kernel(A=A, x=x), a @ x)
        if "pos(" not in str(STEPS[steps]):
            kernel = it.compile("y[i] = A[i,j] * B[i,j]", schedule=STEPS[steps], num_threads=2)
            np.testing.assert_array_equal(kernel(A=A, B=B), (a * b).sum(1))


@pytest.mark.parametrize("format", ["block_list, block_list", "block_list, dense", "block_list, compressed"])
def test_entries_of_a_part(format):
    """A part of the rows begins in a gap, or within a block; its entries are found by number."""
    rng, x = np.random.default_rng(11), np.arange(9.0)
    schedule = it.schedule().split("i", "i0", "i1", 4).pos("i1", "p", "A").split("p", "p0", "p1", 2)
    kernel = it.compile("y[i] = A[i,j] * x[j]", schedule=schedule)
    for _ in range(20):
        a = matrix(rng, 14) * (rng.random((14, 1)) < 0.6)
        np.testing.assert_array_equal(kernel(A=it.Tensor.from_numpy(a, format), x=x), a @ x)


def test_single_coordinates():
    """Where a loop asks for one coordinate, the block that it is in is searched."""
    rng = np.random.default_rng(9)
    for size in range(1, 9):
        a = matrix(rng, size, size)
        found = it.compile("y[i] = A[i,i]")(A=it.Tensor.from_numpy(a, "VBL"))
        np.testing.assert_array_equal(found, a.diagonal())


@pytest.mark.parametrize("mean", [1, 6, 8, 20, 40])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "c16"])
def test_short_and_long_blocks(dtype, mean):
    """Each length has its own number of whole vectors, and of lanes in use."""
    rng = np.random.default_rng(3)
    rows, columns = 60, 300
    a = np.zeros((rows, columns), dtype)
    for row, _ in product(range(rows), range(4)):
        begin, length = rng.integers(columns), rng.integers(2 * mean + 1)
        a[row, begin : begin + length] = rng.integers(1, 9, min(length, columns - begin))
    x = rng.integers(0, 9, columns).astype(dtype)
    for format in ("VBL", "block_list, block_list", "dense, block_list, pos = i32, crd = i16"):
        A = it.Tensor.from_numpy(a, format)
        for found in outcomes("y[i] = A[i,j] * x[j]", {}, {"A": A, "x": x}):
            np.testing.assert_array_equal(found, a @ x)
        for found in outcomes("s = A[i,j]", {}, {"A": A}):
            assert found == a.sum()
    z = x.copy()
    z[0] = 0
    A = it.Tensor.from_numpy(a, "VBL")
    np.testing.assert_array_equal(it.compile("y[i] = A[i,j] * x[j]", strict_fp=True)(A=A, x=z), a @ z)


def test_elements_beside_a_block_are_not_read():
    """Lanes beyond the end of a block take no part, whatever their elements are."""
    a, x = np.zeros((3, 20)), np.full(20, np.nan)
    a[:, 4:9], x[4:9] = 1, 2
    for format in ("VBL", "compressed, block_list"):
        found = it.compile("y[i] = A[i,j] * x[j]")(A=it.Tensor.from_numpy(a, format), x=x)
        np.testing.assert_array_equal(found, [10, 10, 10])


@pytest.mark.parametrize(("reduction", "fill"), [("prod", 1), ("max", -np.inf), ("min", np.inf), ("sum", 0)])
def test_reductions_of_blocks(reduction, fill):
    """Lanes beyond the end of a block have what changes nothing."""
    rng = np.random.default_rng(10)
    a = np.full((20, 60), float(fill))
    for row in range(20):
        begin = int(rng.integers(40))
        a[row, begin : begin + 11] = rng.integers(1, 4, 11)
        a[row, begin + 13 : begin + 16] = 2
    A = it.Tensor.from_numpy(a, it.VBL.with_fill(fill))
    for found in outcomes(f"y[i] = {reduction}(j, A[i,j])", {}, {"A": A}):
        np.testing.assert_array_equal(found, getattr(a, reduction)(axis=1))


def test_index_first():
    rng = np.random.default_rng(6)
    a = it.Tensor.from_numpy(matrix(rng), "VBL")
    kernel = it.compile("C[i,j] = 2 * A[i,j]", {"C": "VBL"})
    computed = kernel.compute(kernel.assemble(A=a), A=a)
    for one, two in zip(kernel(A=a).buffers(), computed.buffers(), strict=True):
        np.testing.assert_array_equal(one, two)


def test_entries_make_blocks_whatever_their_values():
    """Structure decides: a product that is 0 is an entry, and a gap in one operand ends a block."""
    a = it.Tensor.from_numpy(np.array([[1.0, 2, 3, 0, 4, 5]]), "VBL")
    b = it.Tensor.from_coo([[0] * 5, [0, 1, 2, 3, 5]], [1.0, 0, 1, 1, 1], shape=(1, 6), format="csr")
    found = it.compile("C[i,j] = A[i,j] * B[i,j]", {"C": "VBL"})(A=a, B=b)
    assert found.levels[1].array("ends").tolist() == [3, 6]
    assert (found.nnz, found.pieces, found.values.tolist()) == (4, 2, [1, 0, 3, 5])


@pytest.mark.parametrize("format", ["dense, block_list", "block_list, dense", "block_list, block_list"])
def test_emulated_gpu(format):
    rng = np.random.default_rng(8)
    a, b, x = matrix(rng), matrix(rng), rng.integers(0, 3, 9) * 1.0
    operands = {"A": it.Tensor.from_numpy(a, format), "B": it.Tensor.from_numpy(b, format)}
    got = it.compile("y[i] = A[i,j] * x[j]", target="cuda-emulated")(A=operands["A"], x=x)
    np.testing.assert_array_equal(got, a @ x)
    made = it.compile("C[i,j] = A[i,j] * B[i,j]", {"C": "VBL"}, target="cuda-emulated")(**operands)
    made.check()
    np.testing.assert_array_equal(made.to_numpy(), a * b)


def test_loops_take_time_for_blocks_and_entries():
    """A gap of any length takes none, and nothing is searched."""
    counted = []
    for scale in (1, 1000):
        ends, offsets = np.array([4, 9, 20]) * scale - (scale - 1), [0, 3, 5, 9]
        arrays = {"positions": [0, 3], "ends": ends, "offsets": offsets}
        A = it.Tensor.from_buffers((20 * scale,), "block_list", [arrays], np.arange(9.0))
        counted.append(iterations("s = A[i]", {}, {"A": A}))
    assert counted[0] == counted[1] <= 3 + 9
