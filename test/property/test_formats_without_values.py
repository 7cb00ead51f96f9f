"""Tensors whose stored elements are all true (`leaf = pattern`): operands, results and conversions, against NumPy."""

import pickle
from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp

import irtensor as it

# Levels that store what is true, wherever that is.
ANYWHERE = [
    "(i, j) -> (i : dense, j : compressed)",
    "(i, j) -> (j : dense, i : compressed)",
    "(i, j) -> (i : compressed, j : compressed)",
    "(i, j) -> (i : compressed(nonunique), j : singleton), crd = i8",
    "(i, j) -> (j : compressed(nonunique), i : singleton), pos = i32",
    "(i, j) -> (i : dense, j : bitmap)",
    "(i, j) -> (i : bitmap, j : compressed)",
    "(i, j) -> (j : hashed, i : hashed)",
    "(i, j) -> (i : dense, j : padded)",
    "(i, j) -> (i : dense, j : sparse_run_list)",
    "(i, j) -> (i : sparse_run_list, j : compressed)",
    "(i, j) -> (i : run_list, j : compressed)",
    "(i, j) -> (i floordiv 2 : dense, j floordiv 3 : compressed, i mod 2 : dense, j mod 3 : bitmap)",
    "(i, j) -> (i floordiv 2 : compressed, j : compressed, i mod 2 : compressed)",
    "(i, j) -> (j - i : compressed, i : compressed, j : offset)",
]
# Those that store what is true of some arrays only.
SOMEWHERE = {
    "(i, j) -> (i : dense, j : point)": lambda i, j: j == (i * 2) % 7,
    "(i, j) -> (j : dense, i : point)": lambda i, j: (i == j // 2) & (j != 2),
    "(i, j) -> (i : dense, j : interval)": lambda i, j: (j > i - 2) & (j < 3),
    "(i, j) -> (i : dense, j : band)": lambda i, j: abs(i - j) < 2,
    "(i, j) -> (i : dense, j : ragged)": lambda i, j: j < i * 2,
    "(i, j) -> (j : dense, i : triangle)": lambda i, j: i <= j,
    "(i, j) -> (j : dense, i : strict_triangle)": lambda i, j: i < j,
    "(i, j) -> (i : dense, j : dense)": lambda i, j: i >= 0,
    "(i, j) -> (i : compressed, j : dense)": lambda i, j: (i % 2 == 1) & (j >= 0),
    "(i, j) -> (i : dense, j : run_list)": lambda i, j: i >= 0,
    "(i, j) -> (j - i : compressed, i : range, j : offset)": lambda i, j: (j - i) % 3 == 1,
    "(i, j) -> (i : dense, j : compressed), symmetric": lambda i, j: (i * j) % 3 == 1,
    "(i, j) -> (i : compressed, j : dense, ), symmetric".replace(", )", ")"): lambda i, j: i + j < 0,
}
FORMATS = [*ANYWHERE, *SOMEWHERE]
# Statement, and what it is in NumPy: of A, bools P and S, and numbers.
STATEMENTS = {
    "y[i] = A[i,j] * x[j]": lambda A, x: A @ x,
    "y[j] = A[i,j] * z[i]": lambda A, z: z @ A,
    "y = A[i,j]": lambda A: A.sum(),
    "y |= A[i,j]": lambda A: A.any(),
    "Y[i,j] = A[i,j] * D[i,j]": lambda A, D: A * D,
    "Y[i,j] = A[i,j] + D[i,j]": lambda A, D: A + D,
    "Y[i,j] = A[i,j] | P[i,j]": lambda A, P: A | P,
    "Y[i,j] = A[i,j] & S[i,j]": lambda A, S: A & S,
    "Y[i,j] = A[i,j] ^ S[i,j]": lambda A, S: A ^ S,
    "Y[i,j] = not(A[i,j])": lambda A: ~A,
    "Y[i,j] = where(A[i,j], D[i,j], 7)": lambda A, D: np.where(A, D, 7),
    "Y[i,j] = max(A[i,j] * D[i,j], 1)": lambda A, D: np.maximum(A * D, 1),
    "Y[i,k] = A[i,j] * S[k,j] * x[j]": lambda A, x, S: (A * x) @ S.T,
    "y[i] = A[i,i] * z[i]": lambda A, z: np.diag(A) * z,
}


def array_for(format, shape, seed=0, density=0.4):
    """An array of bools that a format can store."""
    made = SOMEWHERE.get(format)
    if made is not None:
        return np.asarray(made(*np.indices(shape)), bool).reshape(shape)
    return np.random.default_rng([seed, *shape]).random(shape) < density


def shape_for(format, shape):
    return (shape[0], shape[0]) if "symmetric" in format or "triangle" in format else shape


def pattern(array, format):
    made = it.Tensor.from_numpy(array, f"{format}, leaf = pattern")
    made.check()
    np.testing.assert_array_equal(made.to_numpy(), array)
    return made


def operands_of(statement, shape, dtype):
    random = np.random.default_rng([7, *shape])
    m, n = shape
    given = {
        "x": random.integers(-3, 4, n).astype(dtype),
        "z": random.integers(-3, 4, m).astype(dtype),
        "D": random.integers(-3, 4, shape).astype(dtype),
        "P": random.random(shape) < 0.5,
        "S": random.random(shape) < 0.5,
    }
    return {name: one for name, one in given.items() if f"{name}[" in statement}


@pytest.mark.one_in(12)
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", ["i8", "f8", "f4"])
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_operands(statement, format, dtype, threads):
    for given in [(0, 0), (1, 1), (3, 5), (6, 7), (7, 7)]:
        shape = shape_for(format, given)
        if "[i,i]" in statement and shape[0] != shape[1]:
            continue
        array, others = array_for(format, shape), operands_of(statement, shape, dtype)
        expected = STATEMENTS[statement](array, *others.values())
        passed = {name: sp.csr_array(one) if name == "S" else one for name, one in others.items()}
        found = it.compile(statement, num_threads=threads)(A=pattern(array, format), **passed)
        found = found.to_numpy() if isinstance(found, it.Tensor) else found
        np.testing.assert_array_equal(found, expected)


RESULTS = {
    "C[i,j] = A[i,j] & S[i,j]": lambda A, S: A & S,
    "C[i,j] = A[i,j] | S[i,j]": lambda A, S: A | S,
    "C[i,j] = A[i,j] ^ S[i,j]": lambda A, S: A ^ S,
    "C[i,j] = D[i,j] > 0": lambda D: D > 0,
    "C[i,j] = A[i,j] * D[i,j] > 1": lambda A, D: A * D > 1,
    "C[i,j] |= A[i,k] & A[j,k]": lambda A: (A.astype(int) @ A.T) > 0,
    "C[i,j] |= A[i,k] * D[j,k] > 0": lambda A, D: ((A[:, None] * D[None]) > 0).any(2),
    "C[i,j] ^= A[i,k] & A[j,k]": lambda A: (A.astype(int) @ A.T) % 2 > 0,
    "C[i,j] = A[j,i]": lambda A: A.T,
}


@pytest.mark.one_in(12)
@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", ["dense", "lists", "pattern"])
@pytest.mark.parametrize("format", ANYWHERE)
@pytest.mark.parametrize("statement", RESULTS)
def test_results(statement, format, kind, threads):
    for size in (0, 1, 4, 7):
        shape = (size, size)
        random = np.random.default_rng([3, size])
        given = {"A": random.random(shape) < 0.4, "S": random.random(shape) < 0.5, "D": random.integers(-3, 4, shape)}
        given = {name: one for name, one in given.items() if f"{name}[" in statement}
        if kind == "pattern":
            passed = {n: pattern(one, ANYWHERE[0]) if one.dtype == bool else one for n, one in given.items()}
        else:
            passed = {n: one if kind == "dense" else sp.csr_array(one) for n, one in given.items()}
        C = f"{format}, leaf = pattern"
        kernel = it.compile(statement, formats={"C": C}, num_threads=threads)
        expected = RESULTS[statement](*given.values())
        for found in (kernel(**passed), *assembled(kernel, passed, format)):
            assert found.format == it.Format(C)
            found.check()
            np.testing.assert_array_equal(found.to_numpy(), expected)
            assert found.nnz == expected.sum()


def assembled(kernel, operands, format):
    """The results of a kernel that assembles, and one that computes what is assembled."""
    if "hashed" in format or "padded" in format or "run" in format or "offset" in format:
        return
    index = kernel.assemble(**operands)
    yield index
    yield kernel.compute(index, **operands)


@pytest.mark.one_in(10)
@pytest.mark.parametrize("other", FORMATS)
@pytest.mark.parametrize("format", FORMATS)
def test_conversions(format, other):
    for given in [(0, 0), (1, 1), (3, 6), (6, 6)]:
        shape = shape_for(format, shape_for(other, given))
        array = array_for(format, shape)
        A = pattern(array, format)
        for target in (other, f"{other}, leaf = pattern"):
            found = converted(A, target, may_refuse=other in SOMEWHERE)
            if found is None:
                continue
            found.check()
            np.testing.assert_array_equal(found.to_numpy(), array)
            back = found.to_format(A.format)
            back.check()
            np.testing.assert_array_equal(back.to_numpy(), array)


def converted(tensor, target, may_refuse):
    """The tensor in another format; None where that cannot store it, as a point or a band."""
    if not may_refuse:
        return tensor.to_format(target)
    try:
        return tensor.to_format(target)
    except it.UserError as error:
        if error.slug not in ("format-mismatch", "not-symmetric"):
            raise
        return None


@pytest.mark.parametrize("format", FORMATS)
def test_tensors(format):
    shape = shape_for(format, (5, 7))
    array = array_for(format, shape)
    A = pattern(array, format)
    same = pickle.loads(pickle.dumps(A))
    assert same.format == A.format and same.format.is_pattern and repr(same) == repr(A)
    same.check()
    np.testing.assert_array_equal(same.to_numpy(), array)
    assert A.dtype == bool and A.nbytes == sum(part.nbytes for level in A.levels for part in level.arrays())
    assert A.nbytes == A.to_format(A.format.with_values).nbytes - A.values.size
    copy = it.Tensor.from_buffers(shape, A.format, A.levels)
    np.testing.assert_array_equal(copy.copy().to_numpy(), array)
    np.testing.assert_array_equal(A.to_scipy().toarray(), array)
    numbers = A.astype("f4")
    assert not numbers.format.is_pattern and numbers.dtype == np.float32
    np.testing.assert_array_equal(numbers.to_numpy(), array)


OTHERS = ("compressed, dense", "dense, run_list", "compressed, run_list")
BESIDE = list(product(OTHERS, ("csr", "dense, bitmap", "csr, leaf = pattern")))
COMPUTED = {
    "a * 2.5": lambda a: a * 2.5,
    "a + a": lambda a: a + a,
    "a & ~a": lambda a: a & ~a,
    "a.T": lambda a: a.T,
    "sin": lambda a: np.sin(a * 1.0),
    "sum": lambda a: a.sum(),
    "any": lambda a: a.any(),
}


@pytest.mark.one_in(7)
@pytest.mark.parametrize("computed", COMPUTED)
@pytest.mark.parametrize("format", FORMATS)
def test_computed_with_tensors(format, computed):
    array = array_for(format, shape_for(format, (5, 7)))
    found = COMPUTED[computed](pattern(array, format))
    expected = COMPUTED[computed](array)
    np.testing.assert_array_equal(found.to_numpy() if isinstance(found, it.Tensor) else found, expected)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("other_and_result", BESIDE, ids=str)
@pytest.mark.parametrize("format", ["dense, compressed", "dense, hashed", "dense, sparse_run_list"])
def test_entries_beside_levels_with_all_coordinates(format, other_and_result):
    """Whether A has an entry is asked, and not told by its value, which is the same at all of them."""
    other, result = other_and_result
    random = np.random.default_rng(0)
    a, b = random.random((2, 5, 6)) < 0.5
    A, B = it.Tensor.from_numpy(a, f"{format}, leaf = pattern"), it.Tensor.from_numpy(b, other)
    for statement, expected in (("A[i,j] & B[i,j]", a & b), ("A[i,j] ^ B[i,j]", a ^ b), ("A[i,j] & ~B[i,j]", a & ~b)):
        found = it.compile(f"R[i,j] = {statement}", formats={"R": result})(A=A, B=B)
        np.testing.assert_array_equal(found.to_numpy(), expected, err_msg=statement)


def test_a_kernel_that_was_not_called_is_explained():
    kernel = it.compile("y[i] = A[i,j] * x[j]", formats={"A": "dense, compressed, leaf = pattern"})
    assert "A  bool" in kernel.explain()
