"""Constants of element types: which there are, how they convert, when they are the same.

Element types are named by their IR spelling ("f64", "i32", "i1", "complex<f64>"); constants are Python scalars.
"""

from __future__ import annotations

import ctypes
import math

Scalar = bool | int | float | complex
# Of floats that are stored only: bits of a significand, the exponent of the least number, and the largest number.
_STORED = {"f16": (11, -24, 65504.0), "bf16": (8, -133, (2 - 2.0**-7) * 2.0**127)}
_FLOATS = ("f16", "bf16", "f32", "f64", "complex<f32>", "complex<f64>")


def is_integer(element: str) -> bool:
    return element[0] in "iu" and element not in ("i1", "index")


def is_unsigned(element: str) -> bool:
    return element[0] == "u"


def bits_of(element: str) -> int:
    """The width of an integer, or of truth values."""
    return int(element.lstrip("ui"))


def is_float(element: str) -> bool:
    return element[0] in "fb"


def is_stored_only(element: str) -> bool:
    """Whether numbers of a type are converted when they are read, and computed in float32."""
    return element in _STORED


def is_complex(element: str) -> bool:
    return element.startswith("complex")


def smallest(element: str) -> Scalar:
    """The least value of an element type: the identity of max."""
    if is_integer(element):
        return 0 if is_unsigned(element) else -(1 << (bits_of(element) - 1))
    return False if element == "i1" else -math.inf


def largest(element: str) -> Scalar:
    """The greatest value of an element type: the identity of min."""
    if is_integer(element):
        return (1 << (bits_of(element) - (not is_unsigned(element)))) - 1
    return True if element == "i1" else math.inf


def convert(value: Scalar, element: str) -> Scalar:
    """`value` as a constant of `element`, as compiled code converts it; integers wrap around as NumPy's do."""
    if element == "i1":
        return bool(value)
    if is_integer(element):
        bits = bits_of(element)
        if is_unsigned(element):
            return _truncated_to_unsigned(value.real, bits) % (1 << bits)
        number = _truncated(value.real, max(bits, 32))
        return (number + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))
    if is_float(element):
        return _rounded(value.real, element)
    if not is_complex(element):
        return _truncated(value.real, 64)
    part = element[len("complex<") : -1]
    return complex(_rounded(value.real, part), _rounded(value.imag, part))


def _truncated(value: float | int, bits: int) -> int:
    """The integer part; where a float has none of so many bits, the least integer, as the processor's conversion."""
    least = -(1 << (bits - 1))
    if isinstance(value, int):
        return value
    return int(value) if math.isfinite(value) and least <= int(value) < -least else least


def _truncated_to_unsigned(value: float | int, bits: int) -> int:
    """The integer part, whose lowest bits count: a processor converts to the next wider signed integer."""
    if bits < 64 or not value >= 1 << 63:
        return _truncated(value, 32 if bits < 32 else 64)
    return value if isinstance(value, int) else _truncated(value - (1 << 63), 64) + (1 << 63)


def _rounded(value: float | int, element: str) -> float:
    """The nearest number of a float type, infinite beyond the largest; an integer is rounded once."""
    if element in _STORED:
        return _rounded_to(_nearest_double(value), *_STORED[element])
    if element != "f32":
        return _nearest_double(value)
    if isinstance(value, int) and abs(value) >= 1 << 53:
        shift = abs(value).bit_length() - 32
        # The last bit stands for all that are cut off: it decides between rounding down and up.
        kept = abs(value) >> shift | (abs(value) & ((1 << shift) - 1) != 0)
        value = _nearest_double(kept << shift if value > 0 else -(kept << shift))
    return ctypes.c_float(value).value


def _rounded_to(value: float, digits: int, least: int, largest: float) -> float:
    if value == 0 or not math.isfinite(value):
        return value
    exponent = max(math.frexp(value)[1] - digits, least)
    # Python rounds to even, as processors do, and scaling by a power of two is exact.
    rounded = math.ldexp(round(math.ldexp(value, -exponent)), exponent)
    return math.copysign(rounded if abs(rounded) <= largest else math.inf, value)


def _nearest_double(value: float | int) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def is_value_of(value: Scalar, element: str) -> bool:
    """Whether an element type has a constant among its values; floats may round it."""
    if is_complex(element):
        return True
    if isinstance(value, complex):
        if value.imag != 0:
            return False
        value = value.real
    if is_float(element):
        return True
    exact = "i64" if element == "index" else element
    least, greatest = smallest(exact).real, largest(exact).real
    return least <= value <= greatest and value == int(value)


def converts_exactly(value: Scalar, element: str) -> bool:
    """Whether a constant is the same number in another element type, but for the rounding of floats."""
    return is_value_of(value, element) and same_value(convert(value, element), value)


def is_promotion(source: str, target: str) -> bool:
    """Whether arithmetic with other types converts so: to more bits of one kind of number, or to a wider kind."""
    if target in _FLOATS:
        is_narrower = source not in _FLOATS or _FLOATS.index(source) <= _FLOATS.index(target)
        return is_narrower and (source, target) not in (("f64", "complex<f32>"), ("f16", "bf16"))
    if source in ("i1", target):
        return True
    if source in _FLOATS or (is_unsigned(target) and not is_unsigned(source)):
        return False
    return bits_of(source) < bits_of(target)


def same_value(a: Scalar, b: Scalar) -> bool:
    """Equality of constants in which NaN equals NaN."""
    return a == b or (a != a and b != b)
