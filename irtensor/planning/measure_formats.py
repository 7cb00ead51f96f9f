"""Which format of an operand is the fastest, by measurement: the kernel runs with the operand in each of them."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import NamedTuple

from irtensor.core.tensor_format import TensorFormat

# What takes so many times as long as the fastest does not run again.
_HOPELESS = 2.0
_ROUNDS = 7
# Seconds that a round of runs takes at least, and after which none begins.
_LEAST, _PATIENCE = 2e-4, 0.5
# A copy has to be this many times faster: it takes memory, and measured times differ by as much from run to run.
WORTH = 1.05


class FormatRun(NamedTuple):
    """A kernel with an operand in some format."""

    format: TensorFormat
    run: Callable[[], object]


def seconds_of(one: FormatRun, repetitions: int) -> float:
    """How long one run takes, on average over some."""
    run = one.run
    start = perf_counter()
    for _ in range(repetitions):
        run()
    return (perf_counter() - start) / repetitions


def in_turns(best: FormatRun, other: FormatRun) -> tuple[float, float]:
    """The seconds of the fastest runs of two, which take turns, so that what else the machine does hits both.

    What the other one raises is passed on.
    """
    # Compilation and first reads are not measured.
    other.run()
    times = [seconds_of(best, 1), seconds_of(other, 1)]
    if times[1] > _HOPELESS * times[0]:
        times[1] = min(times[1], seconds_of(other, 1))
    if times[1] > _HOPELESS * times[0]:
        return times[0], times[1]
    repetitions = int(_LEAST / max(min(times), 1e-7)) + 1
    end = perf_counter() + _PATIENCE
    for _ in range(_ROUNDS):
        times = [min(known, seconds_of(one, repetitions)) for known, one in zip(times, (best, other), strict=True)]
        if perf_counter() >= end:
            break
    return times[0], times[1]
