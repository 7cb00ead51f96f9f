"""Times on a GPU: of kernels by events, with the L2 cache overwritten before and not, of calls, and of copies."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

from irtensor.runtime import cuda_driver
from irtensor.runtime.cuda_device import Device

Calls = Mapping[str, Callable[[], Any]]
STREAM = cuda_driver.LEGACY_STREAM
# Competitors run in so many rounds, so that whatever disturbs the GPU disturbs all alike.
ROUNDS = 10
# A kernel of one thread that runs for so many nanoseconds, while the host launches the timed kernels behind it.
DELAY = """.version 7.8
.target sm_75
.address_size 64

.visible .entry wait_for(.param .u64 nanoseconds)
{
    .reg .pred %go;
    .reg .u64 %wanted, %begin, %now, %passed;
    ld.param.u64 %wanted, [nanoseconds];
    mov.u64 %begin, %globaltimer;
again:
    mov.u64 %now, %globaltimer;
    sub.u64 %passed, %now, %begin;
    setp.lt.u64 %go, %passed, %wanted;
    @%go bra again;
    ret;
}
"""
# Seconds that the kernel runs at least, and at most: a call that takes longer on the host waits for the GPU itself.
SHORT_DELAY, LONGEST_DELAY = 20e-6, 1e-3


@dataclass(frozen=True)
class Plan:
    """How often something runs before it is timed, and while it is; `seconds` bounds each of the three measurements."""

    warm_up: int = 100
    runs: int = 500
    seconds: float = 3.0


@dataclass(frozen=True)
class Times:
    """Medians in seconds over so many `runs`.

    `flushed` and `cached` are between two events around the call, where the L2 cache was overwritten before, and where
    the same call had just run. `call` is what a program waits that needs the result, and `host` until the call returns.
    """

    flushed: float
    cached: float
    call: float
    host: float
    runs: int


class Timer:
    """Measures on one GPU, on the default stream, which is that of other libraries as well.

    `flush_bytes` are written before a run to overwrite the L2 cache.
    """

    def __init__(self, device: Device, flush_bytes: int = 256 << 20) -> None:
        self.device = device
        self.flush_bytes = flush_bytes
        self._memory = device.allocate(flush_bytes)
        self._module = device.load(DELAY)
        self._delay = self._module.function("wait_for")

    def close(self) -> None:
        """Give the memory back."""
        self.device.release(self._memory)
        self.device.synchronize()

    def copy_bandwidth(self, size: int = 1 << 30, runs: int = 100) -> float:
        """Bytes per second that a copy within the memory of the GPU reads and writes."""
        source, target = self.device.allocate(size), self.device.allocate(size)
        try:
            seconds = [
                self._between_events(lambda: self.device.copy(target, source, size), SHORT_DELAY) for _ in range(runs)
            ]
        finally:
            self.device.release(source)
            self.device.release(target)
        return 2 * size / median(seconds)

    def measure(self, calls: Calls, plan: Plan) -> dict[str, Times]:
        """The times of all competitors, round by round; each keeps no more than its last result."""
        samples = {name: _Samples(self._warmed_up(call, plan), plan) for name, call in calls.items()}
        for _ in range(ROUNDS):
            for name, call in calls.items():
                one = samples[name]
                one.flushed += [self._flushed(call, one.delay) for _ in range(one.runs_of_a_round)]
                call()
                one.cached += [self._between_events(call, one.delay) for _ in range(one.runs_of_a_round)]
                one.calls += [self._call(call) for _ in range(one.runs_of_a_round)]
        return {name: one.times() for name, one in samples.items()}

    def _warmed_up(self, call: Callable[[], Any], plan: Plan) -> list[tuple[float, float]]:
        """Times of calls, as often as the plan says, or for as long."""
        begin, taken = perf_counter(), [self._call(call)]
        while len(taken) < plan.warm_up and perf_counter() - begin < plan.seconds:
            taken.append(self._call(call))
        return taken

    def _call(self, call: Callable[[], Any]) -> tuple[float, float]:
        """Seconds until the result is there, and until the call returns."""
        self.device.synchronize()
        start = perf_counter()
        result = call()
        returned = perf_counter()
        self.device.synchronize()
        end = perf_counter()
        del result
        return end - start, returned - start

    def _flushed(self, call: Callable[[], Any], delay: float) -> float:
        with self.device.current():
            cuda_driver.call("cuMemsetD32Async", self._memory, 0, self.flush_bytes // 4, STREAM)
        return self._between_events(call, delay)

    def _between_events(self, call: Callable[[], Any], delay: float) -> float:
        """Seconds between events around a call, whose kernels the host has launched before the first event happens."""
        with self.device.current():
            nanoseconds = (int(1e9 * delay),), (ctypes.c_uint64,)
            cuda_driver.call("cuLaunchKernel", self._delay, 1, 1, 1, 1, 1, 1, 0, STREAM, nanoseconds, 0)
        begin = self.device.record()
        result = call()
        end = self.device.record()
        milliseconds = end.milliseconds_since(begin)
        del result
        return milliseconds / 1e3


class _Samples:
    """What one competitor has taken."""

    def __init__(self, warm_up: list[tuple[float, float]], plan: Plan) -> None:
        least = min(total for total, _ in warm_up)
        runs = min(plan.runs, int(plan.seconds / max(least, 1e-9)))
        self.runs_of_a_round = max(1, runs // ROUNDS)
        self.delay = min(1.5 * median(host for _, host in warm_up) + SHORT_DELAY, LONGEST_DELAY)
        self.flushed: list[float] = []
        self.cached: list[float] = []
        self.calls: list[tuple[float, float]] = []

    def times(self) -> Times:
        call, host = (median(values) for values in zip(*self.calls, strict=True))
        return Times(median(self.flushed), median(self.cached), call, host, len(self.cached))
