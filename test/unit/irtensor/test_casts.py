"""Conversions of element types that a statement writes: NumPy's `astype`, of stored numbers and of fills."""

import warnings

import numpy as np
import pytest
from interpreted_statements import interpret, lowered
from reference.evaluate_dense import evaluate_dense
from sampling import few_or_many

import irtensor as it
from irtensor.core.fill_values import fill_text
from irtensor.core.operator_symbols import CASTS
from irtensor.frontend.notation.notation_parser import parse_statement
from irtensor.frontend.summation import insert_reductions

# bfloat16 is there only beside a library.
DTYPES = tuple(np.dtype(name) for name in CASTS if name != "bfloat16")
FORMATS = ("csr", "coo", "compressed, compressed", "dense, bitmap", "bcsr(2, 2)", "dense, hashed")
TARGETS = ("cpu", "cuda-emulated")
A = np.array([[0.0, 1.7, 0.0], [-2.9, 0.0, 300.5]])


@pytest.fixture(autouse=True)
def quiet():
    """NumPy warns of what it converts to a number that is not near, also on the way to the expected values."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        yield


def extremes(dtype):
    """Zeros, numbers with and without a fraction, those next to the bounds of all integers, infinities and NaN."""
    bounds = [
        edge for bits in (7, 8, 15, 16, 31, 32, 63, 64) for edge in (2**bits, 2**bits - 1, -(2**bits), -(2**bits) - 1)
    ]
    if dtype.kind in "biu":
        info = np.iinfo(np.int8 if dtype.kind == "b" else dtype)
        inside = [value for value in (*bounds, 0, 1, -1, 5) if info.min <= value <= info.max]
        return np.array(inside, dtype)
    reals = [*map(float, bounds), 0.0, -0.0, 0.9, -0.9, 1.5, -2.5, 1e30, -1e30, np.inf, -np.inf, np.nan, 1e-30]
    reals += [float(np.nextafter(np.float64(2.0**31), 0)), float(np.nextafter(np.float64(2.0**63), 0))]
    if dtype.kind == "f":
        return np.array(reals).astype(dtype)
    return np.array([complex(real, imaginary) for real in reals for imaginary in (0.0, 1.5, np.nan)]).astype(dtype)


def as_dtype(values, dtype):
    """NumPy's conversion; the lowest bits of a number that is out of range, as of all but its loops for uint32."""
    is_wide = dtype == np.uint32 and values.dtype.kind in "fc"
    return (values.real.astype(np.int64) if is_wide else values).astype(dtype)


def same(found, expected):
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("source", DTYPES, ids=str)
def test_all_pairs_of_dtypes(source, target):
    values = extremes(source)
    stored = it.Tensor.from_coo([np.arange(values.size) * 2], values, shape=(2 * values.size,), format="compressed")
    for wanted in DTYPES:
        convert = f"y[i] = {wanted}(x[i])"
        same(it.compile(convert, target=target)(x=values), as_dtype(values, wanted))
        found = it.compile(convert, {"y": "compressed"}, target=target)(x=stored)
        # A stored number that becomes zero is a stored zero; what is absent stays absent.
        assert found.nnz == values.size
        same(found.to_numpy(), as_dtype(stored.to_numpy(), wanted))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["angle", "real", "imag", "conj", "abs"])
@pytest.mark.parametrize("source", DTYPES, ids=str)
def test_parts_have_the_dtype_of_numpy(source, name):
    """But where NumPy computes in float16, float32 takes its place."""
    values = extremes(source)
    stored = it.Tensor.from_coo([np.arange(values.size)], values, shape=values.shape, format="compressed")
    expected = getattr(np, name)(values)
    wanted = np.dtype(np.float32) if expected.dtype == np.float16 else expected.dtype
    kernel = it.compile(f"y[i] = {name}(x[i])")
    for operand in (values, stored):
        found = kernel(x=operand)
        assert found.dtype == wanted
        np.testing.assert_allclose(found, expected, rtol=2e-7 if wanted == expected.dtype else 1e-3)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("source", DTYPES, ids=str)
def test_fills_and_literals_are_converted_as_stored_numbers_are(source):
    for number in extremes(source)[few_or_many(1, 0) :: few_or_many(7 if source.kind != "c" else 19, 1)]:
        format = it.Format(f"compressed, fill = {fill_text(number.item())}")
        x = it.Tensor.from_coo([[1]], np.array([1], source), shape=(3,), format=format)
        for wanted in DTYPES:
            found = it.compile(f"y[i] = {wanted}(x[i])", {"y": "compressed"})(x=x)
            assert found.nnz == 1
            same(found.to_numpy(), x.to_numpy().astype(wanted))


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("dtype", ["int8", "bool", "float32", "complex64"])
def test_formats(format, dtype):
    tensor = it.Tensor.from_numpy(A, format)
    kernel = it.compile(f"R[i,j] = {dtype}(A[i,j])", {"R": format})
    result = kernel(A=tensor)
    assert result.nnz == tensor.nnz
    same(result.to_numpy(), A.astype(dtype))


STATEMENTS = [
    "y[i] = int32(sum(j, A[i,j])) + sum(j, int32(A[i,j]))",
    "y[i] = int32(A[i,j]) * int32(B[i,j])",
    "y[i] = float64(int8(A[i,j])) * B[i,j] + 1.0",
    "y[i] = sum(j, bool(A[i,j])) + sum(j, A[i,j] * B[i,j])",
    "y[i] = max(j, int16(A[i,j] * 100))",
    "y[i] = float32(A[i,j]) / float32(2 + int8(B[i,j]))",
    "y[i] = where(bool(int8(A[i,j])), float32(0.1), B[i,j])",
    "y[i] = int8(300) + int16(B[i,j] * 2.0)",
    "y[i] = float32(0.1) * sum(j, float32(A[i,j]))",
    "y[i] = abs(complex(A[i,j], B[i,j]))",
    "y[i] = complex(int8(A[i,j]), 2) * conj(complex64(B[i,j]))",
    "y[i] = angle(complex(A[i,j], float32(B[i,j]))) + imag(complex(A[i,j])) + angle(A[i,j])",
    "y[i] = real(complex64(A[i,j] * 1e300)) + int64(2.9) + bool(0.5)",
]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("format", [None, "csr", "coo", "dense, bitmap"])
@pytest.mark.parametrize("text", STATEMENTS)
def test_statements_with_casts(text, format, target):
    operands = {"A": A, "B": A.T.reshape(2, 3) + 0.5 * (A != 0)}
    expected = evaluate_dense(insert_reductions(parse_statement(text)), operands)
    if format is not None:
        operands = {name: it.Tensor.from_numpy(array, format) for name, array in operands.items()}
    kernel = it.compile(text, target=target)
    found = kernel(**{name: operands[name] for name in kernel.operand_names})
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-6 if expected.dtype.char in "fF" else 1e-14)


@pytest.mark.parametrize("text", ["y[i] = float64(int8(A[i,j])) * 2", "y[i] = float64(float32(A[i,j]) * 0.1)"])
def test_the_interpreter_has_the_same_numbers(text):
    operands = {"A": it.Tensor.from_numpy(np.where(A > 1, [[1e30], [np.nan]], A), "csr")}
    stages = ("concretize", "lower-concrete-index-to-iteration-lattice", "lower-looplets")
    stages += ("lower-iteration-lattice-to-loop", "lower-storage", "lower-algebra-to-arith")
    found = interpret(lowered(text, operands, None, stages), operands, (2,))
    np.testing.assert_allclose(found, it.compile(text)(**operands), rtol=1e-7)


def test_a_cast_of_the_same_dtype_says_where_a_sum_is_computed():
    small = np.full((2, 300), 100, np.int8)
    plain, pinned = (it.compile(f"y[i] = {sum}", dtypes={"y": "int64"}) for sum in ("A[i,j]", "int8(sum(j, A[i,j]))"))
    same(plain(A=small), small.sum(axis=1, dtype=np.int64))
    same(pinned(A=small), small.sum(axis=1, dtype=np.int8).astype(np.int64))


def test_a_nonzero_number_that_becomes_zero_is_an_entry():
    half = it.Tensor.from_numpy(np.array([0.5, 0.0]), "compressed")
    found = it.compile("y[i] = float64(int8(a[i])) * b[i]", {"y": "compressed"})(a=half, b=np.array([np.nan, np.nan]))
    assert found.nnz == 1 and np.isnan(found.values[0])


def test_schedules_name_what_is_written():
    schedule = it.schedule().precompute("float64(int8(A[i,j]))", over="j", workspace="w")
    text = "y[i] = sum(j, (float64(int8(A[i,j])) + 1.0) * (A[i,j] + 1.0))"
    kernel = it.compile(text, schedule=schedule)
    np.testing.assert_allclose(kernel(A=A), ((A.astype(np.int8) + 1.0) * (A + 1.0)).sum(axis=1))
    assert "w[j] = float64(int8(A[i, j]))" in kernel.explain()
    # What is not converted is another expression.
    kernel = it.compile(text, schedule=it.schedule().precompute("A[i,j] + 1.0", over="j", workspace="w"))
    np.testing.assert_allclose(kernel(A=A), ((A.astype(np.int8) + 1.0) * (A + 1.0)).sum(axis=1))


def test_expressions_and_operators():
    i, j = it.indices("i j")
    tensor = it.Tensor.from_numpy(A, "csr")
    R = it.tensor_variable("R", 2)
    R[i, j] = (tensor[i, j] * 2).astype(np.int16)
    assert str(R.definition) == "R[i, j] = int16(A[i, j] * 2)"
    same(R.evaluate(format="csr").to_numpy(), (A * 2).astype(np.int16))
    R[i, j] = it.functions.complex(tensor[i, j], 1).imag + it.functions.angle(tensor[i, j].conj().real)
    np.testing.assert_allclose(R.evaluate(), 1 + np.angle(A))
    whole = it.operator("whole", lambda a, b: a.astype("int32") + b.astype("int32"))
    found = it.compile("R[i,j] = @whole(A[i,j], 2 * A[i,j])", {"R": "csr"}, operators=[whole])(A=tensor)
    assert found.nnz == 3
    same(found.to_numpy(), A.astype(np.int32) + (2 * A).astype(np.int32))
    with pytest.raises(it.UserError, match="unsupported-dtype"):
        tensor[i, j].astype("timedelta64[s]")


def test_products_of_sparse_matrices_with_casts():
    square = A[:, :2] + np.eye(2)
    operands = {"A": it.Tensor.from_numpy(square, "csr"), "B": it.Tensor.from_numpy(square, "csr")}
    for schedule in (None, "auto"):
        kernel = it.compile("C[i,k] = int16(A[i,j]) * int16(B[j,k])", dict.fromkeys("ABC", "csr"), schedule=schedule)
        whole = square.astype(np.int16)
        same(kernel(**operands).to_numpy(), whole @ whole)
