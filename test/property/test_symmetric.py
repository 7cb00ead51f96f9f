"""Tensors of whose mirrors one is stored, read by their stored part or converted, against NumPy."""

import warnings
from itertools import permutations

import numpy as np
import pytest
import scipy.sparse as sp

import irtensor as it
from irtensor.storage import convert_segments

MATRICES = [
    "(i, j) -> (i : dense, j : compressed), symmetric",
    "(i, j) -> (j : dense, i : compressed), symmetric",
    "(i, j) -> (i : compressed, j : compressed), symmetric",
    "(i, j) -> (i : compressed(nonunique), j : singleton), symmetric",
    "(i, j) -> (j : compressed(nonunique), i : singleton), symmetric, pos = i32, crd = i8",
    "(i, j) -> (i : dense, j : dense), symmetric",
    "(i, j) -> (j : compressed, i : dense), symmetric",
    "(i, j) -> (i : dense, j : bitmap), symmetric",
    "(i, j) -> (i : dense, j : hashed), symmetric",
    "(i, j) -> (i : dense, j : padded), symmetric(i, j)",
]
CUBES = [
    "(i, j, k) -> (i : compressed, j : compressed, k : compressed), symmetric",
    "(i, j, k) -> (k : dense, i : compressed, j : compressed), symmetric",
    "(i, j, k) -> (i : dense, j : dense, k : dense), symmetric",
    "(i, j, k) -> (i : compressed(nonunique), j : singleton(nonunique), k : singleton), symmetric",
    "(i, j, k) -> (j : dense, i : compressed, k : compressed), symmetric(i, k)",
]
# Statement, and what it is in NumPy: of A, a vector, and matrices.
OF_MATRICES = [
    ("y[i] = A[i,j] * x[j]", lambda A, x: A @ x),
    ("y[j] = A[i,j] * x[i]", lambda A, x: x @ A),
    ("y = x[i] * A[i,j] * z[j]", lambda A, x, z: x @ A @ z),
    ("y = A[i,j]", lambda A: A.sum()),
    ("Y[i,k] = A[i,j] * X[j,k]", lambda A, X: A @ X),
    ("Y[k,j] = X[i,k] * A[i,j]", lambda A, X: X.T @ A),
    ("Y[i,k] = A[i,j] * D[j,k]", lambda A, D: A @ D),
    ("Y[i,j] = A[i,j] * D[i,j]", lambda A, D: A * D),
    ("y[i] = A[i,j] * D[i,j]", lambda A, D: (A * D).sum(1)),
    ("Y[i,j] = A[i,j] + D[i,j]", lambda A, D: A + D),
    ("Y[i,j] = A[i,j] * A[i,j]", lambda A: A * A),
    ("Y[i,k] = A[i,j] * A[j,k]", lambda A: A @ A),
    ("y[i] = A[i,j] * x[j] + z[i]", lambda A, x, z: A @ x + z),
    ("y[i] = S[i,j] * A[i,j]", lambda A, S: (A * S).sum(1)),
    ("Y[i,j] = A[i,j] + S[i,j]", lambda A, S: A + S),
    ("y[i] = A[i,i] * x[i]", lambda A, x: np.diag(A) * x),
    ("y[i] max= A[i,j]", lambda A: A.max(1, initial=np.iinfo("i8").min if A.dtype.kind == "i" else -np.inf)),
    ("y = x[i] * A[i,j] * x[j]", lambda A, x: x @ A @ x),
    ("y = X[i,k] * A[i,j] * X[j,k]", lambda A, X: np.trace(X.T @ A @ X)),
]
OF_CUBES = [
    ("y[i] = A[i,j,k] * x[j] * z[k]", lambda A, x, z: np.einsum("ijk,j,k->i", A, x, z)),
    ("y[k] = A[i,j,k] * x[i] * z[j]", lambda A, x, z: np.einsum("ijk,i,j->k", A, x, z)),
    ("y = A[i,j,k]", lambda A: A.sum()),
    ("Y[i,k] = A[i,j,k] * x[j]", lambda A, x: np.einsum("ijk,j->ik", A, x)),
    ("y[i] = A[i,j,k] * D[j,k]", lambda A, D: np.einsum("ijk,jk->i", A, D)),
    ("Y[i,j,k] = A[i,j,k] + A[i,j,k]", lambda A: A + A),
    ("Y[i,j,l] = A[i,j,k] * X[k,l]", lambda A, X: np.einsum("ijk,kl->ijl", A, X)),
    ("y = x[k] * A[i,j,k] * x[i] * x[j]", lambda A, x: np.einsum("ijk,i,j,k->", A, x, x, x)),
    ("y[i] = x[k] * A[i,j,k] * x[j]", lambda A, x: np.einsum("ijk,j,k->i", A, x, x)),
]


def symmetric(size, format, seed, dtype="f8"):
    """An array of small numbers that is symmetric as the format says; half of its elements are zero."""
    random, dimensions = np.random.default_rng(seed), it.Format(format)
    shape = (size,) * dimensions.rank
    array = np.where(random.random(shape) < 0.5, random.integers(-3, 4, shape), 0)
    coordinates = np.indices(shape)
    exchanged = list(dimensions.symmetric)
    coordinates[exchanged] = np.sort(coordinates[exchanged], axis=0)
    return array[tuple(coordinates)].astype(dtype)


def operands_of(statement, size, dtype, seed=0):
    random = np.random.default_rng([seed, size])
    shapes = {"x": (size,), "z": (size,), "X": (size, 3), "D": (size, size), "S": (size, size)}
    return {
        name: random.integers(-3, 4, shape).astype(dtype) for name, shape in shapes.items() if f"{name}[" in statement
    }


def check(format, statement, expected, size, dtype, threads):
    array, operands = symmetric(size, format, size, dtype), operands_of(statement, size, dtype)
    A = it.Tensor.from_numpy(array, format)
    A.check()
    wanted = expected(array, *operands.values())
    given = {name: sp.csr_array(one) if name == "S" else one for name, one in operands.items()}
    kernel = it.compile(statement, num_threads=threads)
    np.testing.assert_array_equal(kernel(A=A, **given), wanted)


@pytest.mark.one_in(8)
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", ["i8", "f8"])
@pytest.mark.parametrize("format", MATRICES)
@pytest.mark.parametrize(("statement", "expected"), OF_MATRICES)
def test_matrices(format, statement, expected, dtype, threads):
    for size in range(7):
        if size or "max=" not in statement:
            check(format, statement, expected, size, dtype, threads)


@pytest.mark.one_in(6)
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", ["i8", "f8"])
@pytest.mark.parametrize("format", CUBES)
@pytest.mark.parametrize(("statement", "expected"), OF_CUBES)
def test_cubes(format, statement, expected, dtype, threads):
    for size in range(6):
        check(format, statement, expected, size, dtype, threads)


# Statement, and what it is in NumPy.
EQUAL_MIRRORS = {
    "y = x[i] * A[i,j] * x[j]": lambda A, x: x @ A @ x,
    "y[i] = x[k] * A[i,j,k] * x[j]": lambda A, x: A @ x @ x,
    "y = x[k] * A[i,j,k] * x[i] * x[j]": lambda A, x: A @ x @ x @ x,
    "y ^= A[i,j] & x[i] & x[j]": lambda A, x: np.bitwise_xor.reduce(A & x & x[:, None], (0, 1)),
    "y |= A[i,j] & x[i] & x[j]": lambda A, x: np.bitwise_or.reduce(A & x & x[:, None], (0, 1)),
    "y = join(i, join(j, A[i,j] * x[i] * x[j]))": lambda A, x: np.prod(1 + x[:, None] * A * x) - 1,
}
# How many products each of them computes for an entry: there would be one for each mirror.
PRODUCTS = [1, 3, 1, 1, 1, 1]


@pytest.mark.parametrize("number", range(6))
def test_equal_mirrors_are_computed_once(number):
    """A sum has multiples, what is idempotent is combined once, and other values are stored again."""
    statement = [*EQUAL_MIRRORS][number]
    join = it.operator("join", lambda a, b: a + b + a * b, associative=True, commutative=True, identity=0)
    operators, dtype = ([join] if "join" in statement else []), "i8" if "&" in statement else "f8"
    for format in CUBES[:3] if "k" in statement else (MATRICES[0], MATRICES[5]):
        array, x = symmetric(4, format, 3, dtype), operands_of("x[", 4, dtype)["x"]
        kernel = it.compile(statement, operators=operators)
        found = kernel(A=it.Tensor.from_numpy(array, format), x=x)
        np.testing.assert_array_equal(found, EQUAL_MIRRORS[statement](array, x))
        assert kernel.ir("concrete_index").count(" = concrete_index.access %x[") <= 3 * PRODUCTS[number]


@pytest.mark.parametrize(
    "formats", [(MATRICES[0], MATRICES[5]), (MATRICES[5], MATRICES[5]), (MATRICES[2], MATRICES[0])]
)
def test_two_symmetric_operands(formats):
    """In sums of their own both are read once; of two in one statement, one is."""
    A, B = (symmetric(4, format, seed) for seed, format in enumerate(formats))
    x, z = operands_of("x[ z[", 4, "f8").values()
    given = {"A": it.Tensor.from_numpy(A, formats[0]), "B": it.Tensor.from_numpy(B, formats[1])}
    kernel = it.compile("s = x[i] * A[i,j] * x[j] * z[k] * B[k,l] * z[l]")
    assert kernel(**given, x=x, z=z) == (x @ A @ x) * (z @ B @ z)
    assert kernel.explain().count("is read once: each entry stands for its mirrors too") == 2
    kernel = it.compile("y[i] = A[i,j] * x[j] + B[i,j] * z[j]")
    np.testing.assert_array_equal(kernel(**given, x=x, z=z), A @ x + B @ z)
    kernel = it.compile("s = sum(i, j, k, l, A[i,j] * B[k,l] * (x[i] * x[j] + z[k] * z[l]))")
    weights = np.multiply.outer(x, x)[:, :, None, None] + np.multiply.outer(z, z)
    assert kernel(**given, x=x, z=z) == np.einsum("ij,kl,ijkl->", A, B, weights)


@pytest.mark.parametrize("format", [MATRICES[0], MATRICES[1], MATRICES[5], CUBES[0]])
def test_semirings(format):
    array = symmetric(5, format, 3)
    weights = np.where(array == 0, -np.inf, array)
    subscripts = ["ij,j->i", "ijk,j->i"][array.ndim - 2]
    x = np.arange(5.0)
    A = it.Tensor.from_numpy(weights, f"{format}, fill = -inf")
    found = it.einsum(subscripts, A, x, semiring=it.Semiring("max", "add"))
    spread = weights + (x[:, None] if array.ndim == 3 else x)
    np.testing.assert_array_equal(found, spread.reshape(5, -1).max(1) if array.ndim == 2 else spread.max((1, 2)))


def test_nothing_is_multiplied_where_nothing_is_stored():
    A, x = it.Tensor.from_numpy(np.diag([1.0, 2.0, 3.0]), MATRICES[0]), np.array([1.0, np.inf, np.nan])
    np.testing.assert_array_equal(it.compile("y[i] = A[i,j] * x[j]")(A=A, x=x), x * [1, 2, 3])


EXPANDED = {
    "y[i] = A[i,j] * x[j]": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    "y = A[i,j]": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    "Y[i,j] = A[i,j] * D[i,j]": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    "Y[i,j] = A[i,j] + D[i,j]": [5],
    "y[i] = S[i,j] * A[i,j]": [],
    "Y[i,j] = A[i,j] * A[i,j]": [],
}


@pytest.mark.parametrize("statement", EXPANDED)
def test_which_are_read_once(statement):
    read_once: list[int] = []
    for number, format in enumerate(MATRICES):
        formats = {"A": format} | ({"S": it.CSR} if "S[" in statement else {})
        text = it.compile(statement, formats).ir("concrete_index")
        assert ("storage.stored_part" in text) != ("storage.converts" in text)
        if "storage.stored_part" in text:
            read_once.append(number)
    assert read_once == EXPANDED[statement]


@pytest.mark.parametrize("format", [*MATRICES, *CUBES])
def test_all_entries_are_there(format, tmp_path):
    for size in range(6):
        array = symmetric(size, format, size)
        A = it.Tensor.from_numpy(array, format)
        coordinates, values = A.to_coo()
        assert len(set(map(tuple, coordinates.T))) == values.size
        seen = np.zeros_like(array)
        seen[tuple(coordinates)] = values
        np.testing.assert_array_equal(seen, array)
        np.testing.assert_array_equal(A.to_numpy(), array)
        for axes in permutations(range(array.ndim)):
            turned = A.transpose(axes)
            turned.check()
            np.testing.assert_array_equal(turned.to_numpy(), array.transpose(axes))
        for other in (it.COO(array.ndim), it.CSF(array.ndim), A.format.whole, A.format):
            stored = A.to_format(other)
            stored.check()
            np.testing.assert_array_equal(stored.to_numpy(), array)
            back = stored.to_format(A.format)
            back.check()
            np.testing.assert_array_equal(back.to_numpy(), array)
        if array.ndim == 2:
            np.testing.assert_array_equal(A.to_scipy().toarray(), array)
            path = str(tmp_path / "A.mtx")
            it.write(path, A)
            np.testing.assert_array_equal(it.read(path, format=format).to_numpy(), array)
            np.testing.assert_array_equal(it.read(path).to_numpy(), array)


@pytest.mark.parametrize("target", ["csr", "csr, symmetric", "coo"])
@pytest.mark.parametrize("format", [MATRICES[0], MATRICES[3], MATRICES[5]])
def test_products_into_lists(format, target):
    """An entry and its mirror would be two statements that append."""
    array, operands = symmetric(6, format, 4), operands_of("X[", 6, "f8")
    kernel = it.compile("B[k,l] = X[i,k] * A[i,j] * X[j,l]", {"B": target})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = kernel(A=it.Tensor.from_numpy(array, format), **operands)
    found.check()
    np.testing.assert_array_equal(found.to_numpy(), operands["X"].T @ array @ operands["X"])


@pytest.mark.parametrize("format", MATRICES)
def test_conversions(format):
    """A stored part is converted as it is; entries below the diagonal are nowhere."""
    array = symmetric(6, format, 3)
    array[4] = array[:, 4] = 0
    A = it.Tensor.from_numpy(array, format)
    for other in map(it.Format, MATRICES):
        stored = A.to_format(other)
        stored.check()
        np.testing.assert_array_equal(stored.to_numpy(), array)
        if not other.may_hold_fill:
            assert stored.nnz == np.count_nonzero(np.triu(array))


@pytest.mark.parametrize("format", MATRICES)
def test_results(format):
    array = symmetric(6, format, 1)
    A = it.Tensor.from_numpy(array, format)
    found = it.compile("C[i,j] = 2 * A[i,j]", {"C": format})(A=A)
    found.check()
    assert found.format.symmetric == (0, 1)
    np.testing.assert_array_equal(found.to_numpy(), 2 * array)
    with pytest.raises(it.UserError, match=r"the element at \(0, 1\) is"):
        it.compile("C[i,j] = A[i,j] * x[j] + y[i]", {"C": format})(A=A, x=np.arange(6.0), y=np.arange(1.0, 7.0))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("format", MATRICES)
@pytest.mark.parametrize(("statement", "expected"), [OF_MATRICES[number] for number in (0, 3, 4, 9)])
def test_emulated_gpu(format, statement, expected):
    array, operands = symmetric(6, format, 2), operands_of(statement, 6, "f8")
    A, kernel = it.Tensor.from_numpy(array, format), it.compile(statement, target="cuda-emulated")
    np.testing.assert_array_equal(kernel(A=A, **operands), expected(array, *operands.values()))


@pytest.mark.parametrize("mode", ["operands", "samples", "format"])
def test_measured(mode):
    array, x = symmetric(6, MATRICES[0], 4), np.arange(6.0)
    kernel = it.compile("y[i] = A[i,j] * x[j]", tune=mode)
    np.testing.assert_array_equal(kernel(A=it.Tensor.from_numpy(array, MATRICES[0]), x=x), array @ x)


@pytest.mark.parametrize("step", ["reorder(j, i)", "parallelize(i)", "split(i, i0, i1, 4)", "unroll(j, 2)"])
def test_schedules_have_all_entries(step):
    array, x = symmetric(6, MATRICES[0], 5), np.arange(6.0)
    kernel = it.compile("y[i] = A[i,j] * x[j]", schedule=it.schedule(step), num_threads=2)
    np.testing.assert_array_equal(kernel(A=it.Tensor.from_numpy(array, MATRICES[0]), x=x), array @ x)
    assert "a schedule has" in kernel.explain()


def test_index_and_values():
    array = symmetric(6, MATRICES[0], 6)
    A = it.Tensor.from_numpy(array, MATRICES[0])
    kernel = it.compile("C[i,j] = 2 * A[i,j]", {"C": MATRICES[0]})
    found = kernel.compute(kernel.assemble(A=A), A=A)
    found.check()
    np.testing.assert_array_equal(found.to_numpy(), 2 * array)


def test_assignment():
    array = symmetric(6, MATRICES[0], 7)
    A, C = it.Tensor.from_numpy(array, MATRICES[0]), it.Tensor.from_numpy(0 * array, MATRICES[0])
    i, j = it.indices("i j")
    C[i, j] = A[i, j] * 3
    np.testing.assert_array_equal(C.to_numpy(), 3 * array)
    assert C.nnz == A.nnz
    for found, wanted in ((A * 2, 2 * array), (A + A, 2 * array), (A @ A, array @ array), (A.sum(), array.sum())):
        np.testing.assert_array_equal(found.to_numpy() if isinstance(found, it.Tensor) else found, wanted)
    np.testing.assert_array_equal(A.diagonal().to_numpy(), np.diag(array))


MODULE = """
#sym = #storage.format<(i, j) -> (i : dense, j : compressed), symmetric>
func.func @f(%A: tensor<?x?xf64, #sym>, %x: tensor<?xf64>) -> tensor<?xf64> {
  %y = index_notation.assign (%i) : tensor<?xf64> {
    %s = index_notation.reduce add (%j) : f64 {
      %a = index_notation.access %A[%i, %j] : tensor<?x?xf64, #sym>
      %b = index_notation.access %x[%j] : tensor<?xf64>
      %p = algebra.apply mul(%a, %b) : (f64, f64) -> f64
      index_notation.yield %p : f64
    }
    index_notation.yield %s : f64
  }
  func.return %y : tensor<?xf64>
}
"""


PARTS = {
    "y[i] = A[i,j] * x[j] + z[i]": lambda A, x, z, D: A @ x + z,
    "y[i] = z[i] - A[i,j] * x[j]": lambda A, x, z, D: z - A @ x,
    "s = sum(i, j, A[i,j]) + 1": lambda A, x, z, D: A.sum() + 1,
    "Y[i,k] = D[i,k] - A[i,j] * D[j,k]": lambda A, x, z, D: D - A @ D,
    "Y[k,i] = max(sum(j, A[i,j] * D[j,k]), D[i,k])": lambda A, x, z, D: np.maximum(A @ D, D).T,
    "y[i] = A[i,j] * x[j] + D[i,j] * x[j]": lambda A, x, z, D: (A + D) @ x,
    "Y[i,k] = sum(j, A[i,j] * x[j]) * D[i,k]": lambda A, x, z, D: (A @ x)[:, None] * D,
    "y[i] = max(sum(j, D[i,j] * z[j]), sum(j, A[i,j] * x[j]))": lambda A, x, z, D: np.maximum(D @ z, A @ x),
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("statement", PARTS)
@pytest.mark.parametrize("format", [MATRICES[0], MATRICES[5], MATRICES[7]])
def test_sums_for_further_use(format, statement, threads, small_parts):
    """Entries and their mirrors are of different elements of what is computed before."""
    array, operands = symmetric(6, format, 2), operands_of(statement, 6, "f8")
    given = {name: operands.get(name) for name in "xzD"}
    kernel = it.compile(statement, num_threads=threads)
    found = kernel(A=it.Tensor.from_numpy(array, format), **operands)
    np.testing.assert_array_equal(found, PARTS[statement](array, **given))
    assert "is read once: each entry stands for its mirrors too" in kernel.explain()


def test_modules():
    array, x = symmetric(6, MATRICES[0], 8), np.arange(6.0)
    for operand in (it.Tensor.from_numpy(array, MATRICES[0]), array, sp.csr_array(array)):
        np.testing.assert_array_equal(it.compile_module(MODULE)(operand, x), array @ x)
    # Nobody else says what an argument has of its operand.
    said = MODULE.replace(", symmetric>", ">").replace("#sym>, %x", "#sym> {storage.stored_part}, %x")
    np.testing.assert_array_equal(it.compile_module(said)(array, x), array @ x)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "format", ["dense, compressed, compressed", "dense, dense, compressed", "hashed, ragged, dense"]
)
@pytest.mark.parametrize("pair", ["i, j", "i, k", "j, k"])
def test_an_index_of_a_symmetric_and_of_another_dimension(format, pair):
    """Mirrors of an entry have other coordinates in its symmetric dimensions, and in no other one."""
    format = f"{format}, symmetric({pair})"
    array = symmetric(3, format, 1)
    A = it.Tensor.from_numpy(array, it.Format(format))
    for text in ("iij->i", "iij->j", "iji->i", "iji->j", "ijj->i", "ijj->j", "iii->i", "iij->", "ijj->", "iji->ij"):
        np.testing.assert_array_equal(
            it.einsum(text, A, format="dense, dense" if text[-2:] == "ij" else None), np.einsum(text, array)
        )


@pytest.mark.parametrize("dtype", ["f8", "i8", "f4", "c16"])
@pytest.mark.parametrize("format", ["(i, j) -> (i : dense, j : compressed)", "(i, j) -> (j : dense, i : compressed)"])
def test_halves_and_wholes_in_segments(format, dtype, monkeypatch):
    """Both are made without sorting where they are large, of rows with and without elements on the diagonal."""
    monkeypatch.setattr(convert_segments, "is_for_compiled_code", lambda *_: True)
    for size in range(7):
        for other in map(it.Format, (*MATRICES[:4], "compressed, compressed", "(i, j) -> (j : dense, i : bitmap)")):
            array = symmetric(size, f"{format}, symmetric", size, dtype)
            for one in (it.Format(f"{format}, symmetric, pos = i8"), it.Format(format)):
                moved = it.Tensor.from_numpy(array, one).to_format(other)
                moved.check()
                np.testing.assert_array_equal(moved.to_numpy(), array)
                assert moved.nnz == np.count_nonzero(np.triu(array) if other.symmetric else array)
        for widths in ("", ", pos = i8, crd = i8"):
            half, whole = it.Format(f"{format}, symmetric{widths}"), it.Format(format + widths)
            array = symmetric(size, str(half), size, dtype)
            if size > 2 and dtype != "i8":
                array[1, 2] = array[2, 1] = np.nan
            A = it.Tensor.from_numpy(array, whole).to_format(half)
            A.check()
            assert A.nnz == np.count_nonzero(np.triu(array))
            A.whole.check()
            np.testing.assert_array_equal(A.whole.to_numpy(), array)
            if size > 2:
                array[2, 0] += 1
                with pytest.raises(it.UserError, match=r"\[not-symmetric\].* its mirror at \(2, 0\)"):
                    it.Tensor.from_numpy(array, whole).to_format(half)


def test_more_entries_than_narrow_positions_count(monkeypatch):
    monkeypatch.setattr(convert_segments, "is_for_compiled_code", lambda *_: True)
    A = it.Tensor.from_numpy(np.ones((15, 15)), it.Format("(i, j) -> (i : dense, j : compressed), symmetric, pos = i8"))
    with pytest.raises(it.UserError, match=r"\[index-overflow\]"):
        A.to_format(it.Format("(i, j) -> (i : dense, j : compressed), pos = i8"))
