"""Comparisons, extremes, choices, and questions about one number."""

from __future__ import annotations

import math
from typing import Any

from irtensor.core.arithmetic import (
    BOOL,
    COMPLEX,
    FLOAT,
    INTEGER,
    UNSIGNED,
    Always,
    Arithmetic,
    Definition,
    Upstream,
    everywhere,
    unchanged,
)
from irtensor.core.element_values import largest, smallest
from irtensor.core.scalar_operator import Operator, Traits, always, symmetric
from irtensor.operators import bits

# Whether an entry is stored: false for absent elements, and true for everything else, a number as well.
STORED = "stored"


def _least(element: str, a: float, b: float) -> float:
    if a != a or b != b:
        return math.nan
    return min(a, b) if a != b else math.copysign(a, min(math.copysign(1.0, a), math.copysign(1.0, b)))


def _second(by: Arithmetic, a: Any, b: Any) -> Any:
    return b


def _chosen(by: Arithmetic, a: Any, b: Any) -> Any:
    by = by.exactly
    return by.select(by.compare("ne", a, by.constant(0, a)), a, b)


def _chosen_float(by: Arithmetic, a: Any, b: Any) -> Any:
    """-0.0 stays beside 0.0, which is the identity, but other numbers are chosen before it."""
    by = by.exactly
    zero, one = (by.constant(number, a) for number in (0.0, 1.0))
    is_negative = by.compare("lt", by.copysign(one, a), zero)
    is_last = by.apply("and", is_negative, by.compare("eq", b, zero))
    return by.select(by.apply("or", by.compare("ne", a, zero), is_last), a, b)


def _chosen_complex(by: Arithmetic, a: Any, b: Any) -> Any:
    by = by.exactly
    (a_real, a_imaginary), (b_real, b_imaginary) = by.parts(a), by.parts(b)
    zero = by.constant(0.0, a_real)
    is_chosen, is_other = (
        by.apply("or", by.compare("ne", real, zero), by.compare("ne", imaginary, zero))
        for real, imaginary in ((a_real, a_imaginary), (b_real, b_imaginary))
    )
    zeros = by.join(_chosen_float(by, a_real, b_real), _chosen_float(by, a_imaginary, b_imaginary))
    return by.select(is_chosen, a, by.select(is_other, b, zeros))


def _compare(name: str) -> Definition:
    return lambda by, a, b: by.compare(name, a, b)


def _order_of_complex(name: str) -> Definition:
    """Lexicographic, real parts first; a NaN imaginary part compares false, as in NumPy."""
    strict = {"le": "lt", "ge": "gt"}.get(name, name)

    def definition(by: Arithmetic, a: Any, b: Any) -> Any:
        (a_real, a_imaginary), (b_real, b_imaginary) = by.parts(a), by.parts(b)
        numbers = (by.compare("eq", part, part) for part in (a_imaginary, b_imaginary))
        first = by.apply("and", by.compare(strict, a_real, b_real), by.apply("and", *numbers))
        tie = by.apply("and", by.compare("eq", a_real, b_real), by.compare(name, a_imaginary, b_imaginary))
        return by.apply("or", first, tie)

    return definition


def _extreme_of_complex(name: str) -> Definition:
    order = _order_of_complex(name)
    return lambda by, a, b: by.select(by.apply("or", order(by, a, b), by.isnan(a)), a, b)


def _equality_of_complex(op: str, are_equal: bool) -> Upstream:
    return Upstream(op, lambda element, a, b: (a == b) == are_equal, "bool")


def _is_nan_of_complex(by: Arithmetic, a: Any) -> Any:
    real, imaginary = by.parts(a)
    return by.apply("or", by.compare("ne", real, real), by.compare("ne", imaginary, imaginary))


def _is_infinite(by: Arithmetic, a: Any, name: str = "eq") -> Any:
    """Whether a float is infinite; with "lt" whether it is finite."""
    return by.compare(name, by.exactly.abs(a), by.constant(math.inf, a))


def _of_parts(join: str, name: str) -> Definition:
    return lambda by, a: by.apply(join, *(_is_infinite(by, part, name) for part in by.parts(a)))


def _sign_of_float(by: Arithmetic, a: Any) -> Any:
    zero, one, minus_one = (by.constant(number, a) for number in (0.0, 1.0, -1.0))
    at_zero = by.select(by.compare("eq", a, zero), zero, a)
    negative = by.select(by.compare("lt", a, zero), minus_one, at_zero)
    return by.select(by.compare("gt", a, zero), one, negative)


def _sign_of_integer(by: Arithmetic, a: Any) -> Any:
    zero, one, minus_one = (by.constant(number, a) for number in (0, 1, -1))
    negative = by.select(by.compare("lt", a, zero), minus_one, zero)
    return by.select(by.compare("gt", a, zero), one, negative)


def _sign_of_unsigned(by: Arithmetic, a: Any) -> Any:
    zero, one = (by.constant(number, a) for number in (0, 1))
    return by.select(by.compare("eq", a, zero), zero, one)


def _sign_of_complex(by: Arithmetic, a: Any) -> Any:
    """z / |z|, and 0 at 0, as NumPy 2; of an infinite number the sign of its infinite part, NaN if both parts are."""
    by = by.exactly
    magnitude = by.abs(a)
    zero, infinite, unknown = (by.constant(number, magnitude) for number in (0.0, math.inf, math.nan))
    parts = by.parts(a)
    ratios = [by.div(part, magnitude) for part in parts]
    real, imaginary = (by.compare("eq", by.abs(part), infinite) for part in parts)
    both = by.apply("and", real, imaginary)
    one = by.constant(1.0, magnitude)
    signs = [by.copysign(one, part) for part in parts]
    limits = (
        by.select(both, unknown, by.select(real, signs[0], zero)),
        by.select(both, unknown, by.select(real, zero, signs[1])),
    )
    is_zero, is_infinite = (by.compare("eq", magnitude, limit) for limit in (zero, infinite))
    chosen = [by.select(is_infinite, limit, ratio) for limit, ratio in zip(limits, ratios, strict=True)]
    return by.join(*(by.select(is_zero, zero, part) for part in chosen))


def _heaviside(by: Arithmetic, a: Any, b: Any) -> Any:
    """0 below 0, 1 above, `b` at 0; NaN of NaN."""
    zero, one = (by.constant(number, a) for number in (0.0, 1.0))
    beside = by.select(by.compare("lt", a, zero), zero, one)
    number = by.select(by.compare("eq", a, zero), b, beside)
    return by.select(by.compare("ne", a, a), a, number)


def _extreme(
    name: str, numpy: str, bools: Upstream, order: str, identity: Traits, annihilator: Traits, *over: str
) -> Operator:
    chosen, sign = (min, 1) if name == "min" else (max, -1)
    kinds = {
        INTEGER: Upstream(f"arith.{name}si", lambda element, a, b: chosen(a, b)),
        UNSIGNED: Upstream(f"arith.{name}ui", lambda element, a, b: chosen(a, b)),
        FLOAT: Upstream(f"arith.{numpy}f", lambda element, a, b: sign * _least(element, sign * a, sign * b)),
        COMPLEX: _extreme_of_complex(order),
        BOOL: bools,
    }
    traits = {"idempotent": True, "distributes_over": over, "numpy": numpy, "also": (numpy,)}
    return symmetric(name, kinds, identity, annihilator, **traits)


def _least_value(element: str) -> tuple[Any, ...]:
    return (smallest(element),)


def _greatest_value(element: str) -> tuple[Any, ...]:
    return (largest(element),)


def _test(name: str, of_numbers: Always, of_floats: Definition, of_complex: Definition) -> Operator:
    kinds = {INTEGER: of_numbers, BOOL: of_numbers, FLOAT: of_floats, COMPLEX: of_complex}
    return Operator(name, 1, result="bool", definitions=kinds, numpy=name)


def _comparison(name: str, numpy: str, of_complex: Definition, commutative: bool = False) -> Operator:
    kinds = {**everywhere(_compare(name)), COMPLEX: of_complex}
    return Operator(name, 2, result="bool", commutative=commutative, definitions=kinds, numpy=numpy)


_SIGNS = {INTEGER: _sign_of_integer, UNSIGNED: _sign_of_unsigned, FLOAT: _sign_of_float, COMPLEX: _sign_of_complex}

_CHOICES = {INTEGER: _chosen, FLOAT: _chosen_float, COMPLEX: _chosen_complex, BOOL: bits.EITHER}

FAMILY = (
    _extreme("min", "minimum", bits.BOTH, "le", _greatest_value, _least_value, "max", "min"),
    _extreme("max", "maximum", bits.EITHER, "ge", _least_value, _greatest_value, "min", "max"),
    Operator("first", 2, associative=True, idempotent=True, definitions=everywhere(unchanged)),
    Operator("second", 2, associative=True, idempotent=True, definitions=everywhere(_second)),
    # The first of values that are not 0.
    Operator(
        "choose",
        2,
        associative=True,
        idempotent=True,
        definitions=_CHOICES,
        left_identity=always(0),
        right_identity=always(0),
    ),
    _comparison("eq", "equal", _equality_of_complex("complex.eq", True), commutative=True),
    _comparison("ne", "not_equal", _equality_of_complex("complex.neq", False), commutative=True),
    *(
        _comparison(name, numpy, _order_of_complex(name))
        for name, numpy in (("lt", "less"), ("le", "less_equal"), ("gt", "greater"), ("ge", "greater_equal"))
    ),
    _test("isnan", Always(False), lambda by, a: by.compare("ne", a, a), _is_nan_of_complex),
    _test("isinf", Always(False), _is_infinite, _of_parts("or", "eq")),
    _test("isfinite", Always(True), lambda by, a: _is_infinite(by, a, "lt"), _of_parts("and", "lt")),
    Operator("sign", 1, definitions=_SIGNS, numpy="sign"),
    # heaviside(a) is 0 at 0, so that a sparse operand stays sparse.
    Operator("heaviside", 2, definitions={FLOAT: _heaviside}, numpy="heaviside", default=0),
    Operator("where", 3, definitions=everywhere(lambda by, condition, a, b: by.select(condition, a, b))),
    Operator(STORED, 1, result="bool", definitions=everywhere(lambda by, a: by.truth(True))),
    Operator("identity", 1, definitions=everywhere(unchanged), also=("positive",)),
)
