"""How far rounding may take a value: as far as it moves when every value on the way to it is rounded in another way.

No rule says what an operator makes of its arguments' errors: the statement is evaluated again, each computed value a
few units in the last place off at random. After a cancellation, near a pole or at a comparison that rounding decides,
the results are apart; everywhere else they are within some units, and exact where nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

# The numbers, and whether those with few digits are exact. A library's function may miss its limit by a unit.
Rounding = Callable[[Any, bool], Any]

# A computed value is off by so many units in the last place, at most, and a result by so many times what that makes.
_UNITS, _MARGIN, _SAMPLES = 32, 4, 4
# Numbers with so many binary places before and behind the point are taken to be exact.
_PLACES = (12, 8)


def rounded_otherwise(random: np.random.Generator) -> Rounding:
    """A function that moves the floats of an array, each by itself, unless they are exact or zero; others stay."""

    def move(value: Any, is_short_exact: bool) -> Any:
        array = np.asarray(value)
        if array.dtype.kind not in "fc":
            return value
        units = random.uniform(_UNITS / 2, _UNITS, array.shape) * np.exp(2j * np.pi * random.random(array.shape))
        if array.dtype.kind == "f":
            units = np.copysign(np.abs(units), units.real)
        moved = (array * (1 + units * np.finfo(array.dtype).eps)).astype(array.dtype)
        return np.where((is_short_exact & _is_short(array)) | ~np.isfinite(array), array, moved)

    return move


def is_wrong(apart: np.ndarray, evaluate: Callable[[Rounding], np.ndarray], expected: np.ndarray) -> bool:
    """Whether a component of a result is farther from what is expected than rounding may take it.

    A comparison that rounding decides falls either way: a few evaluations may all fall the same one.
    """
    return bool(apart.any()) and all(
        bool(np.any(apart > tolerance(evaluate, expected, samples))) for samples in (_SAMPLES, 8 * _SAMPLES)
    )


def tolerance(evaluate: Callable[[Rounding], np.ndarray], expected: np.ndarray, samples: int = _SAMPLES) -> np.ndarray:
    """How far each component of a result may be from what is expected, which is evaluated again some times."""
    random = np.random.default_rng(0)
    apart = np.zeros(expected.shape)
    with np.errstate(all="ignore"):
        for _ in range(samples):
            apart = np.fmax(apart, distance(evaluate(rounded_otherwise(random)), expected))
    least = float(np.finfo(expected.dtype).tiny) if expected.dtype.kind in "fc" else 0.0
    return _MARGIN * apart + least


def distance(array: np.ndarray, other: np.ndarray) -> np.ndarray:
    """How far components are apart: not at all if both are not numbers, infinitely if one is, or is infinite."""
    same = (array == other) | ((array != array) & (other != other))
    wide = "c16" if array.dtype.kind == "c" else "f8"
    with np.errstate(all="ignore"):
        apart = np.abs(np.subtract(array, other, dtype=wide, casting="unsafe"))
    return np.where(same, 0.0, np.where(np.isfinite(apart), apart, np.inf))


def _is_short(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind == "c":
        return _is_short(np.real(array)) & _is_short(np.imag(array))
    before, behind = _PLACES
    return (np.abs(array) < 2.0**before) & (np.rint(array * 2.0**behind) == array * 2.0**behind)
