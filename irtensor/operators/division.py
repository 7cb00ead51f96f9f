"""Quotients rounded to whole numbers, and remainders, with NumPy's results; none of them traps."""

from __future__ import annotations

import math
from typing import Any

from irtensor.core.arithmetic import FLOAT, INTEGER, UNSIGNED, Arithmetic, Definition, Upstream, converted
from irtensor.core.scalar_operator import Operator, always

# The remainder with the sign of `a`; NaN where there is none. Upstream arith in xDSL has no such operation.
_REMAINDER = Upstream("llvm.frem", converted(lambda a, b: math.nan if b == 0 or math.isinf(a) else math.fmod(a, b)))
_INTEGER_REMAINDER = Upstream("arith.remsi", converted(lambda a, b: (abs(a) % abs(b)) * (1 if a >= 0 else -1)))
_UNSIGNED_REMAINDER = Upstream("arith.remui", converted(lambda a, b: a % b))
_UNSIGNED_QUOTIENT = Upstream("arith.divui", converted(lambda a, b: a // b))
_FLOOR_OF_QUOTIENT = Upstream("arith.floordivsi", converted(lambda a, b: a // b))


def _safe_divisor(by: Arithmetic, b: Any) -> tuple[Any, Any, Any]:
    """A divisor that cannot trap, and whether the given one is 0 or -1 (where the quotient may overflow)."""
    is_zero = by.compare("eq", b, by.constant(0, b))
    is_minus_one = by.compare("eq", b, by.constant(-1, b))
    special = by.apply("or", is_zero, is_minus_one)
    return by.select(special, by.constant(1, b), b), is_zero, is_minus_one


def _floor_divide_integers(by: Arithmetic, a: Any, b: Any) -> Any:
    """Rounds toward minus infinity; 0 for a zero divisor, as NumPy."""
    if by.known(b) not in (None, 0, -1):
        return _FLOOR_OF_QUOTIENT(by, a, b)
    divisor, is_zero, is_minus_one = _safe_divisor(by, b)
    zero = by.constant(0, a)
    quotient = _FLOOR_OF_QUOTIENT(by, a, divisor)
    quotient = by.select(is_minus_one, by.sub(zero, a), quotient)
    return by.select(is_zero, zero, quotient)


def _unsigned(quotient: Upstream) -> Definition:
    """A quotient or a remainder without signs; 0 for a zero divisor, as NumPy."""

    def definition(by: Arithmetic, a: Any, b: Any) -> Any:
        if by.known(b) not in (None, 0):
            return quotient(by, a, b)
        zero = by.constant(0, a)
        is_zero = by.compare("eq", b, zero)
        return by.select(is_zero, zero, quotient(by, a, by.select(is_zero, by.constant(1, b), b)))

    return definition


def _modulo_integers(by: Arithmetic, a: Any, b: Any) -> Any:
    """The remainder with the divisor's sign; 0 for a zero divisor, as NumPy."""
    divisor = b
    if by.known(b) in (None, 0, -1):
        # Every number divided by 1 leaves 0, which is the answer for 0 and -1 as well.
        divisor, _, _ = _safe_divisor(by, b)
    zero = by.constant(0, a)
    remainder = _INTEGER_REMAINDER(by, a, divisor)
    inexact = by.compare("ne", remainder, zero)
    differs = by.compare("lt", by.xor(remainder, divisor), zero)
    corrected = by.add(remainder, divisor)
    return by.select(by.apply("and", inexact, differs), corrected, remainder)


def _modulo_floats(by: Arithmetic, a: Any, b: Any) -> Any:
    """The remainder with the divisor's sign; a zero remainder takes that sign as well, as NumPy's npy_divmod."""
    by = by.exactly
    zero = by.constant(0.0, a)
    remainder = _REMAINDER(by, a, b)
    corrected = by.select(_signs_differ(by, remainder, b), by.add(remainder, b), remainder)
    signed_zero = by.copysign(zero, b)
    return by.select(by.compare("eq", remainder, zero), signed_zero, corrected)


def _signs_differ(by: Arithmetic, remainder: Any, b: Any) -> Any:
    zero = by.constant(0.0, b)
    return by.xor(*(by.compare("lt", value, zero) for value in (remainder, b)))


def _floor_divide_floats(by: Arithmetic, a: Any, b: Any) -> Any:
    """Floor of the exact quotient, as NumPy's npy_floor_divide: from the remainder, not from the rounded quotient."""
    by = by.exactly
    zero, one, half = (by.constant(number, a) for number in (0.0, 1.0, 0.5))
    plain = by.div(a, b)
    remainder = _REMAINDER(by, a, b)
    quotient = by.div(by.sub(a, remainder), b)
    inexact = by.compare("ne", remainder, zero)
    lower = by.apply("and", inexact, _signs_differ(by, remainder, b))
    quotient = by.select(lower, by.sub(quotient, one), quotient)
    floor = by.floor(quotient)
    excess = by.compare("gt", by.sub(quotient, floor), half)
    floor = by.select(excess, by.add(floor, one), floor)
    signed_zero = by.copysign(zero, plain)
    result = by.select(by.compare("eq", quotient, zero), signed_zero, floor)
    return by.select(by.compare("eq", b, zero), plain, result)


FAMILY = (
    Operator(
        "floordiv",
        2,
        left_annihilator=always(0),
        definitions={
            **{INTEGER: _floor_divide_integers, UNSIGNED: _unsigned(_UNSIGNED_QUOTIENT)},
            **{FLOAT: _floor_divide_floats},
        },
        numpy="floor_divide",
        divides=True,
    ),
    Operator(
        "mod",
        2,
        left_annihilator=always(0),
        definitions={
            **{INTEGER: _modulo_integers, UNSIGNED: _unsigned(_UNSIGNED_REMAINDER)},
            **{FLOAT: _modulo_floats},
        },
        numpy="remainder",
        also=("remainder",),
        divides=True,
    ),
)
