"""What the built-in operators compute on constants: to the bit what compiled code computes in the element type.

A rule takes the element type, then the arguments as values of it. Integers are exact here, and wrap around when the
result is converted; floats are rounded after each step, as registers are.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from irtensor.dialects.complex_inverses import Inverse, inverses
from irtensor.dialects.element_values import Scalar, convert, is_complex, is_float
from irtensor.dialects.repeated_squaring import FIRST_BY_LOGARITHM, product_of_equals

INTEGER, FLOAT, COMPLEX, BOOL = "integer", "float", "complex", "bool"
Rule = Callable[..., Scalar]


def kind_of(element: str) -> str:
    """Which arithmetic an element type follows."""
    if is_float(element):
        return FLOAT
    if is_complex(element):
        return COMPLEX
    return BOOL if element == "i1" else INTEGER


def part_of(element: str) -> str:
    """The type of the parts of a complex number."""
    return element[len("complex<") : -1]


def evaluate(name: str, element: str, *arguments: Any) -> Scalar | None:
    """The value of an operator on constants of an element type; None if it is not defined for that."""
    rule = CONSTANT_RULES[name].get(kind_of(element))
    return None if rule is None else rule(element, *arguments)


# Functions of the C library: the ones that compiled code calls.


class _Pair(ctypes.Structure):
    """A complex number, which is passed and returned as two doubles in registers."""

    _fields_ = (("real", ctypes.c_double), ("imag", ctypes.c_double))


@cache
def _library(name: str, element: str, arity: int) -> Callable[..., Any]:
    function = getattr(ctypes.CDLL(None), name)
    type = {"f64": ctypes.c_double, "f32": ctypes.c_float}.get(element, _Pair)
    function.argtypes = [ctypes.c_double if type is _Pair else type] * arity
    function.restype = type
    return function


def call_float(name: str, element: str, *arguments: float) -> float:
    return _library(f"{name}f" if element == "f32" else name, element, len(arguments))(*arguments)


def call_complex(name: str, element: str, *arguments: complex) -> complex:
    """In double precision, whatever the element type."""
    parts = [part for argument in arguments for part in (argument.real, argument.imag)]
    result = _library(name, "complex", len(parts))(*parts)
    return complex(convert(result.real, part_of(element)), convert(result.imag, part_of(element)))  # pyright: ignore


def _float_function(name: str) -> Rule:
    return lambda element, *arguments: call_float(name, element, *arguments)


def _complex_function(name: str) -> Rule:
    return lambda element, *arguments: call_complex(name, element, *arguments)


# Floats.


def _rounded(compute: Callable[..., float]) -> Rule:
    """Arithmetic of floats; that of doubles, rounded, is that of single floats for + - * and /."""
    return lambda element, *arguments: convert(compute(*arguments), element)


def _quotient(a: float, b: float) -> float:
    if b == 0:
        return math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)
    return a / b


def _remainder(a: float, b: float) -> float:
    """With the sign of `a`; NaN where there is none."""
    return math.nan if b == 0 or math.isinf(a) else math.fmod(a, b)


def _modulo_floats(element: str, a: float, b: float) -> Scalar:
    remainder = _remainder(a, b)
    if remainder == 0:
        return math.copysign(0.0, b)
    return convert(remainder + b, element) if (remainder < 0) != (b < 0) else remainder


def _floor_divide_floats(element: str, a: float, b: float) -> Scalar:
    plain = convert(_quotient(a, b), element).real
    if b == 0 or plain != plain:
        return plain
    remainder = _remainder(a, b)
    quotient = convert(_quotient(convert(a - remainder, element).real, b), element).real
    if remainder != 0 and (remainder < 0) != (b < 0):
        quotient = convert(quotient - 1.0, element).real
    if quotient == 0:
        return math.copysign(0.0, plain)
    floor = call_float("floor", element, quotient)
    return floor + 1.0 if quotient - floor > 0.5 else floor


def _least(element: str, a: float, b: float) -> float:
    if a != a or b != b:
        return math.nan
    return min(a, b) if a != b else math.copysign(a, min(math.copysign(1.0, a), math.copysign(1.0, b)))


def _greatest(element: str, a: float, b: float) -> float:
    return -_least(element, -a, -b)


def _sign_of_float(element: str, a: float) -> float:
    return a if a != a else float((a > 0) - (a < 0))


# Complex numbers.


def _by_parts(compute: Callable[[float, float], float]) -> Rule:
    def rule(element: str, a: complex, b: complex) -> Scalar:
        return convert(complex(compute(a.real, b.real), compute(a.imag, b.imag)), element)

    return rule


def _multiply(element: str, x: complex, y: complex) -> complex:
    part = part_of(element)

    def product(a: float, b: float) -> float:
        return convert(a * b, part).real

    real = product(x.real, y.real) - product(x.imag, y.imag)
    imaginary = product(x.real, y.imag) + product(x.imag, y.real)
    return complex(convert(real, part).real, convert(imaginary, part).real)


def _divide(element: str, x: complex, y: complex) -> complex:
    """Smith's algorithm: scale by the larger part of the divisor."""
    part = part_of(element)

    def rounded(value: float) -> float:
        return convert(value, part).real

    (a, b), (c, d) = (x.real, x.imag), (y.real, y.imag)
    larger_real = abs(c) >= abs(d)
    large, small = (c, d) if larger_real else (d, c)
    vanishes = larger_real and large == 0
    ratio = 0.0 if vanishes else rounded(_quotient(small, large))
    divisor = 0.0 if vanishes else rounded(large + rounded(small * ratio))
    a_ratio, b_ratio = rounded(a * ratio), rounded(b * ratio)
    real = rounded(a + b_ratio) if larger_real else rounded(a_ratio + b)
    imaginary = rounded(b - a_ratio) if larger_real else rounded(b_ratio - a)
    return complex(rounded(_quotient(real, divisor)), rounded(_quotient(imaginary, divisor)))


def _magnitude(element: str, a: complex) -> float:
    return call_float("hypot", part_of(element), a.real, a.imag)


def _sign_of_complex(element: str, a: complex) -> complex:
    magnitude = _magnitude(element, a)
    if magnitude == 0:
        return 0j
    if not math.isinf(magnitude):
        part = part_of(element)
        return complex(convert(a.real / magnitude, part).real, convert(a.imag / magnitude, part).real)
    if not math.isinf(a.real):
        return complex(0.0, math.copysign(1.0, a.imag))
    return complex(math.nan, math.nan) if math.isinf(a.imag) else complex(math.copysign(1.0, a.real), 0.0)


def _power_of_complex(element: str, a: complex, b: complex) -> complex:
    if b == 0:
        return 1 + 0j
    if a == 0:
        return 0j if b.real > 0 else complex(math.nan, math.nan)
    if b == 0.5:
        return call_complex("csqrt", element, a)
    if b.imag == 0 and b.real.is_integer() and abs(b.real) < FIRST_BY_LOGARITHM:
        power = product_of_equals(a, abs(int(b.real)), lambda left, right: _multiply(element, left, right))
        return power if b.real > 0 else _divide(element, 1 + 0j, power)
    return call_complex("cpow", element, a, b)


def _is_nan(element: str, a: complex) -> bool:
    return a.real != a.real or a.imag != a.imag


_ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


def _order_of_complex(name: str) -> Rule:
    """Lexicographic, real parts first; a NaN imaginary part compares false."""
    strict, order = _ORDERS[{"le": "lt", "ge": "gt"}.get(name, name)], _ORDERS[name]

    def rule(element: str, a: complex, b: complex) -> bool:
        numbers = a.imag == a.imag and b.imag == b.imag
        return (strict(a.real, b.real) and numbers) or (a.real == b.real and order(a.imag, b.imag))

    return rule


def _extreme_of_complex(name: str) -> Rule:
    order = _order_of_complex(name)
    return lambda element, a, b: a if order(element, a, b) or _is_nan(element, a) else b


def _parts(compute: Rule) -> Rule:
    """A function of floats, of each part."""

    def rule(element: str, a: complex) -> complex:
        part = part_of(element)
        return complex(compute(part, a.real).real, compute(part, a.imag).real)

    return rule


def _logarithm(base: float) -> Rule:
    """The natural logarithm, divided by that of the base."""

    def rule(element: str, a: complex) -> Scalar:
        factor = convert(1 / math.log(base), part_of(element)).real
        value = call_complex("clog", element, a)
        return convert(complex(value.real * factor, value.imag * factor), element)

    return rule


def _log1p_of_complex(element: str, a: complex) -> complex:
    part = part_of(element)
    real = convert(a.real + 1.0, part).real
    magnitude = call_float("hypot", part, real, a.imag)
    return complex(call_float("log", part, magnitude), call_float("atan2", part, a.imag, real))


def _expm1_of_complex(element: str, a: complex) -> complex:
    part = part_of(element)

    def times(x: float, y: float) -> float:
        return convert(x * y, part).real

    half = call_float("sin", part, times(a.imag, 0.5))
    real = times(call_float("expm1", part, a.real), call_float("cos", part, a.imag)) - times(times(2.0, half), half)
    imaginary = times(call_float("exp", part, a.real), call_float("sin", part, a.imag))
    return complex(convert(real, part).real, imaginary)


@dataclass(frozen=True)
class _Parts:
    """Arithmetic of real and imaginary parts of one type."""

    part: str

    def constant(self, value: float) -> float:
        return value

    def apply(self, name: str, *operands: float) -> float:
        # A float, which each of the operators gives.
        return CONSTANT_RULES[name][FLOAT](self.part, *operands).real

    def sqrt(self, real: float, imaginary: float) -> tuple[float, float]:
        root = call_complex("csqrt", f"complex<{self.part}>", complex(real, imaginary))
        return root.real, root.imag


def _inverse(compute: Inverse[float]) -> Rule:
    return lambda element, a: complex(*compute(_Parts(part_of(element)), a.real, a.imag))


def _sigmoid(element: str, a: float) -> Scalar:
    return convert(_quotient(1.0, convert(1.0 + call_float("exp", element, -a), element).real), element)


def _heaviside(element: str, a: float, b: float) -> float:
    return a if a != a else b if a == 0 else float(a > 0)


# Integers.


def _power_of_integers(element: str, a: int, b: int) -> int:
    """The integer part of the exact result for a negative exponent."""
    if b < 0:
        return (a if b & 1 else 1) if a in (1, -1) else 0
    return pow(a, b, 1 << int(element[1:]))


def _reciprocal_of_integer(element: str, a: int) -> Scalar:
    return a if a in (1, -1) else 0 if a else convert(math.inf, element)


def _everywhere(rule: Rule) -> dict[str, Rule]:
    return dict.fromkeys((INTEGER, FLOAT, COMPLEX, BOOL), rule)


def _function(name: str) -> dict[str, Rule]:
    return {FLOAT: _float_function(name), COMPLEX: _complex_function(f"c{name}")}


_OF_FLOATS = "cbrt erf atan2 copysign"


def _rules() -> dict[str, dict[str, Rule]]:
    first: Rule = lambda element, a, *others: a  # noqa: E731
    either: Rule = lambda element, a, b: a | b  # noqa: E731
    both: Rule = lambda element, a, b: a & b  # noqa: E731
    apart: Rule = lambda element, a, b: a ^ b  # noqa: E731
    table: dict[str, dict[str, Rule]] = {
        "add": {
            INTEGER: lambda element, a, b: a + b,
            BOOL: either,
            FLOAT: _rounded(lambda a, b: a + b),
            COMPLEX: _by_parts(lambda a, b: a + b),
        },
        "sub": {
            INTEGER: lambda element, a, b: a - b,
            BOOL: apart,
            FLOAT: _rounded(lambda a, b: a - b),
            COMPLEX: _by_parts(lambda a, b: a - b),
        },
        "mul": {
            INTEGER: lambda element, a, b: a * b,
            BOOL: both,
            FLOAT: _rounded(lambda a, b: a * b),
            COMPLEX: _multiply,
        },
        "div": {FLOAT: _rounded(_quotient), COMPLEX: _divide},
        "floordiv": {INTEGER: lambda element, a, b: a // b if b else 0, FLOAT: _floor_divide_floats},
        "mod": {INTEGER: lambda element, a, b: a % b if b else 0, FLOAT: _modulo_floats},
        "pow": {INTEGER: _power_of_integers, FLOAT: _float_function("pow"), COMPLEX: _power_of_complex},
        "min": {INTEGER: lambda element, a, b: min(a, b), BOOL: both, FLOAT: _least},
        "max": {INTEGER: lambda element, a, b: max(a, b), BOOL: either, FLOAT: _greatest},
        "and": {INTEGER: both, BOOL: both},
        "or": {INTEGER: either, BOOL: either},
        "xor": {INTEGER: apart, BOOL: apart},
        "first": _everywhere(first),
        "second": _everywhere(lambda element, a, b: b),
        "where": _everywhere(lambda element, condition, a, b: a if condition else b),
        "stored": _everywhere(lambda element, a: True),
        "identity": _everywhere(first),
        "eq": _everywhere(lambda element, a, b: a == b),
        "ne": _everywhere(lambda element, a, b: a != b),
        "neg": dict.fromkeys((INTEGER, FLOAT), lambda element, a: -a),
        "abs": {**_everywhere(lambda element, a: abs(a)), BOOL: first, COMPLEX: _magnitude},
        "real": _everywhere(lambda element, a: a.real),
        "imag": _everywhere(lambda element, a: a.imag),
        "conj": {**_everywhere(first), COMPLEX: lambda element, a: a.conjugate()},
        "complex": {FLOAT: lambda element, a, b: complex(a, b)},
        "angle": {
            FLOAT: lambda element, a: call_float("atan2", element, 0.0, a),
            COMPLEX: lambda element, a: call_float("atan2", part_of(element), a.imag, a.real),
        },
        "not": {INTEGER: lambda element, a: ~a, BOOL: lambda element, a: not a},
        "isnan": _everywhere(_is_nan),
        "reciprocal": {
            INTEGER: _reciprocal_of_integer,
            FLOAT: _rounded(lambda a: _quotient(1.0, a)),
            COMPLEX: lambda element, a: _divide(element, 1 + 0j, a),
        },
        "sign": {
            INTEGER: lambda element, a: (a > 0) - (a < 0),
            FLOAT: _sign_of_float,
            COMPLEX: _sign_of_complex,
        },
        **{
            name: {INTEGER: first, BOOL: first, FLOAT: _float_function(of)}
            for name, of in (("floor", "floor"), ("ceil", "ceil"), ("trunc", "trunc"), ("round", "roundeven"))
        },
        **{name: _function(name) for name in "sqrt exp log sin cos tan sinh cosh tanh".split()},
        "log2": {FLOAT: _float_function("log2"), COMPLEX: _logarithm(2)},
        "log10": {FLOAT: _float_function("log10"), COMPLEX: _logarithm(10)},
        "log1p": {FLOAT: _float_function("log1p"), COMPLEX: _log1p_of_complex},
        "expm1": {FLOAT: _float_function("expm1"), COMPLEX: _expm1_of_complex},
        **{name: {FLOAT: _float_function(name)} for name in _OF_FLOATS.split()},
        **{name: {FLOAT: _float_function(name), COMPLEX: _inverse(its)} for name, its in inverses().items()},
        "sigmoid": {FLOAT: _sigmoid},
        "heaviside": {FLOAT: _heaviside},
        "isinf": _everywhere(lambda element, a: math.isinf(a.real) or math.isinf(a.imag)),
        "isfinite": _everywhere(lambda element, a: math.isfinite(a.real) and math.isfinite(a.imag)),
    }
    table["round"][COMPLEX] = _parts(_float_function("roundeven"))
    for name, order in _ORDERS.items():
        plain: Rule = lambda element, a, b, order=order: order(a, b)  # noqa: E731
        table[name] = {**_everywhere(plain), COMPLEX: _order_of_complex(name)}
    table["min"][COMPLEX], table["max"][COMPLEX] = _extreme_of_complex("le"), _extreme_of_complex("ge")
    table["neg"][COMPLEX] = lambda element, a: complex(-a.real, -a.imag)
    times = table["mul"]
    table["square"] = {kind: lambda element, a, rule=rule: rule(element, a, a) for kind, rule in times.items()}
    table["cube"] = {
        kind: lambda element, a, rule=rule: rule(element, rule(element, a, a), a) for kind, rule in times.items()
    }
    return table


CONSTANT_RULES: dict[str, dict[str, Rule]] = _rules()
