"""Trigonometric and hyperbolic functions, and their inverses."""

from __future__ import annotations

from typing import Any

from irtensor.core.arithmetic import FLOAT, Arithmetic, Upstream
from irtensor.core.constant_functions import of_complex, of_float
from irtensor.core.scalar_operator import Operator
from irtensor.operators import complex_inverses
from irtensor.operators.exponentials import function


def _turned(by: Arithmetic, a: Any) -> Any:
    """-1j * a."""
    real, imaginary = by.parts(a)
    return by.join(imaginary, by.exactly.neg(real))


def _sinh(by: Arithmetic, a: Any) -> Any:
    """1j * sin(-1j * a), which is how the sine of complex numbers is defined."""
    real, imaginary = by.parts(by.sin(_turned(by, a)))
    return by.join(by.exactly.neg(imaginary), real)


def _cosh(by: Arithmetic, a: Any) -> Any:
    return by.cos(_turned(by, a))


def _of_two(name: str, op: str, **others: Any) -> Operator:
    return Operator(name, 2, definitions={FLOAT: Upstream(op, of_float(name))}, **others)


FAMILY = (
    *(function(name, Upstream(f"complex.{name}", of_complex(f"c{name}"))) for name in ("sin", "cos", "tan")),
    function("asin", complex_inverses.asin, numpy="arcsin"),
    function("acos", complex_inverses.acos, numpy="arccos"),
    function("atan", complex_inverses.atan, numpy="arctan"),
    function("sinh", _sinh),
    function("cosh", _cosh),
    function("tanh", Upstream("complex.tanh", of_complex("ctanh"))),
    function("asinh", complex_inverses.asinh, numpy="arcsinh"),
    function("acosh", complex_inverses.acosh, numpy="arccosh"),
    function("atanh", complex_inverses.atanh, numpy="arctanh"),
    _of_two("atan2", "math.atan2", numpy="arctan2", also=("arctan2",), takes_long=True),
    _of_two("copysign", "math.copysign", numpy="copysign"),
)
