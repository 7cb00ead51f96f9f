"""Roots, exponential functions, logarithms, and operators made of them."""

from __future__ import annotations

import math
from typing import Any

from irtensor.core.arithmetic import COMPLEX, FLOAT, Arithmetic, Definition, Upstream
from irtensor.core.constant_functions import of_complex, of_float
from irtensor.core.scalar_operator import Operator


def of_library(name: str) -> dict[str, Definition]:
    """A function of real and complex numbers that the C library has, and upstream dialects have an operation for."""
    return {
        FLOAT: Upstream(f"math.{name}", of_float(name)),
        COMPLEX: Upstream(f"complex.{name}", of_complex(f"c{name}")),
    }


def function(name: str, of_complex: Definition | None = None, types_of: str | None = None, numpy: str = "") -> Operator:
    """A function of real numbers that takes long, and its definition for complex ones where it has one."""
    definitions = {FLOAT: Upstream(f"math.{name}", of_float(name))}
    return Operator(
        name,
        1,
        definitions=definitions if of_complex is None else {**definitions, COMPLEX: of_complex},
        numpy=None if types_of else numpy or name,
        types_of=types_of,
        also=(numpy,) if numpy else (),
        takes_long=True,
    )


def _logarithm(base: float) -> Definition:
    """The natural logarithm, divided by that of the base."""

    def definition(by: Arithmetic, a: Any) -> Any:
        parts = by.parts(by.log(a))
        factor = by.constant(1 / math.log(base), parts[0])
        return by.join(*(by.exactly.mul(part, factor) for part in parts))

    return definition


def _log1p(by: Arithmetic, a: Any) -> Any:
    by = by.exactly
    real, imaginary = by.parts(a)
    real = by.add(real, by.constant(1.0, real))
    magnitude = by.abs(by.join(real, imaginary))
    angle = by.atan2(imaginary, real)
    return by.join(by.log(magnitude), angle)


def _expm1(by: Arithmetic, a: Any) -> Any:
    """exp(a) - 1 without the cancellation of its real part near 0."""
    by = by.exactly
    real, imaginary = by.parts(a)
    half, two = (by.constant(number, real) for number in (0.5, 2.0))
    sine = by.sin(by.mul(imaginary, half))
    grown = by.mul(by.expm1(real), by.cos(imaginary))
    lost = by.mul(by.mul(two, sine), sine)
    turned = by.mul(by.exp(real), by.sin(imaginary))
    return by.join(by.sub(grown, lost), turned)


def _sigmoid(by: Arithmetic, a: Any) -> Any:
    one = by.constant(1.0, a)
    return by.div(one, by.add(one, by.exp(by.neg(a))))


FAMILY = (
    Operator("sqrt", 1, definitions=of_library("sqrt"), numpy="sqrt", divides=True),
    function("cbrt"),
    function("exp", Upstream("complex.exp", of_complex("cexp"))),
    function("expm1", _expm1),
    function("log", Upstream("complex.log", of_complex("clog"))),
    function("log1p", _log1p),
    function("log2", _logarithm(2)),
    function("log10", _logarithm(10)),
    function("erf", types_of="cbrt"),
    Operator("sigmoid", 1, definitions={FLOAT: _sigmoid}, types_of="cbrt", also=("expit",), takes_long=True),
)
