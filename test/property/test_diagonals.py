"""Tensors stored by diagonals, in every level that holds diagonals or elements, against NumPy (Kjolstad 2020, 2.5)."""

import numpy as np
import pytest
import scipy.sparse as sp
from sampling import few_or_many

import irtensor as it

FORMATS = [
    "(i, j) -> (j - i : compressed, i : range, j : offset)",
    "(i, j) -> (j - i : compressed, j : range, i : offset)",
    "(i, j) -> (i - j : compressed, i : range, j : offset)",
    "(i, j) -> (j - i : dense, i : range, j : offset)",
    "(i, j) -> (j - i : bitmap, j : range, i : offset)",
    "(i, j) -> (j - i : compressed, i : compressed, j : offset)",
    "(i, j) -> (i - j : compressed(nonunique), i : singleton, j : offset)",
    "(i, j) -> (j - i : dense, i : padded, j : offset)",
    "(i, j) -> (j - i : compressed, j : bitmap, i : offset)",
    "(i, j) -> (i - j : compressed, j : hashed, i : offset)",
]
SHAPES = [(4, 6), (6, 4), (5, 5), (0, 3), (3, 0), (1, 1), (1, 5), (5, 1)]


def banded(shape, seed, dtype="f8"):
    random = np.random.default_rng(seed)
    offsets = random.choice(np.arange(-5, 6), 3, replace=False)
    near = np.isin(np.arange(shape[1]) - np.arange(shape[0])[:, None], offsets)
    return (random.integers(0, 4, shape) * near).astype(dtype)


def run(statement, result=None, **operands):
    found = it.compile(statement, formats={statement[0]: result} if result else None)(**operands)
    if isinstance(found, it.Tensor):
        found.check()
        return found.to_numpy()
    return found


@pytest.mark.one_in(4)
@pytest.mark.parametrize("format", FORMATS)
def test_alone_and_with_dense_operands(format):
    for seed, shape in enumerate(SHAPES):
        a, random = banded(shape, seed), np.random.default_rng(seed)
        A = it.Tensor.from_numpy(a, it.Format(format))
        A.check()
        np.testing.assert_array_equal(A.to_numpy(), a)
        x, y, B, D = (
            random.random(shape[1]),
            random.random(shape[0]),
            random.random((shape[1], 3)),
            random.random(shape),
        )
        for statement, operands, expected in (
            ("y[i] = A[i,j] * x[j]", {"x": x}, a @ x),
            ("y[j] = A[i,j] * x[i]", {"x": y}, y @ a),
            ("y[i] = A[i,j] * x[j] + b[i]", {"x": x, "b": y}, a @ x + y),
            ("Y[i,k] = A[i,j] * B[j,k]", {"B": B}, a @ B),
            ("Y[i,j] = A[i,j]", {}, a),
            ("Y[j,i] = A[i,j] + 1", {}, a.T + 1),
            ("Y[i,j] = A[i,j] * D[i,j]", {"D": D}, a * D),
            ("Y[i,j] = A[i,j] + D[i,j]", {"D": D}, a + D),
            ("Y[i,j] = A[i,j] * sum(k, B[j,k])", {"B": B}, a * B.sum(1)),
            ("s = A[i,j]", {}, a.sum()),
        ):
            np.testing.assert_allclose(run(statement, A=A, **operands), expected, err_msg=f"{shape} {statement}")


@pytest.mark.one_in(4)
@pytest.mark.parametrize("format", FORMATS)
def test_sums_and_products_of_several(format):
    """So many that what is below an entry of each is chosen, not branched on: an element where there is an entry."""
    a, b, c, d = (banded((5, 6), seed) for seed in range(4))
    operands = {name: it.Tensor.from_numpy(array, it.Format(format)) for name, array in zip("ABCD", (a, b, c, d))}
    for right, expected in (
        ("A[i,j] + B[i,j] + C[i,j] + D[i,j]", a + b + c + d),
        ("A[i,j] + B[i,j] * C[i,j] + D[i,j]", a + b * c + d),
        ("(A[i,j] + B[i,j]) * (C[i,j] + D[i,j])", (a + b) * (c + d)),
    ):
        np.testing.assert_array_equal(run(f"Y[i,j] = {right}", **operands), expected, err_msg=right)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("format", FORMATS[:7])
def test_with_sparse_operands_and_results(format):
    for seed, shape in enumerate(few_or_many(SHAPES[2:4], SHAPES[:4])):
        a, c, e = banded(shape, seed), banded((shape[1], 4), seed + 50), banded((4, shape[0]), seed + 60)
        b = banded(shape, seed + 70)
        A = it.Tensor.from_numpy(a, it.Format(format))
        B, C, E = (it.Tensor.from_numpy(array, it.CSR) for array in (b, c, e))
        for statement, operands, expected in (
            ("Y[i,k] = A[i,j] * C[j,k]", {"C": C}, a @ c),
            ("Y[k,j] = E[k,i] * A[i,j]", {"E": E}, e @ a),
            ("Y[i,j] = A[i,j] + B[i,j]", {"B": B}, a + b),
            ("Y[i,j] = A[i,j] * B[i,j]", {"B": B}, a * b),
            ("Y[i,k] = A[i,j] * A[k,j]", {}, a @ a.T),
            ("Y[i,j] = A[i,j] + A[i,j] * A[i,j]", {}, a + a * a),
            ("Y[j,i] = A[i,j]", {}, a.T),
        ):
            for result in (None, it.CSR, it.DIA, it.Format(format)):
                found = run(statement, result, A=A, **operands)
                np.testing.assert_allclose(found, expected, err_msg=f"{shape} {statement} {result}")


def test_diagonals_of_several_operands():
    a, b = banded((5, 5), 1), banded((5, 5), 2)
    for left, right in ((FORMATS[0], FORMATS[1]), (FORMATS[0], FORMATS[2]), (FORMATS[5], FORMATS[0])):
        A, B = it.Tensor.from_numpy(a, it.Format(left)), it.Tensor.from_numpy(b, it.Format(right))
        np.testing.assert_allclose(run("Y[i,j] = A[i,j] + B[i,j]", A=A, B=B), a + b)
        np.testing.assert_allclose(run("Y[i,j] = A[i,j] * B[i,j]", A=A, B=B), a * b)
        np.testing.assert_allclose(run("Y[i,k] = A[i,j] * B[j,k]", A=A, B=B), a @ b)
        np.testing.assert_allclose(run("Y[i,k] = A[i,j] * B[j,k]", it.CSR, A=A, B=B), a @ b)
        np.testing.assert_allclose(run("Y[i,l] = A[i,j] * B[j,k] * A[k,l]", A=A, B=B), a @ b @ a)
        np.testing.assert_allclose(run("Y[i,j] = A[i,j] - A[j,i]", it.DIA, A=A), a - a.T)
        np.testing.assert_allclose(run("y[i] = A[i,i]", A=A), a.diagonal())


def test_results_are_collected_as_a_whole_where_diagonals_leave_no_other_order():
    """Diagonals inside of k, of an operand that cannot be reordered, and a result by rows of i."""
    a, b = banded((4, 5), 1), np.stack([banded((5, 3), seed) for seed in range(4)], axis=1)
    A = it.Tensor.from_numpy(a, it.Format("(i, j) -> (i - j : compressed, j : range, i : offset)"))
    B = it.Tensor.from_numpy(b, it.Format("(i, j, k) -> (j : dense, k - i : compressed, i : range, k : offset)"))
    expected = np.einsum("ki,ikj->ik", a, b)
    np.testing.assert_allclose(run("Y[i,k] = A[k,i] * B[i,k,j]", it.CSR, A=A, B=B), expected)


def test_operands_that_contradict_diagonals_are_converted():
    """A is read in another order than diagonals, which have but one; what follows from them stays its last level."""
    a, b = np.stack([banded((4, 5), seed) for seed in range(3)]), np.stack([banded((5, 4), seed) for seed in (8, 9)], 2)
    B = it.Tensor.from_numpy(b, it.Format("(k, j, i) -> (i : dense, j - k : compressed, k : range, j : offset)"))
    a = a[:2].transpose(2, 0, 1)
    expected = np.einsum("kij,kji->i", a, b)
    statement = "C[i] = sum(k, j, A[k,i,j] * B[k,j,i])"
    lists = (
        "dense, i : padded, k : dense",
        "compressed, i : compressed, k : bitmap",
        "dense, i : compressed, k : hashed",
    )
    for levels in lists:
        A = it.Tensor.from_numpy(a, it.Format(f"(k, i, j) -> (j : {levels})"))
        np.testing.assert_allclose(run(statement, A=A, B=B), expected, err_msg=levels)


def test_diagonals_inside_other_levels():
    random = np.random.default_rng(0)
    a, x = (random.random((3, 4, 5)) < 0.4) * random.random((3, 4, 5)), random.random(5)
    for text in (
        "(i, j, k) -> (i : dense, k - j : compressed, j : range, k : offset)",
        "(i, j, k) -> (i : compressed, k - j : dense, k : range, j : offset)",
        "(i, j, k) -> (k - j : compressed, i : compressed, j : range, k : offset)",
        "(i, j, k) -> (j - i : compressed, i : range, j : offset, k : compressed)",
        "(i, j, k) -> (j - i : compressed, k : dense, i : range, j : offset)",
    ):
        A = it.Tensor.from_numpy(a, it.Format(text))
        A.check()
        np.testing.assert_array_equal(A.to_numpy(), a)
        np.testing.assert_allclose(run("Y[i,j] = A[i,j,k] * x[k]", A=A, x=x), a @ x, err_msg=text)
        np.testing.assert_allclose(run("Y[i,j] = A[i,j,k] * x[k]", "dense, compressed", A=A, x=x), a @ x, err_msg=text)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("dtype", ["bool", "int8", "int16", "int32", "int64", "f4", "f8", "c8", "c16"])
def test_dtypes(dtype):
    for format in FORMATS[:4]:
        a = banded((6, 5), 3, dtype)
        A = it.Tensor.from_numpy(a, it.Format(format))
        x = np.ones(5, dtype)
        np.testing.assert_array_equal(it.einsum("ij,j->i", A, x), np.einsum("ij,j->i", a, x))


def test_fills():
    a = np.where(np.eye(4, 5) > 0, 3.0, np.inf)
    A = it.Tensor.from_numpy(a, it.Format(FORMATS[0] + ", fill = inf"))
    assert A.values.size == 4
    np.testing.assert_array_equal(run("Y[i,j] = A[i,j]", A=A), a)
    np.testing.assert_array_equal(run("Y[i,j] = min(A[i,j], 2)", A=A), np.minimum(a, 2))


def test_what_lies_outside_of_the_matrix_is_never_read():
    data = np.array([[1.0, 2, 3, 4, 5], [6, 7, 8, 9, 10], [np.nan, np.nan, 11, 12, 13]])
    diagonals = sp.dia_array((data, np.array([-3, 0, 2])), shape=(4, 5))
    data[0, 1:], data[1, 4] = np.nan, np.nan
    A = it.Tensor.from_scipy(diagonals)
    assert np.shares_memory(A.values, data)
    expected = np.nan_to_num(diagonals.toarray())
    np.testing.assert_array_equal(A.to_numpy(), expected)
    np.testing.assert_array_equal(it.einsum("ij,j->i", A, np.ones(5)), expected.sum(1))
    np.testing.assert_array_equal(it.einsum("ij->", A.to_format(it.DIA)), expected.sum())


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    "blocks", [it.BCSR(2, 3), it.Format("(i, j) -> (i floordiv 3 : dense, j : compressed, i mod 3 : dense)")]
)
@pytest.mark.parametrize("result", [None, it.Format("bitmap")])
def test_rows_beside_those_of_an_operand_in_blocks(blocks, result):
    """Diagonals begin where they cross the row, whose number is put together from a block's and the place in it."""
    a, b = banded((8, 7), 1), banded((8, 7), 2)
    operands = {"A": it.Tensor.from_numpy(a, it.DIA), "B": it.Tensor.from_numpy(b, blocks)}
    found = run("y[i] = max(j, A[i,j]) + min(j, B[i,j])", result, **operands)
    np.testing.assert_array_equal(found, a.max(axis=1) + b.min(axis=1))
    found = run("y[i] = sum(j, A[i,j]) * sum(j, B[i,j])", result, **operands)
    np.testing.assert_array_equal(found, a.sum(axis=1) * b.sum(axis=1))


def test_without_conversions_the_reason_is_given():
    kernel = it.compile("Y[i,j] = A[i,j] * B[i,j]", formats={"A": it.DIA, "B": it.CSR}, convert=False)
    with pytest.raises(it.UserError, match=r"diagonal-mismatch.*'B' is not looked up by i(?s:.*)convert=True"):
        kernel(A=it.Tensor.from_numpy(np.eye(3), it.DIA), B=it.Tensor.from_numpy(np.eye(3), it.CSR))


def test_vectors_go_along_diagonals():
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": it.DIA}, num_threads=1)
    assert "x double>" in kernel.llvm_ir(optimized=True)


def test_parts_are_measured_by_the_lengths_of_diagonals():
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": it.DIA}, num_threads=4)
    assert "by the lengths of the loops inside" in kernel.explain()


def test_a_loop_that_becomes_several_is_explained_in_one_line():
    text = it.compile("C[i,j] = A[i,j] + 2", formats={"A": it.DIA}, num_threads=4).explain().partition("\nthreads\n")[2]
    assert text.count("for d: ") == 1 and "; then in parts of" in text


@pytest.mark.parametrize("format", [it.DIA, it.Format("(i, j) -> (j - i : compressed, j : range, i : offset)")])
def test_threads_share_no_component_that_several_diagonals_reach(format, small_parts):
    """The row that follows from a column and a diagonal is the same in many iterations of both loops."""
    formats = {"A": format, "x": it.Format("compressed")}
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats=formats, num_threads=4)
    assert "each part has a copy of 'y' of its own" in kernel.explain()
    a, x = banded((40, 50), 9), np.arange(50.0) % 3
    given = {"A": it.Tensor.from_numpy(a, format), "x": it.Tensor.from_numpy(x, formats["x"])}
    np.testing.assert_array_equal(kernel(**given), a @ x)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("blocks", ["i", "j", "ij"])
@pytest.mark.parametrize("levels", ["dense", "bitmap", "compressed"])
@pytest.mark.parametrize("format", FORMATS[:3])
def test_into_blocks(format, levels, blocks):
    """Loops along diagonals know a block only when they are in it, or come back to it."""
    whole = [f"{name} floordiv {size}" if name in blocks else name for name, size in (("i", 2), ("j", 3))]
    order = [*whole, *(f"{name} mod {size}" for name, size in (("i", 2), ("j", 3)) if name in blocks)]
    kinds = [f"{level} : {levels if number < 2 else 'dense'}" for number, level in enumerate(order)]
    result = it.Format(f"(i, j) -> ({', '.join(kinds)})")
    for seed, shape in enumerate(SHAPES):
        a = banded(shape, seed)
        d = np.random.default_rng(seed).random((shape[1], 4))
        A = it.Tensor.from_numpy(a, it.Format(format))
        np.testing.assert_array_equal(run("C[i,j] = A[i,j]", result, A=A), a)
        np.testing.assert_array_equal(run("C[j,i] = A[i,j]", result, A=A), a.T)
        np.testing.assert_allclose(run("C[i,k] = A[i,j] * D[j,k]", result, A=A, D=d), a @ d)


PLANES = [
    "(i, j, k) -> (j : dense, k - i : compressed, i : range, k : offset)",
    "(i, j, k) -> (j : compressed, k - i : dense, i : range, k : offset)",
    "(i, j, k) -> (k - i : compressed, j : dense, i : range, k : offset)",
    "(i, j, k) -> (k - i : compressed, i : range, k : offset, j : dense)",
    "(i, j, k) -> (k - i : compressed, i : range, k : offset, j : compressed)",
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("format", PLANES)
def test_reductions_of_other_dimensions_inside(format):
    """The format may ask for a loop outside of that over diagonals which the statement has inside of it."""
    random = np.random.default_rng(3)
    b = random.integers(1, 4, (4, 4, 4)) * (random.random((4, 4, 4)) < 0.7).astype("f8")
    d, v = random.integers(1, 4, (4, 4, 4)).astype("f8"), random.integers(1, 4, 4).astype("f8")
    B = it.Tensor.from_numpy(b, it.Format(format))
    for statement, expected in (
        ("C[i] = prod(k, j, B[i,j,k]) + prod(k, j, D[j,k,i])", b.prod((1, 2)) + d.prod((0, 1))),
        ("C[k] = prod(i, j, B[i,j,k]) + prod(i, j, D[j,k,i])", b.prod((0, 1)) + d.prod((0, 2))),
        ("C[i] = max(k, v[k] * prod(j, B[i,j,k]))", (v * b.prod(1)).max(1)),
        ("C[j] = max(i, v[i] * max(k, B[i,j,k]))", (v[:, None] * b.max(2)).max(0)),
    ):
        given = {name: value for name, value in (("B", B), ("D", d), ("v", v)) if f"{name}[" in statement}
        np.testing.assert_array_equal(run(statement, **given), expected)
