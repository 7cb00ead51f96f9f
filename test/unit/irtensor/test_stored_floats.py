"""float16 and bfloat16: each number is read exactly, stored as the nearest even one, and computed in float32."""

import numpy as np
import pytest

import irtensor as it
from irtensor.core.element_values import convert

TARGETS = ("cpu", "cuda-emulated")
SHAPE = (9, 8)


@pytest.fixture(params=["float16", "bfloat16"])
def dtype(request):
    return np.dtype(pytest.importorskip("ml_dtypes").bfloat16 if request.param == "bfloat16" else np.float16)


@pytest.fixture(autouse=True)
def quiet():
    """NumPy warns of infinities and NaN that it converts."""
    with np.errstate(all="ignore"):
        yield


def all_numbers(dtype):
    return np.arange(1 << 16, dtype=np.uint16).view(dtype)


def same(found, expected):
    """The same bits, but that of NaN any will do."""
    assert found.dtype == expected.dtype
    found, expected = np.asarray(found).reshape(-1), np.asarray(expected).reshape(-1)
    are_nan = np.isnan(expected)
    np.testing.assert_array_equal(np.isnan(found), are_nan)
    words = f"u{found.dtype.itemsize}"
    np.testing.assert_array_equal(found.view(words)[~are_nan], expected.view(words)[~are_nan])


def sparse(dtype, seed=0):
    random = np.random.default_rng(seed)
    return np.where(random.random(SHAPE) < 0.4, random.normal(size=SHAPE), 0).astype(dtype)


@pytest.mark.parametrize("target", TARGETS)
def test_each_number_is_read_exactly(dtype, target):
    numbers = all_numbers(dtype)
    same(it.compile("y[i] = float32(a[i])", target=target)(a=numbers), numbers.astype(np.float32))
    same(it.compile("y[i] = float64(a[i])", target=target)(a=numbers), numbers.astype(np.float64))
    same(it.compile("y[i] = a[i]", target=target)(a=numbers), numbers)


@pytest.mark.parametrize("target", TARGETS)
def test_numbers_are_rounded_to_the_nearest_even_one(dtype, target):
    numbers = np.sort(all_numbers(dtype).astype(np.float64))
    numbers = numbers[np.isfinite(numbers)]
    # bfloat16 has as many numbers below those of float32 as it lacks bits.
    middles = (numbers[1:] + numbers[:-1]) / 2
    beyond = [np.inf, -np.inf, np.nan, -0.0, 65504.0, 65519.99, 65520.0, 65536.0, -1e30, 3.4e38, 3.39e38, 1e-45, 1e-8]
    given = np.concatenate(
        [numbers, middles, np.nextafter(middles, 1e300), np.nextafter(middles, -1e300), beyond, [1e300]]
    )
    single = np.concatenate(
        [given.astype(np.float32), np.random.default_rng(1).integers(0, 1 << 32, 10**5).astype("u4").view("f4")]
    )
    with np.errstate(all="ignore"):
        expected = single.astype(dtype)
    same(it.compile(f"y[i] = {dtype.name}(x[i])", target=target)(x=single), expected)
    found = it.compile(f"y[i] = {dtype.name}(x[i])", target=target)(x=given)
    count = 2 * middles.size + numbers.size
    same(found[: numbers.size], numbers.astype(dtype))
    # Next to the middle, the number itself decides, and not what it is in float32.
    np.testing.assert_array_equal(found[numbers.size + middles.size : count], numbers[1:].astype(dtype))
    np.testing.assert_array_equal(found[count : count + middles.size], numbers[:-1].astype(dtype))
    if dtype == np.float16:
        with np.errstate(all="ignore"):
            same(found, given.astype(dtype))
    element = "f16" if dtype == np.float16 else "bf16"
    for number, one in zip(given[::997].tolist(), found[::997], strict=True):
        constant = convert(number, element)
        assert constant == float(one) or (np.isnan(constant) and np.isnan(float(one)))


def test_statements_compute_in_float32(dtype):
    a, b = (sparse(dtype, seed)[0] for seed in (1, 2))
    wide = a.astype(np.float32), b.astype(np.float32)
    found = it.compile("y[i] = a[i] * b[i] + 1")(a=a, b=b)
    np.testing.assert_allclose(found, wide[0] * wide[1] + 1, rtol=1e-6)
    assert found.dtype == np.float32
    stored = it.compile("y[i] = a[i] - b[i]", dtypes={"y": dtype})(a=a, b=b)
    same(stored, (wide[0] - wide[1]).astype(dtype))
    out = np.zeros(a.shape, dtype)
    assert it.compile("y[i] = a[i] - b[i]")(a=a, b=b, out=out) is out
    same(out, stored)
    same(it.compile(f"y[i] = {dtype.name}(a[i] - b[i])")(a=a, b=b), stored)
    # 2048 and more ones have no sum in float16 that differs.
    ones = np.ones(5000, dtype)
    assert it.compile("s = a[i]")(a=ones) == 5000
    assert it.compile("s = max(i, a[i])")(a=all_numbers(dtype)[:1000]) == float(all_numbers(dtype)[999])


@pytest.mark.parametrize("format", ["csr", "coo", "dense, hashed", "bcsr(2, 2)", "dense, bitmap"])
def test_sparse_operands_and_results(dtype, format):
    A, B = sparse(dtype), sparse(dtype, 1)
    tensor = it.Tensor.from_numpy(A, format)
    assert tensor.dtype == dtype
    same(tensor.to_numpy(), A)
    wide = A.astype(np.float32)
    added = (2 * wide + B.astype(np.float32)).astype(dtype)
    for threads in (1, 3):
        kernel = it.compile("C[i,j] = 2 * A[i,j] + B[i,j]", {"C": format}, {"C": dtype}, num_threads=threads)
        found = kernel(A=tensor, B=it.Tensor.from_numpy(B, "csr"))
        same(found.to_numpy(), added)
    np.testing.assert_allclose(it.compile("y[i] = A[i,j]")(A=tensor), wide.sum(1), rtol=1e-5, atol=1e-6)
    found = it.compile("y[j] max= A[i,j]", dtypes={"y": dtype}, num_threads=3)(A=tensor)
    same(found, wide.max(0).astype(dtype))
    for other in ("csc", "coo", "bcsr(3, 2)"):
        same(tensor.to_format(other).to_numpy(), A)


def test_fills_and_conversions(dtype):
    values = sparse(dtype)
    values[0, 0], values[0, 1] = -0.0, np.nan
    tensor = it.Tensor.from_numpy(values, "csr, fill = 1.5")
    assert tensor.fill_value == 1.5
    np.testing.assert_array_equal(tensor.to_numpy().astype(float), values.astype(float))
    found = it.compile("y[i,j] = A[i,j] * 2")(A=tensor)
    np.testing.assert_array_equal(found, values.astype(np.float32) * 2)
    wide = tensor.astype(np.float32)
    assert wide.dtype == np.float32
    same(wide.astype(dtype).to_numpy(), tensor.to_numpy())
    same(
        it.compile("y[i] = x[pad(i - 1, 0.1)]")(x=np.ones(3, dtype)),
        np.array([0.1, 1, 1]).astype(dtype).astype(np.float32),
    )


def test_einsum_has_the_dtype_of_numpy(dtype):
    A, x = sparse(dtype), np.linspace(-1, 1, SHAPE[1]).astype(dtype)
    expected = (A.astype(np.float32) @ x.astype(np.float32)).astype(dtype)
    for operand in (A, it.Tensor.from_numpy(A, "csr")):
        found = it.einsum("ij,j->i", operand, x)
        assert found.dtype == dtype
        np.testing.assert_allclose(found.astype(float), expected.astype(float), rtol=1e-2, atol=1e-3)
    product = it.einsum("ij,kj->ik", it.Tensor.from_numpy(A, "csr"), it.Tensor.from_numpy(A, "csr"), format="csr")
    assert product.dtype == dtype
    wide = A.astype(np.float32)
    np.testing.assert_allclose(product.to_numpy().astype(float), wide @ wide.T, rtol=1e-2, atol=1e-2)


def test_products_of_arrays(dtype):
    A, B = (np.random.default_rng(seed).normal(size=(70, 70)).astype(dtype) for seed in (0, 1))
    found = it.compile("C[i,j] = A[i,k] * B[k,j]")(A=A, B=B)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, A.astype(np.float32) @ B.astype(np.float32), rtol=1e-4, atol=1e-4)


def test_operators_of_the_ir_compute_in_float32(dtype):
    name = {"float16": "f16", "bfloat16": "bf16"}[dtype.name]
    text = f"""
func.func @kernel(%a: tensor<?x{name}>, %b: tensor<?x{name}>) -> tensor<?x{name}> {{
  %y = index_notation.assign (%i) : tensor<?x{name}> {{
    %0 = index_notation.access %a[%i] : tensor<?x{name}>
    %1 = index_notation.access %b[%i] : tensor<?x{name}>
    %2 = algebra.apply mul(%0, %1) : ({name}, {name}) -> {name}
    index_notation.yield %2 : {name}
  }}
  func.return %y : tensor<?x{name}>
}}
"""
    a, b = np.array([1.5, 3.25, 1e3], dtype), np.array([2.5, 7.125, 1e3], dtype)
    with np.errstate(all="ignore"):
        same(it.compile_module(text)(a, b), (a.astype(np.float32) * b.astype(np.float32)).astype(dtype))


def test_files(tmp_path):
    A = sparse(np.float16)
    tensor = it.Tensor.from_numpy(A, "csr")
    it.write(tmp_path / "a.mtx", tensor)
    same(it.read(tmp_path / "a.mtx", dtype="float16").to_numpy(), A)
