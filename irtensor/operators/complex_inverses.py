"""Inverse functions of complex numbers, in arithmetic of their parts.

Source: W. Kahan, "Branch cuts for complex elementary functions", 1987. Signs of zero say on which side of a branch cut
an argument is, and no part cancels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from irtensor.core.arithmetic import Arithmetic, Definition

_Parts = tuple[Any, Any]


def _of_parts(compute: Callable[[Arithmetic, Any, Any], _Parts]) -> Definition:
    return lambda by, a: by.join(*compute(by.exactly, *by.parts(a)))


def _sqrt(by: Arithmetic, real: Any, imaginary: Any) -> _Parts:
    return by.parts(by.sqrt(by.join(real, imaginary)))


def _roots(by: Arithmetic, x: Any, y: Any) -> tuple[_Parts, _Parts]:
    """The square roots of 1 - z and 1 + z."""
    one = by.constant(1.0, x)
    return _sqrt(by, by.sub(one, x), by.neg(y)), _sqrt(by, by.add(one, x), y)


def _real_product(by: Arithmetic, a: _Parts, b: _Parts, sign: str) -> Any:
    """The real part of a * b, or with "add" of conj(a) * b."""
    return by.apply(sign, by.mul(a[0], b[0]), by.mul(a[1], b[1]))


def _imaginary_product(by: Arithmetic, a: _Parts, b: _Parts) -> Any:
    """The imaginary part of conj(a) * b."""
    return by.sub(by.mul(a[0], b[1]), by.mul(a[1], b[0]))


def _asin(by: Arithmetic, x: Any, y: Any) -> _Parts:
    less, more = _roots(by, x, y)
    real = by.atan2(x, _real_product(by, less, more, "sub"))
    return real, by.asinh(_imaginary_product(by, less, more))


def _acos(by: Arithmetic, x: Any, y: Any) -> _Parts:
    less, more = _roots(by, x, y)
    half = by.atan2(less[0], more[0])
    return by.add(half, half), by.asinh(_imaginary_product(by, more, less))


def _asinh(by: Arithmetic, x: Any, y: Any) -> _Parts:
    """-1j * asin(1j * z)."""
    real, imaginary = _asin(by, by.neg(y), x)
    return imaginary, by.neg(real)


def _acosh(by: Arithmetic, x: Any, y: Any) -> _Parts:
    one = by.constant(1.0, x)
    less, more = _sqrt(by, by.sub(x, one), y), _sqrt(by, by.add(x, one), y)
    half = by.atan2(less[1], more[0])
    return by.asinh(_real_product(by, less, more, "add")), by.add(half, half)


def _atanh(by: Arithmetic, x: Any, y: Any) -> _Parts:
    """log1p(4x / ((1 - x)^2 + y^2)) / 4 of |x|, which has its sign, and atan2(2y, (1 - x)(1 + x) - y^2) / 2."""
    one, size = by.constant(1.0, x), by.abs(x)
    rest, squared = by.sub(one, size), by.mul(y, y)
    below = by.add(by.mul(rest, rest), squared)
    grown = by.log1p(by.div(by.mul(by.constant(4.0, x), size), below))
    real = by.copysign(by.mul(by.constant(0.25, x), grown), x)
    beside = by.sub(by.mul(rest, by.add(one, size)), squared)
    return real, by.mul(by.constant(0.5, x), by.atan2(by.add(y, y), beside))


def _atan(by: Arithmetic, x: Any, y: Any) -> _Parts:
    """-1j * atanh(1j * z)."""
    real, imaginary = _atanh(by, by.neg(y), x)
    return imaginary, by.neg(real)


asin, acos, atan = _of_parts(_asin), _of_parts(_acos), _of_parts(_atan)
asinh, acosh, atanh = _of_parts(_asinh), _of_parts(_acosh), _of_parts(_atanh)
