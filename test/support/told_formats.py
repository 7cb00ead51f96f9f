"""Formats that are measured by a clock that is told which one is the fastest."""

from typing import Any

import numpy as np
import pytest
from sampling import few_or_many

import irtensor as it
from irtensor.compiler.kernel import format_choice, format_trial
from irtensor.planning import candidate_formats as candidate_formats_module
from irtensor.planning.candidate_formats import candidate_formats

SPMV = "y[i] = A[i,j] * x[j]"
# Each size of blocks has a kernel of its own, and all of them are converted and guarded in the same way.
BLOCKS = few_or_many((4,), candidate_formats_module._BLOCKS)


class Clock:
    """Time that is told: the format in `fastest` takes half of what the others take; `measured` has all that ran."""

    def __init__(self) -> None:
        self.fastest: Any = None
        self.exactly: Any = None
        self.measured: list[Any] = []

    def in_turns(self, best: Any, other: Any) -> tuple[float, ...]:
        other.run()
        self.measured.append(other.format)
        return tuple(1.0 if self.is_fastest(one.format) else 2.0 for one in (best, other))

    def is_fastest(self, format: Any) -> bool:
        # Which of two with the same levels is meant is said by the widths.
        return self.fastest is not None and format in (self.fastest.with_widths(32, 32), self.exactly)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    it.clear_caches()
    # What is stored for each entry is no reason here: all formats are to be tried.
    monkeypatch.setattr(format_trial, "_MOST_ELEMENTS", 1e6)
    monkeypatch.setattr(format_trial, "_MOST_BYTES", 1e6)
    monkeypatch.setattr(candidate_formats_module, "_BLOCKS", BLOCKS)
    told = Clock()
    monkeypatch.setattr(format_trial, "in_turns", told.in_turns)
    return told


@pytest.fixture
def conversions(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The formats that operands were converted to."""
    made: list[Any] = []
    convert = format_trial.converted

    def converted(one: Any, format: Any) -> Any:
        made.append(format)
        return convert(one, format)

    monkeypatch.setattr(format_trial, "converted", converted)
    monkeypatch.setattr(format_choice, "converted", converted)
    return made


def entries(shape: Any, seed: int = 1, share: float = 0.2, dtype: Any = float) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.integers(1, 9, shape) * (rng.random(shape) < share)).astype(dtype)


def matrix(seed: int = 1, shape: tuple[int, int] = (29, 31), **how: Any) -> tuple[np.ndarray, it.Tensor]:
    array = entries(shape, seed, **how)
    return array, it.Tensor.from_numpy(array, it.CSR)


def taken(kernel: Any) -> list[str]:
    """The lines of what was taken, by operand."""
    return [line.split("ms")[1].split(None, 2)[2] for line in kernel.explain().splitlines() if "taken" in line]


with pytest.MonkeyPatch.context() as patched:
    patched.setattr(candidate_formats_module, "_BLOCKS", BLOCKS)
    MATRICES = candidate_formats(it.CSR)
STORES_ZEROS = [format for format in MATRICES if format.is_dense or format.is_blocked or format.has_diagonals]
