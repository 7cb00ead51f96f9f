"""What operators compute of complex constants, against NumPy and exact values."""

import cmath
import math

import numpy as np
import pytest

from irtensor.core.operators import OPERATORS

TYPES = {"complex<f64>": np.complex128, "complex<f32>": np.complex64}
INFINITE = math.inf


def evaluate(name, element, *arguments):
    return OPERATORS[name].value_of(arguments, (element,) * len(arguments))


@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize("value", [0j, 3 + 4j, -2 + 0j, 1j, 0.1 - 0.2j, complex(-0.0, 5.0)])
def test_signs(element, value):
    number = TYPES[element](value)
    found = evaluate("sign", element, complex(number))
    assert found is not None
    np.testing.assert_allclose(found, np.sign(number), rtol=2e-7)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (complex(INFINITE, 1), 1),
        (complex(-INFINITE, -3), -1),
        (complex(2, INFINITE), 1j),
        (complex(2, -INFINITE), -1j),
    ],
)
def test_the_sign_of_an_infinite_number_is_that_of_its_infinite_part(value, expected):
    assert evaluate("sign", "complex<f64>", value) == expected == np.sign(value)


def test_a_number_with_two_infinite_parts_has_no_sign():
    found = evaluate("sign", "complex<f64>", complex(INFINITE, -INFINITE))
    assert found is not None and math.isnan(found.real) and math.isnan(found.imag)


@pytest.mark.parametrize(("exponent", "expected"), [(0, 1 + 0j), (1, 2 + 1j), (2, 3 + 4j), (3, 2 + 11j), (4, -7 + 24j)])
def test_small_powers_are_products(exponent, expected):
    """Exact, which exp(b * log(a)) is not."""
    assert evaluate("pow", "complex<f64>", 2 + 1j, complex(exponent)) == expected


def test_powers_of_zero():
    assert evaluate("pow", "complex<f64>", 0j, 0j) == 1
    assert evaluate("pow", "complex<f64>", 0j, 0.5 + 1j) == 0
    undefined = evaluate("pow", "complex<f64>", 0j, -1 + 0j)
    assert undefined is not None and math.isnan(undefined.real) and math.isnan(undefined.imag)


@pytest.mark.parametrize("element", TYPES)
def test_other_powers(element):
    expected = cmath.exp((0.5 - 1j) * cmath.log(2 + 1j))
    assert evaluate("pow", element, 2 + 1j, 0.5 - 1j) == pytest.approx(expected, rel=2e-7)


@pytest.mark.parametrize("element", TYPES)
@pytest.mark.parametrize("value", [0.5 - 1.5j, 1 + 1j, -1 + 2j, -3 + 0j])
def test_log1p(element, value):
    expected = cmath.log(1 + value)
    assert evaluate("log1p", element, value) == pytest.approx(expected, rel=2e-7, abs=1e-7)
