"""Sums of many sparse operands, through a workspace where that pays, against dense NumPy."""

import numpy as np
import pytest

import irtensor as it

CSR, DCSR, CSC = "dense, compressed", "compressed, compressed", "(i, j) -> (j : dense, i : compressed)"
NAMES = "ABDEFGH"


def _matrix(generator, dtype, shape=(7, 9)):
    values = generator.integers(-3, 4, shape) * (generator.random(shape) < 0.3)
    return values.astype(dtype)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("count", [2, 4, 5, 6, 7])
@pytest.mark.parametrize("format", [CSR, DCSR, CSC])
@pytest.mark.parametrize("dtype", ["float64", "int32", "complex64", "bool"])
def test_sums_of_many(count, format, dtype):
    generator = np.random.default_rng(count)
    dense = [_matrix(generator, dtype) for _ in range(count)]
    kernel = it.compile("C[i,j] = " + " + ".join(f"{n}[i,j]" for n in NAMES[:count]), formats={"C": format})
    result = kernel(*[it.Tensor.from_numpy(a, format) for a in dense])
    np.testing.assert_array_equal(result.to_numpy(), sum(dense[1:], dense[0]))


def test_terms_are_any_expressions_that_vanish_without_entries():
    generator = np.random.default_rng(1)
    a, b, d, e, f = (_matrix(generator, "float64") for _ in range(5))
    x = generator.random(9)
    notation = "C[i,j] = A[i,j] + 2 * B[i,j] * x[j] + D[i,j] * E[i,j] + sqrt(abs(F[i,j])) + (A[i,j] + E[i,j]) + F[i,j]"
    kernel = it.compile(notation, formats={"C": CSR})
    tensors = {name: it.Tensor.from_numpy(array, CSR) for name, array in zip("ABDEF", (a, b, d, e, f), strict=True)}
    result = kernel(**tensors, x=x)
    expected = a + 2 * b * x + d * e + np.sqrt(abs(f)) + (a + e) + f
    np.testing.assert_allclose(result.to_numpy(), expected)
    assert "added up in a workspace" in kernel.explain()


def test_terms_may_have_parts_that_no_entry_decides():
    generator = np.random.default_rng(2)
    a, b, d, e, f = (_matrix(generator, "float64") for _ in range(5))
    x, y = generator.random(7), generator.random(7)
    kernel = it.compile("C[i,j] = A[i,j] * (x[i] * y[i]) + B[i,j] + D[i,j] + E[i,j] + F[i,j]", formats={"C": CSR})
    tensors = {name: it.Tensor.from_numpy(array, CSR) for name, array in zip("ABDEF", (a, b, d, e, f), strict=True)}
    expected = a * (x * y)[:, None] + b + d + e + f
    np.testing.assert_allclose(kernel(**tensors, x=x, y=y).to_numpy(), expected)


def test_what_no_operand_stores_is_not_stored():
    dense = [np.diag(np.arange(1.0, 5.0)) for _ in range(6)]
    kernel = it.compile("C[i,j] = " + " + ".join(f"{n}[i,j]" for n in NAMES[:6]), formats={"C": CSR})
    assert len(kernel(*[it.Tensor.from_numpy(a, CSR) for a in dense]).values) == 4


def test_least_of_many_where_missing_entries_are_infinite():
    generator = np.random.default_rng(2)
    dense = [np.where(generator.random((5, 6)) < 0.4, generator.random((5, 6)), np.inf) for _ in range(5)]
    fill = "dense, compressed, fill = inf"
    notation = "C[i,j] = min(min(min(min(A[i,j], B[i,j]), D[i,j]), E[i,j]), F[i,j])"
    kernel = it.compile(notation, formats={"C": fill})
    result = kernel(*[it.Tensor.from_numpy(a, fill) for a in dense])
    np.testing.assert_array_equal(result.to_numpy(), np.minimum.reduce(dense))
