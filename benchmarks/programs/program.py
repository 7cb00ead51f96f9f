"""A program: the same computation by irtensor, in two ways, and by others, with an implementation to compare with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.case import OURS
from benchmarks.peers import Calls, library, plain

# The same program in as few statements as it can be written in.
FEW = "irtensor, few statements"
# Largest error relative to the largest element, of double and of single precision.
DOUBLE, SINGLE = 1e-9, 2e-4


def _dense(result: Any) -> Any:
    array = plain(result)
    return np.asarray(array.toarray() if isinstance(array, sp.csr_array) else array)


def close(mine: Any, theirs: Any, tolerance: float) -> bool:
    """Whether two results are equal up to rounding: arrays, sparse arrays, or tuples of them."""
    if isinstance(theirs, tuple):
        return len(mine) == len(theirs) and all(close(*pair, tolerance) for pair in zip(mine, theirs, strict=True))
    mine, theirs = map(_dense, (mine, theirs))
    if mine.shape != theirs.shape:
        return False
    finite = np.abs(theirs[np.isfinite(theirs)])
    return np.allclose(mine, theirs, rtol=0.0, atol=tolerance * float(finite.max(initial=0.0)))


@dataclass(frozen=True)
class Program:
    """`calls` are irtensor's and those of libraries that are always there: SciPy and NumPy.

    `makers` make the call of another library from its module. `expected` computes the result independently. A program
    that a user writes as one statement anyway has no call for few statements.
    """

    title: str
    calls: Calls
    expected: Callable[[], Any]
    makers: Mapping[str, Callable[[Any], Callable[[], Any]]] = field(
        default_factory=dict[str, Callable[[Any], Callable[[], Any]]]
    )
    tolerance: float = DOUBLE

    def competitors(self) -> Calls:
        """All calls, irtensor's first; without libraries that are not installed."""
        there = {name: module for name in self.makers if (module := library(name)) is not None}
        return self.calls | {name: self.makers[name](module) for name, module in there.items()}

    def absent(self) -> list[str]:
        """The libraries that would take part and are not installed."""
        return [name for name in self.makers if library(name) is None]

    def wrong(self, competitors: Calls) -> list[str]:
        """Those whose result is not the expected one."""
        expected = self.expected()
        return [name for name, call in competitors.items() if not close(call(), expected, self.tolerance)]


__all__ = ["DOUBLE", "FEW", "OURS", "SINGLE", "Program", "close"]
