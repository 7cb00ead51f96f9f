"""Inverse functions of complex numbers, in arithmetic of their parts: for kernels and for constants alike.

Source: W. Kahan, "Branch cuts for complex elementary functions", 1987. Signs of zero say on which side of a branch cut
an argument is, and no part cancels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

_Part = TypeVar("_Part")
_Complex = tuple[_Part, _Part]


class Arithmetic(Protocol[_Part]):
    """What is computed of real and imaginary parts: operators on floats by name, and complex square roots."""

    def constant(self, value: float) -> _Part: ...

    def apply(self, name: str, *operands: _Part) -> _Part: ...

    def sqrt(self, real: _Part, imaginary: _Part) -> _Complex[_Part]: ...


Inverse = Callable[[Arithmetic[_Part], _Part, _Part], _Complex[_Part]]


def _roots(by: Arithmetic[_Part], x: _Part, y: _Part) -> tuple[_Complex[_Part], _Complex[_Part]]:
    """The square roots of 1 - z and 1 + z."""
    one = by.constant(1.0)
    return by.sqrt(by.apply("sub", one, x), by.apply("neg", y)), by.sqrt(by.apply("add", one, x), y)


def _real_product(by: Arithmetic[_Part], a: _Complex[_Part], b: _Complex[_Part], sign: str) -> _Part:
    """The real part of a * b, or with "add" of conj(a) * b."""
    return by.apply(sign, by.apply("mul", a[0], b[0]), by.apply("mul", a[1], b[1]))


def _imaginary_product(by: Arithmetic[_Part], a: _Complex[_Part], b: _Complex[_Part]) -> _Part:
    """The imaginary part of conj(a) * b."""
    return by.apply("sub", by.apply("mul", a[0], b[1]), by.apply("mul", a[1], b[0]))


def _asin(by: Arithmetic[_Part], x: _Part, y: _Part) -> _Complex[_Part]:
    less, more = _roots(by, x, y)
    real = by.apply("atan2", x, _real_product(by, less, more, "sub"))
    return real, by.apply("asinh", _imaginary_product(by, less, more))


def _acos(by: Arithmetic[_Part], x: _Part, y: _Part) -> _Complex[_Part]:
    less, more = _roots(by, x, y)
    half = by.apply("atan2", less[0], more[0])
    return by.apply("add", half, half), by.apply("asinh", _imaginary_product(by, more, less))


def _asinh(by: Arithmetic[_Part], x: _Part, y: _Part) -> _Complex[_Part]:
    """-1j * asin(1j * z)."""
    real, imaginary = _asin(by, by.apply("neg", y), x)
    return imaginary, by.apply("neg", real)


def _acosh(by: Arithmetic[_Part], x: _Part, y: _Part) -> _Complex[_Part]:
    one = by.constant(1.0)
    less, more = by.sqrt(by.apply("sub", x, one), y), by.sqrt(by.apply("add", x, one), y)
    half = by.apply("atan2", less[1], more[0])
    return by.apply("asinh", _real_product(by, less, more, "add")), by.apply("add", half, half)


def _atanh(by: Arithmetic[_Part], x: _Part, y: _Part) -> _Complex[_Part]:
    """log1p(4x / ((1 - x)^2 + y^2)) / 4 of |x|, which has its sign, and atan2(2y, (1 - x)(1 + x) - y^2) / 2."""
    one, size = by.constant(1.0), by.apply("abs", x)
    rest, squared = by.apply("sub", one, size), by.apply("mul", y, y)
    below = by.apply("add", by.apply("mul", rest, rest), squared)
    grown = by.apply("log1p", by.apply("div", by.apply("mul", by.constant(4.0), size), below))
    real = by.apply("copysign", by.apply("mul", by.constant(0.25), grown), x)
    beside = by.apply("sub", by.apply("mul", rest, by.apply("add", one, size)), squared)
    return real, by.apply("mul", by.constant(0.5), by.apply("atan2", by.apply("add", y, y), beside))


def _atan(by: Arithmetic[_Part], x: _Part, y: _Part) -> _Complex[_Part]:
    """-1j * atanh(1j * z)."""
    real, imaginary = _atanh(by, by.apply("neg", y), x)
    return imaginary, by.apply("neg", real)


def inverses() -> dict[str, Inverse[_Part]]:
    """The functions by the names of their operators."""
    return {"asin": _asin, "acos": _acos, "atan": _atan, "asinh": _asinh, "acosh": _acosh, "atanh": _atanh}
