"""Constants of element types, against exact fractions and what NumPy stores."""

from fractions import Fraction

import numpy as np
import pytest

from irtensor.core.element_values import convert, converts_exactly, is_value_of


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("exponent", [53, 54, 62, 63, 100, 127])
@pytest.mark.parametrize("offset", [0, 1, -1])
def test_large_integers_are_rounded_once(sign, exponent, offset):
    """Halfway between two single floats, or one beside it. By way of a double it would be a tie, which goes to even."""
    step = 1 << (exponent - 23)
    below = 1 << exponent
    number = below + step // 2 + offset
    found = convert(sign * number, "f32")
    # Below is even, so a tie goes there.
    assert isinstance(found, float) and Fraction(found) == sign * (below + step if offset > 0 else below)


@pytest.mark.parametrize("element", ["f64", "f32"])
def test_integers_beyond_the_largest_float_are_infinite(element):
    assert convert(10**400, element) == np.inf
    assert convert(-(10**400), element) == -np.inf


def test_the_parts_of_complex_constants_are_rounded():
    found = convert(complex(0.1, 1e300), "complex<f32>")
    assert found == complex(float(np.float32(0.1)), np.inf)


@pytest.mark.parametrize(
    ("value", "element", "expected"),
    [
        (2 + 0j, "f64", True),
        (2 + 1j, "f64", False),
        (2 + 1j, "complex<f32>", True),
        (127 + 0j, "i8", True),
        (128 + 0j, "i8", False),
        (0.5 + 0j, "i32", False),
        (1 + 1j, "i1", False),
        (1 + 0j, "i1", True),
    ],
)
def test_complex_numbers_among_the_values_of_other_types(value, element, expected):
    assert is_value_of(value, element) is expected
    assert converts_exactly(value, element) is expected
