"""Operators on bits, and on truth values. A shift by the width or more, or by a negative number, leaves no bit."""

from __future__ import annotations

from typing import Any

from irtensor.core.arithmetic import BOOL, INTEGER, UNSIGNED, Arithmetic, Definition, Upstream, converted, unchanged
from irtensor.core.element_values import Scalar, bits_of
from irtensor.core.scalar_operator import Operator, Traits, always, none, symmetric

# Of truth values, these are the sum, the product and the difference as well.
EITHER = Upstream("arith.ori", lambda element, a, b: a | b)
BOTH = Upstream("arith.andi", lambda element, a, b: a & b)
APART = Upstream("arith.xori", lambda element, a, b: a ^ b)


def _all_ones(element: str) -> tuple[Scalar, ...]:
    return (True,) if element == "i1" else (-1,)


def _bitwise(name: str, op: Upstream, identity: Traits, annihilator: Traits = none, *over: str) -> Operator:
    kinds, idempotent = {INTEGER: op, BOOL: op}, annihilator is not none
    traits = {"idempotent": idempotent, "cancels": not idempotent, "distributes_over": over}
    return symmetric(name, kinds, identity, annihilator, numpy=f"bitwise_{name}", **traits)


def _complement(by: Arithmetic, a: Any) -> Any:
    return by.xor(a, by.constant(-1, a))


_SHIFTED_LEFT = Upstream("arith.shli", converted(lambda a, b: a << b))
_SHIFTED_RIGHT = Upstream("arith.shrsi", lambda element, a, b: a >> b)
_SHIFTED_RIGHT_UNSIGNED = Upstream("arith.shrui", lambda element, a, b: (a % (1 << bits_of(element))) >> b)
_ONES = Upstream("math.ctpop", lambda element, a: (a % (1 << bits_of(element))).bit_count())


def _is_inside(by: Arithmetic, a: Any, b: Any) -> tuple[Any, Any]:
    """Whether a shift leaves bits, and a number of bits that can be shifted by in any case."""
    width, zero = by.constant(by.width(a), b), by.constant(0, b)
    is_inside = by.apply("and", by.compare("ge", b, zero), by.compare("lt", b, width))
    return is_inside, by.select(is_inside, b, zero)


def _emptied(shift: Upstream) -> Definition:
    """A shift that fills with zeros."""

    def definition(by: Arithmetic, a: Any, b: Any) -> Any:
        is_inside, amount = _is_inside(by, a, b)
        return by.select(is_inside, shift(by, a, amount), by.constant(0, a))

    return definition


def _shifted_right(by: Arithmetic, a: Any, b: Any) -> Any:
    """A shift that fills with the sign: what leaves no bit is a shift by all but one."""
    is_inside, amount = _is_inside(by, a, b)
    return _SHIFTED_RIGHT(by, a, by.select(is_inside, amount, by.constant(by.width(a) - 1, b)))


def _reversed(by: Arithmetic, a: Any) -> Any:
    """Swaps halves, then quarters, down to single bits."""
    width = by.width(a)
    step = width // 2
    while step:
        # Ones in the lower half of each piece of twice the length.
        lower = by.constant(((1 << width) - 1) // ((1 << step) + 1), a)
        distance = by.constant(step, a)
        high = by.apply("and", _SHIFTED_RIGHT_UNSIGNED(by, a, distance), lower)
        low = _SHIFTED_LEFT(by, by.apply("and", a, lower), distance)
        a, step = by.apply("or", high, low), step // 2
    return a


def _shift(name: str, numpy: str, kinds: dict[str, Definition]) -> Operator:
    return Operator(
        name,
        2,
        definitions=kinds,
        right_identity=always(0),
        left_annihilator=always(0),
        numpy=numpy,
        also=(numpy,),
        counts_bits=True,
    )


FAMILY = (
    _bitwise("and", BOTH, _all_ones, always(0), "or", "xor"),
    _bitwise("or", EITHER, always(0), _all_ones, "and"),
    _bitwise("xor", APART, always(0)),
    Operator("not", 1, definitions={INTEGER: _complement, BOOL: _complement}, numpy="invert"),
    _shift("shl", "left_shift", {INTEGER: _emptied(_SHIFTED_LEFT)}),
    _shift("shr", "right_shift", {INTEGER: _shifted_right, UNSIGNED: _emptied(_SHIFTED_RIGHT_UNSIGNED)}),
    # NumPy's bitwise_count is of absolute values.
    Operator("popcount", 1, definitions={INTEGER: _ONES, BOOL: unchanged}, types_of="invert", counts_bits=True),
    Operator("bitreverse", 1, definitions={INTEGER: _reversed, BOOL: unchanged}, types_of="invert", counts_bits=True),
)
