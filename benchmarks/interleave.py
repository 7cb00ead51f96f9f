"""Times several functions in one process: interleaved rounds, medians, ratios."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

# Just below glibc's upper limit for blocks that it keeps.
ALLOCATOR_BYTES = 31 << 20


@dataclass(frozen=True)
class Timing:
    """Seconds of one competitor, one number per round."""

    name: str
    rounds: tuple[float, ...]

    @property
    def seconds(self) -> float:
        return median(self.rounds)


def warm_allocator() -> None:
    """Free one large block, after which glibc keeps memory up to that size instead of returning it to the system.

    NumPy and SciPy are several times slower in a process in which that has not happened yet; it would flatter us.
    """
    np.ones(ALLOCATOR_BYTES // 8)


def interleaved(
    competitors: Mapping[str, Callable[[], Any]],
    seconds: float = 2.0,
    most: int = 51,
    fewest: int = 5,
    clock: Callable[[], float] = perf_counter,
) -> dict[str, Timing]:
    """Run every competitor once per round until `seconds` are over; whoever disturbs the machine disturbs all alike.

    `clock` is what a call is timed by: `time.process_time` does not count waits for a busy machine.

    The first call of each (compilation, first touch) is not counted. A call that takes under a millisecond is repeated
    within its turn.
    """
    repeats: dict[str, int] = {}
    for name, function in competitors.items():
        function()
        start = perf_counter()
        function()
        repeats[name] = max(1, int(1e-3 / max(perf_counter() - start, 1e-7)))
    rounds: dict[str, list[float]] = {name: [] for name in competitors}
    gc.collect()
    enabled = gc.isenabled()
    gc.disable()
    try:
        begin, done = perf_counter(), 0
        while done < fewest or (done < most and perf_counter() - begin < seconds):
            for name, function in competitors.items():
                count = repeats[name]
                start = clock()
                for _ in range(count):
                    function()
                rounds[name].append((clock() - start) / count)
            done += 1
    finally:
        if enabled:
            gc.enable()
    return {name: Timing(name, tuple(times)) for name, times in rounds.items()}


def ratio(timings: Mapping[str, Timing], ours: str, peer: str) -> float:
    """How many times faster `ours` is: the median over rounds of the ratio within a round."""
    pairs = zip(timings[peer].rounds, timings[ours].rounds, strict=True)
    return median(theirs / mine for theirs, mine in pairs)
