"""Results that are lists of tuples in no order are appended to in the order in which operands are stored."""

from itertools import permutations

import numpy as np
import pytest

import irtensor as it

MATRIX = np.random.default_rng(0).integers(1, 9, (7, 9)) * (np.random.default_rng(1).random((7, 9)) < 0.3)
CUBE = np.random.default_rng(2).integers(1, 9, (4, 5, 6)) * (np.random.default_rng(3).random((4, 5, 6)) < 0.3)
PAIRS = (
    "compressed(nonunique, nonordered), singleton(nonordered)",
    "(i, j) -> (j : compressed(nonunique, nonordered), i : singleton(nonordered))",
)
TRIPLES = (
    "compressed(nonunique, nonordered), singleton(nonunique, nonordered), singleton(nonordered)",
    "(i, j, k) -> (j : dense, i : compressed(nonunique, nonordered), k : singleton(nonordered))",
    "compressed(nonunique, nonordered), singleton(nonordered), dense",
)


def run(text, result, expected, **operands):
    """Checks the kernel on one thread and on three, and its kinds; returns what explain() says."""
    formats = {"C": it.Format(result), **{name: tensor.format for name, tensor in operands.items()}}
    for threads in (1, 3):
        kernel = it.compile(text, formats=formats, num_threads=threads)
        found = kernel(**operands)
        found.check("C")
        np.testing.assert_array_equal(found.to_numpy(), expected)
        again = kernel.compute(kernel.assemble(**operands), **operands)
        np.testing.assert_array_equal(again.to_numpy(), expected)
    # A kernel that was not called yet speaks of whole results.
    return it.compile(text, formats=formats).explain()


@pytest.mark.parametrize("format", PAIRS)
def test_pairs(format):
    a = it.Tensor.from_numpy(MATRIX, it.CSR)
    t = it.Tensor.from_numpy(np.ascontiguousarray(MATRIX.T), it.CSR)
    for text, expected in (
        ("C[j,i] = A[i,j]", MATRIX.T),
        ("C[i,j] = A[i,j] * 2", 2 * MATRIX),
        ("C[j,i] = A[i,j] + A[i,j] * A[i,j]", (MATRIX + MATRIX**2).T),
    ):
        shown = run(text, format, expected, A=a)
        assert "conversions and workspaces" not in shown, text
    shown = run("C[j,i] = A[i,j]", format, MATRIX.T, A=a)
    assert "append: its entries are in no order" in shown
    # Sums hold one row at a time, whatever the order of the result's levels.
    shown = run("C[i,k] = A[i,j] * B[j,k]", format, MATRIX @ MATRIX.T, A=a, B=t)
    assert "entries over k are collected in a workspace first" in shown
    assert "is converted" not in shown


@pytest.mark.one_in(16)
@pytest.mark.parametrize("format", TRIPLES)
@pytest.mark.parametrize("order", list(permutations("ijk")), ids="".join)
def test_transposed_cubes(format, order):
    expected = np.transpose(CUBE, ["ijk".index(index) for index in order])
    run(f"C[{','.join(order)}] = A[i,j,k]", format, expected, A=it.Tensor.from_numpy(CUBE, it.CSF(3)))


def test_what_has_an_order_keeps_it():
    """A level above the tuples is still appended to in its order, and so are tuples whose first level is ordered."""
    a = it.Tensor.from_numpy(MATRIX, it.CSR)
    kernel = it.compile("C[j,i] = A[i,j]", formats={"A": it.CSR, "C": it.COO(2)})
    coordinates, _ = kernel(A=a).to_coo()
    assert (np.diff(coordinates[0] * 10 + coordinates[1]) > 0).all()


def test_unsorted_rows_reach_scipy():
    format = it.Format("dense, compressed(nonordered)")
    levels = [None, (np.array([0, 2, 3]), np.array([2, 0, 1]))]
    rows = it.Tensor.from_buffers((2, 3), format, levels, np.array([1.0, 2.0, 3.0]))
    matrix = it.einsum("ij->ij", rows, format=format).to_scipy().tocsr()
    matrix.sum_duplicates()
    np.testing.assert_array_equal(matrix.indices, [0, 2, 1])
    np.testing.assert_array_equal(matrix.data, [2, 1, 3])


UNSORTED_ROWS = "compressed, compressed(nonordered)"
# Statement, formats of operands, format of the result.
THROUGH_TABLES = [
    ("C[i,k] = A[i,j] * B[j,k]", {"A": it.DCSR, "B": it.DCSR}, UNSORTED_ROWS),
    ("C[i,k] = A[i,j] * B[j,k]", {"A": it.DCSR, "B": it.DCSR}, PAIRS[0]),
    ("C[k,i] = A[i,j] * B[j,k]", {"A": it.DCSR, "B": it.DCSR}, PAIRS[1]),
    ("C[i,k] = A[j,i] * B[j,k]", {"A": it.DCSR, "B": it.DCSR}, PAIRS[0]),
]


# Extents for which no memory is taken, so that hash tables take the place of arrays.
WIDE = 10**9


def wide(array, format):
    """The entries of an array as those of a tensor with wide extents."""
    coordinates = np.argwhere(array).T
    return it.Tensor.from_coo(coordinates, array[tuple(coordinates)], shape=(WIDE,) * 2, format=format)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("text", "formats", "result"), THROUGH_TABLES)
def test_hash_tables_are_listed_as_they_were_filled(text, formats, result):
    """Where the result's entries are in no order; arrays are as well, of what has moderate extents."""
    random = np.random.default_rng(5)
    kernel = it.compile(text, formats={**formats, "C": it.Format(result)})
    for density in (0.0, 0.1, 0.5):
        dense = {name: random.integers(1, 9, (60, 60)) * (random.random((60, 60)) < density) for name in formats}
        operands = {name: it.Tensor.from_numpy(array, formats[name]) for name, array in dense.items()}
        expected = it.compile(text)(**dense)
        run(text, result, expected, **operands)
        found = kernel(**{name: wide(array, formats[name]) for name, array in dense.items()})
        coordinates, values = found.to_coo()
        array = np.zeros((60, 60), values.dtype)
        array[tuple(coordinates)] = values
        np.testing.assert_array_equal(array, expected)
    assert "loop.map_list" in kernel.ir("loop") and "unordered" in kernel.ir("loop")


def test_hash_tables_are_listed_in_order_where_the_result_is():
    kernel = it.compile("C[i,k] = A[i,j] * B[j,k]", formats=dict.fromkeys("ABC", it.DCSR))
    kernel(**dict.fromkeys("AB", wide(np.eye(3), it.DCSR)))
    assert "loop.map_list" in kernel.ir("loop") and "unordered" not in kernel.ir("loop")


def test_hash_tables_are_listed_in_order_where_gaps_are_stored():
    """The largest of infinities is infinite where nothing is stored, and the result has zeros there."""
    formats = {"A": it.CSR.with_fill(np.inf), "B": it.CSC.with_fill(np.inf)}
    square = np.where(MATRIX[:, :7] == 0, np.inf, MATRIX[:, :7])
    kernel = it.compile(
        "C[j,k] = max(i, max(A[i,k], B[k,j]))",
        formats={**formats, "C": it.Format("(i, j) -> (j : compressed, i : bitmap)")},
        schedule=it.schedule('precompute(max(A[i,k], B[k,j]), over=(j, k), format="hashed, hashed")'),
    )
    found = kernel(A=square, B=square)
    np.testing.assert_array_equal(found.to_numpy(), np.maximum(square[:, None, :], square.T[None]).max(axis=0))


@pytest.mark.parametrize("result", ["hashed", "bitmap", "dense"])
@pytest.mark.parametrize("operator", ["*", "%", "//"])
def test_entries_in_no_order_go_into_what_has_none(operator, result):
    """Without a sorted copy: what is put into a table or found by its place may come in any order."""
    a, b = np.array([0, 5.0, 0, 3, 8]), np.arange(1, 6.0)
    unordered = it.Format("compressed(nonordered)")
    text = f"C[i] = A[i] {operator} B[i]"
    kernel = it.compile(text, formats={"A": unordered, "C": it.Format(result)}, convert=False)
    found = kernel(A=it.Tensor.from_numpy(a, unordered), B=b)
    expected = {"*": np.multiply, "%": np.remainder, "//": np.floor_divide}[operator](a, b)
    np.testing.assert_array_equal(found.to_numpy() if isinstance(found, it.Tensor) else found, expected)
