"""Sums, products, what undoes them, and powers."""

from __future__ import annotations

import math
from typing import Any

from irtensor.core.arithmetic import (
    BOOL,
    COMPLEX,
    FLOAT,
    INTEGER,
    UNSIGNED,
    Arithmetic,
    Rule,
    Upstream,
    converted,
    everywhere,
    part_of,
    unchanged,
)
from irtensor.core.constant_functions import of_complex, of_float
from irtensor.core.element_values import Scalar, convert, is_float
from irtensor.core.repeated_squaring import FIRST_BY_LOGARITHM, product_of_equals
from irtensor.core.scalar_operator import Operator, always, symmetric
from irtensor.operators import bits


def _infinities(element: str) -> tuple[Scalar, ...]:
    return (math.inf, -math.inf) if is_float(element) else ()


def quotient(a: float, b: float) -> float:
    """a / b as processors compute it."""
    if b == 0:
        return math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)
    return a / b


def _product(element: str, x: complex, y: complex) -> complex:
    part = part_of(element)

    def product(a: float, b: float) -> float:
        return convert(a * b, part).real

    real = product(x.real, y.real) - product(x.imag, y.imag)
    imaginary = product(x.real, y.imag) + product(x.imag, y.real)
    return complex(convert(real, part).real, convert(imaginary, part).real)


def _quotient(element: str, x: complex, y: complex) -> complex:
    """Smith's algorithm: scale by the larger part of the divisor."""
    part = part_of(element)

    def rounded(value: float) -> float:
        return convert(value, part).real

    (a, b), (c, d) = (x.real, x.imag), (y.real, y.imag)
    larger_real = abs(c) >= abs(d)
    large, small = (c, d) if larger_real else (d, c)
    vanishes = larger_real and large == 0
    ratio = 0.0 if vanishes else rounded(quotient(small, large))
    divisor = 0.0 if vanishes else rounded(large + rounded(small * ratio))
    a_ratio, b_ratio = rounded(a * ratio), rounded(b * ratio)
    real = rounded(a + b_ratio) if larger_real else rounded(a_ratio + b)
    imaginary = rounded(b - a_ratio) if larger_real else rounded(b_ratio - a)
    return complex(rounded(quotient(real, divisor)), rounded(quotient(imaginary, divisor)))


def _by_parts(op: str, sign: int) -> Upstream:
    def add(a: complex, b: complex) -> complex:
        return complex(a.real + sign * b.real, a.imag + sign * b.imag)

    return Upstream(op, converted(add))


def _negated(element: str, a: complex) -> complex:
    return complex(-a.real, -a.imag)


_SUM: Rule = converted(lambda a, b: a + b)
_DIFFERENCE: Rule = converted(lambda a, b: a - b)
_TIMES: Rule = converted(lambda a, b: a * b)
_MINUS: Rule = converted(lambda a: -a)


def _cube(by: Arithmetic, a: Any) -> Any:
    return by.mul(by.mul(a, a), a)


def _square(by: Arithmetic, a: Any) -> Any:
    return by.mul(a, a)


def _reciprocal(by: Arithmetic, a: Any) -> Any:
    return by.div(by.constant(1, a), a)


def _reciprocal_of_integer(by: Arithmetic, a: Any) -> Any:
    """1 / a truncated: a itself for 1 and -1, otherwise 0, but of 0 what infinity converts to, as in NumPy."""
    one, minus_one, zero, infinite = (by.constant(number, a) for number in (1, -1, 0, math.inf))
    unit = by.apply("or", by.compare("eq", a, one), by.compare("eq", a, minus_one))
    return by.select(unit, a, by.select(by.compare("eq", a, zero), infinite, zero))


def _power_of_complex(by: Arithmetic, a: Any, b: Any) -> Any:
    """A product or a root where NumPy's is one, which a logarithm is less exact than; nothing to 0 is 1."""
    exponent, zero, one = by.known(b), by.constant(0, a), by.constant(1, a)
    if exponent == 0:
        return one
    if exponent == 0.5:
        return by.sqrt(a)
    if exponent is not None and _is_whole(exponent) and abs(exponent.real) < FIRST_BY_LOGARITHM:
        power = product_of_equals(a, abs(int(exponent.real)), by.mul)
        if exponent.real > 0:
            return power
        power = by.div(one, power)
    else:
        power = _POWER(by, a, b)
    unknown = by.constant(complex(math.nan, math.nan), a)
    real = by.parts(b)[0]
    of_zero = by.select(by.compare("gt", real, by.constant(0.0, real)), zero, unknown)
    power = by.select(by.eq(a, zero), of_zero, power)
    return by.select(by.eq(b, zero), one, power)


def _is_whole(number: Scalar) -> bool:
    return number.imag == 0 and float(number.real).is_integer()


_POWER = Upstream("complex.pow", of_complex("cpow"))


def _power_of_integers(by: Arithmetic, a: Any, b: Any) -> Any:
    """Repeated squaring with wraparound; a negative exponent gives the integer part of the exact result."""
    exponent = by.known(b)
    if exponent == 0:
        return by.constant(1, a)
    if exponent is not None and exponent.real > 0:
        return product_of_equals(a, int(exponent.real), by.mul)
    zero, one, minus_one = (by.constant(number, a) for number in (0, 1, -1))
    negative = by.compare("lt", b, zero)
    is_odd = by.compare("eq", by.apply("and", b, one), one)
    unit = by.select(by.compare("eq", a, one), one, zero)
    small = by.select(by.compare("eq", a, minus_one), by.select(is_odd, minus_one, one), unit)
    return by.repeated_product(by.select(negative, small, one), a, b)


def _reciprocal_of_unsigned(by: Arithmetic, a: Any) -> Any:
    """1 / a truncated: 1 of 1, otherwise 0, but of 0 what infinity converts to, as in NumPy."""
    one, zero, infinite = (by.constant(number, a) for number in (1, 0, math.inf))
    return by.select(by.compare("eq", a, one), one, by.select(by.compare("eq", a, zero), infinite, zero))


def _power_of_unsigned(by: Arithmetic, a: Any, b: Any) -> Any:
    """Repeated squaring with wraparound."""
    exponent, one = by.known(b), by.constant(1, a)
    if exponent == 0:
        return one
    if exponent is not None:
        return product_of_equals(a, int(exponent.real), by.mul)
    return by.repeated_product(one, a, b)


def _negated_integer(by: Arithmetic, a: Any) -> Any:
    return by.sub(by.constant(0, a), a)


_SUMS = {
    **{INTEGER: Upstream("arith.addi", _SUM), FLOAT: Upstream("arith.addf", _SUM)},
    **{COMPLEX: _by_parts("complex.add", 1), BOOL: bits.EITHER},
}
_DIFFERENCES = {
    **{INTEGER: Upstream("arith.subi", _DIFFERENCE), FLOAT: Upstream("arith.subf", _DIFFERENCE)},
    **{COMPLEX: _by_parts("complex.sub", -1), BOOL: bits.APART},
}
_PRODUCTS = {
    **{INTEGER: Upstream("arith.muli", _TIMES), FLOAT: Upstream("arith.mulf", _TIMES)},
    **{COMPLEX: Upstream("complex.mul", _product), BOOL: bits.BOTH},
}
_QUOTIENTS = {FLOAT: Upstream("arith.divf", converted(quotient)), COMPLEX: Upstream("complex.div", _quotient)}
_POWERS = {
    **{INTEGER: _power_of_integers, UNSIGNED: _power_of_unsigned},
    **{FLOAT: Upstream("math.powf", of_float("pow")), COMPLEX: _power_of_complex},
}
_NEGATED = {
    **{INTEGER: _negated_integer, FLOAT: Upstream("arith.negf", _MINUS)},
    **{COMPLEX: Upstream("complex.neg", _negated)},
}
_RECIPROCALS = {
    **{INTEGER: _reciprocal_of_integer, UNSIGNED: _reciprocal_of_unsigned},
    **{FLOAT: _reciprocal, COMPLEX: _reciprocal},
}

FAMILY = (
    symmetric("add", _SUMS, always(0), _infinities, distributes_over=("min", "max"), of_equals="mul", numpy="add"),
    symmetric(
        "mul", _PRODUCTS, always(1), always(0), distributes_over=("add", "sub"), of_equals="pow", numpy="multiply"
    ),
    Operator("sub", 2, definitions=_DIFFERENCES, right_identity=always(0), numpy="subtract"),
    Operator(
        "div",
        2,
        right_identity=always(1),
        left_annihilator=always(0),
        undoes="mul",
        definitions=_QUOTIENTS,
        numpy="true_divide",
        divides=True,
    ),
    Operator("pow", 2, definitions=_POWERS, right_identity=always(1), numpy="power", also=("power",), takes_long=True),
    Operator("neg", 1, definitions=_NEGATED, numpy="negative", also=("negative",)),
    Operator("reciprocal", 1, definitions=_RECIPROCALS, numpy="reciprocal", divides=True),
    Operator("square", 1, definitions={**everywhere(_square), BOOL: unchanged}, numpy="square"),
    Operator("cube", 1, definitions={**everywhere(_cube), BOOL: unchanged}, types_of="square"),
)
