"""Functions of the C library on constants: the ones that compiled code calls."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

from irtensor.core.arithmetic import Rule, part_of
from irtensor.core.element_values import convert


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


def of_float(name: str) -> Rule:
    """The function of this name, or its form for single precision."""

    def rule(element: str, *arguments: float) -> float:
        return _library(f"{name}f" if element == "f32" else name, element, len(arguments))(*arguments)

    return rule


def of_complex(name: str) -> Rule:
    """A function of complex numbers, in double precision whatever the element type."""

    def rule(element: str, *arguments: complex) -> complex:
        parts = [part for argument in arguments for part in (argument.real, argument.imag)]
        result = _library(name, "complex", len(parts))(*parts)
        return complex(convert(result.real, part_of(element)), convert(result.imag, part_of(element)))

    return rule
