"""Integers without a sign: NumPy's results for all pairs of 8 bits and at the edges of wider ones, in all storages."""

import numpy as np
import pytest
import scipy.sparse as sp
from interpreted_statements import lowered
from reference.interpret_loop import interpret_loop

import irtensor as it
from irtensor.passes.pipelines import passes_between

UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
OPERATORS = {
    **{"+": np.add, "-": np.subtract, "*": np.multiply, "//": np.floor_divide, "%": np.remainder, "/": np.divide},
    **{"&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor, "min": np.minimum, "max": np.maximum},
    **{"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "==": np.equal},
}


def numbers(dtype):
    """All of 8 bits; of wider integers those around zero, the middle and both ends, and some between."""
    limits = np.iinfo(dtype)
    if limits.bits == 8:
        return np.arange(limits.min, limits.max + 1).astype(dtype)
    middle = limits.max // 2
    edges = [limits.min, limits.min + 1, 0, 1, 2, 3, 7, middle, middle + 1, limits.max - 1, limits.max]
    between = np.random.default_rng(1).integers(limits.min, limits.max, 9, dtype=dtype)
    return np.concatenate([np.array(edges, dtype), between])


def pairs(left, right):
    return [np.ascontiguousarray(grid.ravel()) for grid in np.meshgrid(numbers(left), numbers(right))]


def same(found, expected):
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


def written(symbol):
    return f"{symbol}(a[i], b[i])" if symbol.isalpha() else f"a[i] {symbol} b[i]"


@pytest.mark.parametrize(
    "left, right, target",
    [
        *(
            ("uint8", "uint8", "cpu"),
            ("uint8", "int8", "cpu"),
            ("uint16", "uint16", "cpu"),
            ("uint32", "uint32", "cpu"),
        ),
        *(("uint64", "uint64", "cpu"), ("uint64", "int64", "cpu"), ("int32", "uint64", "cpu")),
        ("uint8", "uint8", "cuda-emulated"),
    ],
)
def test_operators_have_the_results_of_numpy(left, right, target):
    a, b = pairs(left, right)
    with np.errstate(all="ignore"):
        for symbol, function in OPERATORS.items():
            statement = f"y[i] = {written(symbol)}"
            try:
                expected = function(a, b)
            except TypeError:
                with pytest.raises(it.UserError, match="unsupported-operator"):
                    it.compile(statement, target=target)(a=a, b=b)
                continue
            same(it.compile(statement, target=target)(a=a, b=b), expected)


@pytest.mark.parametrize("dtype", UNSIGNED)
def test_functions_and_reductions(dtype):
    a = numbers(dtype)
    with np.errstate(all="ignore"):
        for name in ("sign", "abs", "reciprocal", "square", "negative", "invert"):
            text = "~a[i]" if name == "invert" else f"{name}(a[i])"
            same(it.compile(f"y[i] = {text}")(a=a), getattr(np, name)(a))
        for exponent in (0, 1, 5, 64):
            same(it.compile(f"y[i] = a[i] ** {exponent}")(a=a), a**exponent)
        powers = np.arange(a.size).astype(dtype)
        same(it.compile("y[i] = a[i] ** b[i]")(a=a, b=powers), a**powers)
    for name, text in (("min", "min(i, a[i])"), ("max", "max(i, a[i])"), ("sum", "sum(i, a[i])")):
        found = it.compile(f"s = {text}")(a=a)
        expected = a.sum(dtype=dtype) if name == "sum" else getattr(a, name)()
        assert found == expected
        assert np.asarray(found).dtype == dtype


def test_comparisons_with_literals_are_exact():
    for dtype in UNSIGNED:
        a = numbers(dtype)
        same(it.compile("y[i] = (a[i] > -1) & ~(a[i] == -5) & (-2 < a[i])")(a=a), np.ones(a.shape, bool))
        same(it.compile("y[i] = a[i] < 300")(a=a), a < 300)
    with pytest.raises(it.UserError, match="number-too-large"):
        it.compile("y[i] = a[i] + -1")(a=np.ones(3, np.uint8))


@pytest.mark.parametrize("dtype", UNSIGNED)
def test_sparse_operands_and_results(dtype):
    random, limit = np.random.default_rng(3), np.iinfo(dtype).max
    A, B = (
        np.where(random.random((9, 9)) < 0.4, random.integers(0, limit, (9, 9), dtype), 0).astype(dtype) for _ in "AB"
    )
    stored = {"A": it.as_tensor(sp.csr_array(A)), "B": it.Tensor.from_numpy(B, "dense, hashed")}
    quotient = A // np.where(limit == B, 1, B + 1) * (limit != B)
    expected = {"A[i,j] + B[i,j]": A + B, "max(A[i,j], B[i,j])": np.maximum(A, B), "A[i,j] // (B[i,j] + 1)": quotient}
    for text, wanted in expected.items():
        found = it.compile(f"C[i,j] = {text}")(**stored)
        same(found if isinstance(found, np.ndarray) else found.to_numpy(), wanted.astype(dtype))
        found = it.compile(f"C[i,j] = {text}", {"C": "csr"}, num_threads=3)(**stored)
        same(found.to_numpy(), wanted.astype(dtype))
    for threads in (1, 3):
        found = it.compile("y[j] max= A[i,j]", num_threads=threads)(A=stored["A"])
        same(found, A.max(0))
    assert stored["A"].sum() == A.sum()
    assert stored["A"].sum().dtype == np.uint64
    least = it.einsum("ij,jk->ik", A, B, semiring=it.MIN_MAX)
    same(least, np.maximum(A[:, :, None], B[None]).min(1))
    filled = it.Tensor.from_numpy(np.where(A == 0, limit, A).astype(dtype), f"csr, fill = {limit}")
    assert filled.nnz == np.count_nonzero((A != limit) & (A != 0))
    same((filled + filled).to_numpy(), filled.to_numpy() * np.array(2, dtype))


def test_coordinates_are_read_from_all_of_them():
    x = np.arange(300.0)
    for dtype in UNSIGNED:
        image = np.array([0, 1, 130, 255], dtype)
        same(it.compile("y[i] = x[I[i]]")(x=x, I=image), x[image])
        same(it.compile("y[i] = x[I[i] // 16 + 2]")(x=x, I=image), x[image // 16 + 2])
    with pytest.raises(it.UserError, match="index-out-of-range"):
        it.compile("y[i] = x[I[i]]")(x=x, I=np.array([0, 2**64 - 1], np.uint64))


def test_each_stage_has_the_same_meaning():
    a, b = pairs("uint8", "uint8")
    a, b = a[::97].copy(), b[::97].copy()
    expected = np.maximum(a, b) // np.where(b == 0, 1, b) % 7
    text = "y[i] = max(a[i], b[i]) // where(b[i] == 0, 1, b[i]) % 7"
    for stage in ("arith", "cpu"):
        request = lowered(text, {"a": a, "b": b}, None, passes_between("index_notation", stage))
        found, operands = np.zeros(a.shape, np.uint8), {"a": a, "b": b}
        arguments = [one for name in request.argument_names for one in (a.size, operands[name])]
        assert interpret_loop(request.module, "kernel", [*arguments, a.size, found]) == 0
        same(found, expected)


def test_files(tmp_path):
    values = np.array([1, 2**63, 2**64 - 1], np.uint64)
    tensor = it.Tensor.from_coo([[0, 1, 2], [2, 0, 1]], values, shape=(3, 3))
    for name in ("a.mtx", "a.npz", "a.tns"):
        it.write(tmp_path / name, tensor)
        found = it.read(tmp_path / name, dtype="uint64" if name == "a.tns" else None)
        same(found.to_numpy(), tensor.to_numpy())
    (tmp_path / "b.mtx").write_text("%%MatrixMarket matrix coordinate unsigned-integer general\n1 1 1\n1 1 -1\n")
    with pytest.raises(it.UserError, match="'-1' is not an unsigned 64-bit integer"):
        it.read(tmp_path / "b.mtx")
    many = np.arange(70000, dtype=np.uint64) * 10**9
    for change in (0, 2**63):
        many[5] = change
        it.write(tmp_path / "c.mtx", it.Tensor.from_numpy(many[None], "dense, dense"))
        same(it.read(tmp_path / "c.mtx").to_numpy(), many[None])
