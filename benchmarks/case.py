"""A case: the same computation by irtensor and by others, and how their results are compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import irtensor as it
from benchmarks.peers import Calls, plain

OURS = "irtensor"
# Largest error relative to the largest element: all sum the same products, in different orders.
TOLERANCE = 1e-10


def _largest(array: Any) -> float:
    return float(abs(array).max()) if np.prod(array.shape) else 0.0


def agree(mine: Any, theirs: Any) -> bool:
    """Whether two arrays, dense or SciPy's, are equal up to rounding."""
    return mine.shape == theirs.shape and _largest(mine - theirs) <= TOLERANCE * _largest(theirs)


def stored_values(result: Any) -> Any:
    """The stored values of a tensor or a SciPy array, in the order of storage; a dense array flattened."""
    if isinstance(result, np.ndarray):
        return result.ravel()
    return result.values if isinstance(result, it.Tensor) else result.data


def same_values(mine: Any, theirs: Any) -> bool:
    """Whether the stored values agree, for results whose coordinates the reference does not compute."""
    return agree(stored_values(mine), stored_values(theirs))


@dataclass(frozen=True)
class Case:
    """Calls by name, `irtensor` first and the reference second; `goal` is the ratio asked for against SciPy or NumPy.

    `check` gets our result and another's, each as NumPy's or SciPy's array where one can hold it.
    """

    title: str
    goal: float | None
    calls: Calls
    check: Callable[[Any, Any], bool] = agree

    @property
    def reference(self) -> str:
        """The first peer, SciPy or NumPy: the right result."""
        return next(name for name in self.calls if name != OURS)

    def wrong(self) -> list[str]:
        """Those whose result differs from the reference's."""
        expected = plain(self.calls[self.reference]())
        return [name for name, call in self.calls.items() if not self.check(plain(call()), expected)]
