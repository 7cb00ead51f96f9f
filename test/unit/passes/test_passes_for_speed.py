"""The passes that only make kernels faster: results are the same with each of them, with all, and with none."""

import numpy as np
import pytest
import scipy.sparse as sp

import irtensor as it
import irtensor.compiler.compilation.pipeline_choices as driver
from irtensor.api.einsum import einsum
from irtensor.tensors.tensor import Tensor

SPEED = (
    "separate-common-range",
    "sum-blocks-in-registers",
    "unroll-and-jam",
    "choose-sums",
    "append-without-branch",
    "separate-full-blocks",
    "tile-for-registers",
    "accumulate-in-registers",
    "fuse-equal-loops",
    "keep-functions",
    "split-off-functions",
    "batch-functions",
    "sum-each-iteration",
    "batch-sums",
    "multiply-powers",
    "pack-strided-reads",
    "prefetch-gathers",
    "prefetch-rows",
    "sum-in-masked-lanes",
    "sum-in-lanes",
    "mask-remainders",
    "carry-elements",
    "load-invariants",
    "hint-loops",
    "tabulate-sums",
    "tabulate-functions",
    "regroup-factors",
)
CHOICES = [(), *[(name,) for name in SPEED], SPEED]
CSR = "dense, compressed"


@pytest.fixture(params=CHOICES, ids=lambda kept: "+".join(kept) or "none")
def only(request, monkeypatch):
    """Compile with these passes for speed and no others."""
    between = driver.passes_between
    monkeypatch.setenv("IRTENSOR_DISK_CACHE", "0")
    # As where the processor has no use for the pass that this asks for.
    monkeypatch.setattr(driver, "gathers_pay", lambda: "sum-in-lanes" not in request.param)
    monkeypatch.setattr(
        driver,
        "passes_between",
        lambda *stages: [name for name in between(*stages) if name not in SPEED or name in request.param],
    )
    forget()
    yield request.param
    forget()


def forget():
    it.clear_caches()


def random_csr(generator, rows, columns, dtype=np.float64, density=0.3):
    dense = generator.integers(1, 9, (rows, columns)) * (generator.random((rows, columns)) < density)
    return sp.csr_array(dense.astype(dtype))


@pytest.mark.one_in(8)
def test_sums_by_coordinates(only):
    """Sums over segments that begin and end anywhere, as whole vectors and what they leave."""
    generator = np.random.default_rng(0)
    lengths = [*range(22), 0, 40, 0, 1]
    types = ("f8", "f8"), ("f4", "f4"), ("i4", "f8"), ("i1", "i1"), ("?", "?")
    for own, other in types:
        dense = np.zeros((len(lengths), 50), own)
        for row, length in zip(dense, lengths, strict=True):
            row[generator.permutation(50)[:length]] = generator.integers(1, 5, length).astype(own)
        a, x, b = sp.csr_array(dense), generator.integers(-3, 3, 50).astype(other), generator.integers(-3, 3, 26)
        np.testing.assert_array_equal(einsum("ij,j->i", a, x), dense @ x)
        if own != "?":
            kernel = it.compile("y[i] = b[i] - A[i,j] * x[j]", formats={"A": CSR})
            np.testing.assert_array_equal(kernel(A=a, x=x, b=b), b - dense @ x)
            for name in ("max", "min"):
                kernel = it.compile(f"y[i] = {name}(j, A[i,j] * x[j])", formats={"A": CSR}, strict_fp=True)
                np.testing.assert_array_equal(kernel(A=a, x=x), getattr(np, name)(dense * x, axis=1))


@pytest.mark.one_in(16)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int16])
def test_spmm(only, dtype):
    """Rows of every width: the last vector of one may begin within the vectors before it."""
    generator = np.random.default_rng(0)
    a = random_csr(generator, 9, 40, dtype)
    for width in (*range(76), 127, 129, 200):
        b = generator.integers(-9, 9, (40, width)).astype(dtype)
        np.testing.assert_array_equal(einsum("ik,kj->ij", a, b), a.toarray() @ b, f"{width} columns")


@pytest.mark.one_in(8)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int16])
def test_dense_products(only, dtype):
    """More rows and columns than whole tiles, and more steps than a block."""
    generator = np.random.default_rng(0)
    for rows, steps, columns in ((12, 8, 64), (45, 300, 33), (270, 9, 129)):
        a, b = (generator.integers(-3, 3, shape).astype(dtype) for shape in ((rows, steps), (steps, columns)))
        product = it.compile("C[i,j] = max(sum(k, A[i,k] * B[k,j]), 0)")
        np.testing.assert_array_equal(product(A=a, B=b), np.maximum(a @ b, 0))


@pytest.mark.one_in(192)
@pytest.mark.parametrize("other", ["f8", "f4", "i8", "i4", "i2", "i1", "?"])
@pytest.mark.parametrize("own", ["f8", "f4", "i8", "i2", "i1"])
def test_spmm_of_two_types(only, own, other):
    """What is converted is converted in vectors, in IR that is valid."""
    generator = np.random.default_rng(0)
    a = random_csr(generator, 9, 40, own)
    for width in (5, 40, 61):
        b = generator.integers(-3, 3, (40, width)).astype(other)
        result = einsum("ik,kj->ij", a, b, verify=True)
        assert result.dtype == np.result_type(a, b)
        np.testing.assert_array_equal(result, a.toarray() @ b)


@pytest.mark.one_in(16)
@pytest.mark.parametrize("width", [3, 8, 57])
def test_mttkrp_and_ttm(only, width):
    generator = np.random.default_rng(width)
    dense = generator.integers(1, 9, (6, 7, 8)) * (generator.random((6, 7, 8)) < 0.2) * 1.0
    tensor = Tensor.from_numpy(dense, "compressed, compressed, compressed")
    c, d = (generator.integers(-9, 9, (rows, width)) * 1.0 for rows in (7, 8))
    np.testing.assert_array_equal(einsum("ikl,kj,lj->ij", tensor, c, d), np.einsum("ikl,kj,lj->ij", dense, c, d))
    result = einsum("ikl,lj->ikj", tensor, d, format="compressed, compressed, dense")
    result.check()
    np.testing.assert_array_equal(result.to_numpy(), np.einsum("ikl,lj->ikj", dense, d))


@pytest.mark.one_in(8)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_rows_weighed_by_sums(only, dtype):
    """Rows of no entries, of fewer than a batch, and of several batches with something left."""
    generator = np.random.default_rng(0)
    a = generator.integers(1, 4, (4, 700)) * (np.arange(700) < [[0], [5], [256], [650]])
    c = sp.csr_array(a.astype(dtype))
    for width in (3, 20):
        q, k, v = (generator.integers(-2, 3, (rows, width)).astype(dtype) for rows in (4, 700, 700))
        text = "O[i,d] = sum(j, A[i,j] * sum(e, Q[i,e] * K[j,e]) * V[j,d])"
        result = it.compile(text, formats={"A": it.CSR})(A=c, Q=q, K=k, V=v)
        np.testing.assert_array_equal(result, (a * (q @ k.T)) @ v)


@pytest.mark.one_in(16)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_numbers_made_of_sums(only, dtype):
    """Sums of which the least, the greatest and the sum is taken, of fewer than a batch and of several batches."""
    generator = np.random.default_rng(4)
    least = it.compile("m[i] = min(j, sum(k, X[i,k] * Y[j,k]))")
    greatest = it.compile("s = max(j, x[j] * sum(k, abs(Y[j,k])))")
    total = it.compile("m[i] = 3 + sum(j, sum(k, (X[i,k] - Y[j,k]) ** 2))")
    nested = it.compile("s = sum(j, min(i, sum(k, (X[i,k] - Y[j,k]) ** 2)))")
    for rows, columns in ((1, 5), (255, 3), (257, 40), (600, 1)):
        x, y = (generator.integers(-4, 5, (size, columns)).astype(dtype) for size in (3, rows))
        weights = generator.integers(-4, 5, rows).astype(dtype)
        np.testing.assert_array_equal(least(X=x, Y=y), (x @ y.T).min(axis=1))
        np.testing.assert_array_equal(greatest(x=weights, Y=y), (weights * abs(y).sum(axis=1)).max())
        squares = ((x[:, None] - y) ** 2).sum(axis=(1, 2), dtype=dtype)
        np.testing.assert_array_equal(total(X=x, Y=y), 3 + squares)
        assert nested(X=x, Y=y) == ((x[:, None] - y) ** 2).sum(axis=2).min(axis=0).sum()


@pytest.mark.one_in(2)
def test_sddmm(only):
    generator = np.random.default_rng(0)
    a = random_csr(generator, 9, 12)
    c, d = generator.integers(-9, 9, (9, 20)) * 1.0, generator.integers(-9, 9, (12, 20)) * 1.0
    result = einsum("ij,ik,jk->ij", a, c, d, format=CSR)
    result.check()
    np.testing.assert_array_equal(result.to_numpy(), a.toarray() * (c @ d.T))


@pytest.mark.one_in(64)
@pytest.mark.parametrize("dtype", [np.float64, np.complex128, np.int16])
@pytest.mark.parametrize("density", [0.0, 0.02, 0.5, 1.0])
def test_sddmm_across_rows(only, density, dtype):
    generator = np.random.default_rng(0)
    a = random_csr(generator, 9, 70, dtype, density)
    c, d = (generator.integers(-9, 9, shape).astype(dtype) for shape in ((9, 40), (40, 70)))
    result = einsum("ij,ik,kj->ij", a, c, d, format=CSR)
    result.check()
    np.testing.assert_array_equal(result.to_numpy(), a.toarray() * (c @ d))
    each = generator.integers(-9, 9, (9, 40, 70)).astype(dtype)
    result = einsum("ij,ik,ikj->ij", a, c, each, format=CSR)
    np.testing.assert_array_equal(result.to_numpy(), a.toarray() * np.einsum("ik,ikj->ij", c, each))


@pytest.mark.one_in(8)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128, np.int64, np.int16])
def test_rows_of_every_length(only, dtype):
    generator = np.random.default_rng(0)
    dense = np.array([[1 + column % 7 if column < row else 0 for column in range(40)] for row in range(40)], dtype)
    x = generator.integers(-9, 9, 40).astype(dtype)
    np.testing.assert_array_equal(einsum("ij,j->i", sp.csr_array(dense), x), dense @ x)


@pytest.mark.one_in(16)
@pytest.mark.parametrize("density", [0.0, 0.1, 0.5, 1.0])
def test_product_and_products_of_three(only, density):
    generator = np.random.default_rng(1)
    a, b, c = (random_csr(generator, 11, 13, density=density) for _ in range(3))
    result = einsum("ij,ij->ij", a, b, format=CSR)
    result.check()
    np.testing.assert_array_equal(result.to_numpy(), a.toarray() * b.toarray())
    result = einsum("ij,ij,ij->ij", a, b, c, format="compressed, compressed")
    result.check()
    np.testing.assert_array_equal(result.to_numpy(), a.toarray() * b.toarray() * c.toarray())


@pytest.mark.one_in(8)
@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
def test_spmv(only, format):
    generator = np.random.default_rng(2)
    a = random_csr(generator, 30, 40).asformat(format)
    x = generator.integers(-9, 9, 40) * 1.0
    np.testing.assert_array_equal(einsum("ij,j->i", a, x), a @ x)


@pytest.mark.one_in(32)
@pytest.mark.parametrize("num_threads", [1, 3])
@pytest.mark.parametrize("width", [1, 7, 40])
def test_weighted_means(only, width, num_threads):
    """Whole numbers: numerator and denominator are the same in any order. One row has no entries."""
    generator = np.random.default_rng(0)
    a = random_csr(generator, 9, 20)
    a.data[a.indptr[3] : a.indptr[4]] = 0
    a.eliminate_zeros()
    x, y, v = (generator.integers(-3, 4, shape).astype(float) for shape in ((9, 5), (20, 5), (20, width)))
    weights = a.toarray() * np.maximum(x @ y.T, 1)
    expected = weights @ v + weights.sum(axis=1, keepdims=True)
    statement = (
        "r[i,d] = sum(j, a[i,j] * max(sum(k, x[i,k] * y[j,k]), 1) * v[j,d])"
        " + sum(j, max(sum(k, y[j,k] * x[i,k]), 1) * a[i,j])"
    )
    mean = it.compile(statement, formats={"a": CSR}, num_threads=num_threads)
    np.testing.assert_array_equal(mean(a=a, x=x, y=y, v=v), expected)
    total = it.compile(
        "s = sum(j, max(sum(k, y[j,k]), 1) * z[j]) + sum(j, max(sum(k, y[j,k]), 1))", num_threads=num_threads
    )
    sums = np.maximum(y.sum(axis=1), 1)
    assert total(y=y, z=v[:, 0]) == sums @ v[:, 0] + sums.sum()


@pytest.mark.one_in(32)
@pytest.mark.parametrize("num_threads", [1, 3])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128])
def test_functions_that_are_summed_and_stored(only, dtype, num_threads):
    """Softmax of rows, of a vector, with old values, of another type, and of the entries of a matrix."""
    generator = np.random.default_rng(4)

    def compiled(text):
        return it.compile(text, num_threads=num_threads, schedule=it.schedule())

    soft = compiled("Y[i,j] = exp(X[i,j]) / sum(l, exp(X[i,l]))")
    added = compiled("Y[i,j] += exp(X[i,j]) / sum(l, exp(X[i,l]))")
    swapped = compiled("Y[j,i] = exp(X[i,j]) / sum(l, exp(X[i,l]))")
    vector = compiled("y[i] = x[i] ** 5 * exp(x[i]) / sum(l, exp(x[l]))")
    for columns in (0, 1, 7, 16, 37):
        x = (2 * generator.random((5, columns))).astype(dtype)
        old, e = generator.random((5, columns)).astype(dtype), np.exp(x)
        expected = e / e.sum(axis=1, keepdims=True)
        rtol = 1e-4 if dtype is np.float32 else 1e-12
        np.testing.assert_allclose(soft(X=x), expected, rtol=rtol)
        np.testing.assert_allclose(added(X=x, Y=old), old + expected, rtol=rtol)
        np.testing.assert_allclose(swapped(X=x), expected.T, rtol=rtol)
        row = x[2].copy()
        np.testing.assert_allclose(vector(x=row), row**5 * expected[2], rtol=rtol)
    a = (random_csr(generator, 9, 40) / 9).astype(dtype)
    entries = it.compile("Y[i,j] = A[i,j] * exp(A[i,j]) / sum(l, A[i,l] * exp(A[i,l]))", formats={"A": CSR, "Y": CSR})
    e = a.toarray() * np.exp(a.toarray())
    np.testing.assert_allclose(entries(A=a).to_numpy(), e / e.sum(axis=1, keepdims=True), rtol=1e-4)


@pytest.mark.one_in(64)
@pytest.mark.parametrize("num_threads", [1, 3])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128])
def test_functions_of_sums(only, dtype, num_threads):
    """Of sums over rows and over entries, with old values, and of two sums."""
    generator = np.random.default_rng(5)
    a = (random_csr(generator, 9, 13) / 20).astype(dtype)

    def compiled(text):
        formats = {name: CSR for name in "AZ" if f"{name}[" in text}
        return it.compile(text, formats=formats, num_threads=num_threads, schedule=it.schedule())

    kernel = compiled("K[i,j] = g * exp(-g * sum(k, (X[i,k] - Y[j,k]) ** 2)) + d[j]")
    given = compiled("K[i,j] += exp(-sum(k, (X[i,k] - Y[j,k]) ** 2))")
    entries = compiled("p[i] = 1 / (1 + exp(b[i] - sum(j, A[i,j] * w[j])))")
    both = compiled("q[i] = tanh(sum(j, A[i,j] * w[j]) - sum(j, A[i,j])) * sum(j, A[i,j])")
    for rows, columns in ((0, 3), (1, 1), (5, 16), (3, 37)):
        x, y, d = (generator.random(shape).astype(dtype) for shape in ((rows, 4), (columns, 4), columns))
        old, g = generator.random((rows, columns)).astype(dtype), np.dtype(dtype).type(0.5)
        distances = ((x[:, None] - y[None]) ** 2).sum(axis=2)
        np.testing.assert_allclose(kernel(X=x, Y=y, g=g, d=d), g * np.exp(-g * distances) + d, rtol=1e-5)
        np.testing.assert_allclose(given(X=x, Y=y, K=old), old + np.exp(-distances), rtol=1e-5)
    # Between the sum of an entry and a row that it adds to, and between that sum and an entry that is appended.
    rows = compiled("R[i,d] = sum(j, A[i,j] * exp(sum(k, X[i,k] * Y[j,k])) * Y[j,d]) / (1 + sum(j, A[i,j]))")
    appended = compiled("Z[i,j] = A[i,j] / (1 + exp(-sum(k, X[i,k] * Y[j,k])))")
    x, y, dense = generator.random((9, 4)).astype(dtype), generator.random((13, 4)).astype(dtype), a.toarray()
    expected = (dense * np.exp(x @ y.T)) @ y / (1 + dense.sum(axis=1))[:, None]
    np.testing.assert_allclose(rows(A=a, X=x, Y=y), expected, rtol=1e-5)
    np.testing.assert_allclose(appended(A=a, X=x, Y=y).to_numpy(), dense / (1 + np.exp(-(x @ y.T))), rtol=1e-5)
    w, b, dense = generator.random(13).astype(dtype), generator.random(9).astype(dtype), a.toarray()
    np.testing.assert_allclose(entries(A=a, w=w, b=b), 1 / (1 + np.exp(b - dense @ w)), rtol=1e-5)
    sums = dense.sum(axis=1)
    np.testing.assert_allclose(both(A=a, w=w), np.tanh(dense @ w - sums) * sums, rtol=1e-5, atol=1e-6)
    # A function beside the sum that it is of, and functions of two sums.
    beside = compiled("s = sum(i, exp(sum(j, A[i,j] * w[j])) - b[i] * sum(j, A[i,j] * w[j]))")
    gated = compiled("y[i] = tanh(sum(j, A[i,j] * w[j])) / (1 + exp(-sum(j, A[i,j] * v[j])))")
    v = generator.random(13).astype(dtype)
    np.testing.assert_allclose(beside(A=a, w=w, b=b), (np.exp(dense @ w) - b * (dense @ w)).sum(), rtol=1e-5)
    np.testing.assert_allclose(gated(A=a, w=w, v=v), np.tanh(dense @ w) / (1 + np.exp(-(dense @ v))), rtol=1e-5)
    # A function of a row in a loop over its entries, for rows with few and with many of them.
    weighted = compiled("u[j] = sum(i, A[i,j] * b[i] / (1 + exp(sum(k, Z[i,k] * w[k]))))")
    scaled = compiled("v[j] = sum(i, A[i,j] * exp(b[i]))")
    for columns in (13, 90):
        full = random_csr(generator, 200, columns, density=0.6)
        full[3:5].data[:] = 0
        full, b = (full / 20).astype(dtype), generator.random(full.shape[0]).astype(dtype)
        w, dense = generator.random(columns).astype(dtype), full.toarray()
        expected = dense.T @ (b / (1 + np.exp(dense @ w)))
        np.testing.assert_allclose(weighted(A=full, Z=full, b=b, w=w), expected, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(scaled(A=full, b=b), dense.T @ np.exp(b), rtol=1e-5, atol=1e-6)


@pytest.mark.one_in(16)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int8])
def test_columns_of_rows_that_are_read_once(only, dtype):
    """Blocks of rows, of which the last one is shorter, and strips of columns, of which the last overlap."""
    generator = np.random.default_rng(0)
    for rows in (0, 1, 7, 8, 9, 25):
        for columns in (0, 5, 8, 31, 33, 70, 260):
            x, w = (generator.integers(-4, 5, shape).astype(dtype) for shape in (rows, (rows, columns)))
            np.testing.assert_array_equal(einsum("i,ij->j", x, w), (x @ w).astype(dtype), f"{rows} x {columns}")
    for rows in (1, 9):
        x, w = (generator.integers(-4, 5, shape).astype(dtype) for shape in ((3, rows), (3, rows, 8, 9)))
        np.testing.assert_array_equal(einsum("bi,bijk->bjk", x, w), np.einsum("bi,bijk->bjk", x, w))


@pytest.mark.one_in(32)
@pytest.mark.parametrize("num_threads", [1, 3])
@pytest.mark.parametrize("density", [0.0, 0.01, 0.5])
def test_sums_for_the_rows_of_columns(only, density, num_threads):
    """Entries by columns, whose rows have sums: there are more entries than rows, fewer, or none."""
    generator = np.random.default_rng(0)
    a, b = random_csr(generator, 40, 30, density=density), random_csr(generator, 40, 20)
    v, y, z = (generator.integers(-3, 4, length).astype(float) for length in (20, 40, 40))
    factors = np.maximum(y * (b @ v), 1) * z
    statement = "o[j] = sum(i, a[i,j] * max(y[i] * sum(k, b[i,k] * v[k]), 1) * z[i])"
    for operand, format in ((a.tocsc(), it.CSC), (np.asfortranarray(a.toarray()), None), (a.toarray(), None)):
        kernel = it.compile(
            statement, formats={"a": format, "b": CSR} if format else {"b": CSR}, num_threads=num_threads
        )
        result = kernel(a=Tensor.from_scipy(operand) if format else operand, b=b, v=v, y=y, z=z)
        np.testing.assert_array_equal(result, factors @ a.toarray())
