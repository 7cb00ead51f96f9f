"""Functions of complex numbers, beside those of NumPy: in compiled kernels, and where nothing is stored."""

import numpy as np
import pytest

import irtensor as it
from irtensor.core.operators import OPERATORS

NAMES = "exp expm1 log log1p sqrt sin cos tan sinh cosh tanh abs sign reciprocal square conj real imag".split()
VALUES = np.array([1e-9 + 2e-9j, 0.5 - 1.5j, -2.0 + 0.25j, 3.0 + 0.0j, -1e-12j, 0.3j])


@pytest.mark.parametrize("dtype", ["c16", "c8"])
@pytest.mark.parametrize("name", NAMES)
def test_functions(name, dtype):
    values = VALUES.astype(dtype)
    kernel = it.compile(f"y[i] = {name}(x[i])", dtypes={"x": dtype})
    expected = getattr(np, name)(values)
    found = kernel(x=values)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-12 if dtype == "c16" else 1e-5, atol=1e-20)


ZEROS = [complex(real, imaginary) for real in (0.0, -0.0) for imaginary in (0.0, -0.0)]
# On both sides of each branch cut, near the branch points, and so large and small that squares are no numbers.
CUTS = [
    *(complex(real, zero) for real in (-2, -1, -0.5, 0.5, 1, 2) for zero in (0.0, -0.0)),
    *(complex(zero, imaginary) for imaginary in (-2, -1, -0.5, 0.5, 1, 2) for zero in (0.0, -0.0)),
]
FAR = [1 + 1e-12j, -1 + 1e-12j, 1j + 1e-12, 1e30 - 1e30j, 1e20 + 1e3j, 1e-30 + 3e-30j]


@pytest.mark.parametrize("dtype", ["c16", "c8"])
@pytest.mark.parametrize("name", ["asin", "acos", "atan", "asinh", "acosh", "atanh"])
def test_inverse_functions(name, dtype):
    """Those of NumPy, of which signs of zero choose the branch; and of constants, to the bit."""
    values = np.array([*VALUES, *ZEROS, *CUTS, *FAR], dtype)
    found = it.compile(f"y[i] = {name}(x[i])", dtypes={"x": dtype})(x=values)
    with np.errstate(all="ignore"):
        expected = getattr(np, f"arc{name[1:]}")(values)
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(np.isfinite(found), finite)
    error = np.abs(found[finite] - expected[finite])
    assert np.all(error <= (1e-14 if dtype == "c16" else 1e-6) * np.abs(expected[finite]))
    for part in ("real", "imag"):
        one, other = getattr(found, part), getattr(expected, part)
        np.testing.assert_array_equal(np.signbit(one), np.signbit(other))
    element = "complex<f64>" if dtype == "c16" else "complex<f32>"
    constants = [OPERATORS[name].value_of((complex(value),), (element,)) for value in values[finite]]
    np.testing.assert_array_equal(np.array(constants, dtype), found[finite])


@pytest.mark.parametrize("dtype", ["c16", "c8"])
def test_signs_of_zero_and_of_infinite_numbers(dtype):
    """That of an infinite part, and unknown where both parts are infinite."""
    signs = {0j: 0j, complex(np.inf, 1): 1, complex(-np.inf, -3): -1, complex(2, np.inf): 1j, complex(2, -np.inf): -1j}
    signs[complex(np.inf, -np.inf)] = complex(np.nan, np.nan)
    kernel = it.compile("y[i] = sign(x[i])", dtypes={"x": dtype})
    found, expected = kernel(x=np.array(list(signs), dtype)), np.array(list(signs.values()), dtype)
    for part in ("real", "imag"):
        np.testing.assert_array_equal(getattr(found, part), getattr(expected, part))


def test_small_arguments_lose_no_digits():
    """exp(x) - 1 and log(1 + x) written out would have half of them."""
    x = np.array([1e-9 + 1e-9j])
    np.testing.assert_allclose(it.compile("y[i] = expm1(x[i])", dtypes={"x": complex})(x=x), x + x * x / 2, rtol=1e-15)


@pytest.mark.parametrize("target", ["c8", "c16", "?"])
def test_complex_numbers_become_others(target):
    values = np.array([0, 1j, 2.5, -1 + 2j])
    tensor = it.Tensor.from_numpy(values, "compressed").astype(target)
    np.testing.assert_array_equal(tensor.to_numpy(), values.astype(target))
    result = it.einsum("i,i->i", values, np.ones(4), dtype=target, casting="unsafe")
    np.testing.assert_array_equal(result, values.astype(target))
