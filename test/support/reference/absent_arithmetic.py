"""Arithmetic on numbers of which some are there because an entry is absent, as `docs/notation.md` says; with NumPy."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import irtensor as it

F = it.functions


@dataclass
class Traced:
    """A value, and whether absent entries alone, or the numbers of the program alone, have made it what it is."""

    value: Any
    absent: bool = False
    literal: bool = False


def _traced(function: Callable[..., Any], *annihilators: tuple[float, ...]) -> Callable[..., Traced]:
    """A function of NumPy, of which an absent argument that annihilates it decides the value, unless exact."""

    def apply(exact: bool, *arguments: Traced | float) -> Traced:
        given = [one if isinstance(one, Traced) else Traced(float(one), literal=True) for one in arguments]
        for one, zeros in zip(given, annihilators, strict=False):
            if not exact and one.absent and one.value in zeros:
                return Traced(one.value, absent=True)
        with np.errstate(all="ignore"):
            value = function(*(one.value for one in given))
        others = [one for one in given if not one.literal]
        return Traced(value, all(one.absent for one in others) and bool(others), not others)

    return apply


def _choose(exact: bool, condition: Traced, yes: Traced | float, no: Traced | float) -> Traced:
    yes, no = (one if isinstance(one, Traced) else Traced(float(one), literal=True) for one in (yes, no))
    chosen = yes if condition.value else no
    is_absent = condition.absent and (chosen.absent or chosen.literal)
    return Traced(chosen.value, is_absent or (yes.absent and no.absent and yes.value == no.value))


_INFINITE = (np.inf, -np.inf)
_NUMPY = {
    "add": _traced(np.add, _INFINITE, _INFINITE),
    "sub": _traced(np.subtract),
    "mul": _traced(np.multiply, (0,), (0,)),
    "div": _traced(np.divide, (0,)),
    "mod": _traced(np.mod, (0,)),
    "floordiv": _traced(np.floor_divide, (0,)),
    "pow": _traced(np.power),
    "min": _traced(np.minimum, (-np.inf,), (-np.inf,)),
    "max": _traced(np.maximum, (np.inf,), (np.inf,)),
    "gt": _traced(np.greater),
    "where": _choose,
    "copysign": _traced(np.copysign),
    "atan2": _traced(np.arctan2),
    "exp": _traced(np.exp),
}
LAZY: dict[str, Callable[..., Any]] = {
    **{name: getattr(operator, name) for name in ("add", "sub", "mul", "mod", "floordiv", "pow", "gt")},
    "div": operator.truediv,
    **{name: getattr(F, name) for name in ("min", "max", "where", "copysign", "atan2", "exp")},
}
"""The operators on expressions."""
BINARY = tuple(name for name in _NUMPY if name not in ("where", "gt", "exp"))


def functions(exact: bool) -> dict[str, Callable[..., Traced]]:
    """The operators on numbers."""
    return {name: lambda *arguments, f=f: f(exact, *arguments) for name, f in _NUMPY.items()}
