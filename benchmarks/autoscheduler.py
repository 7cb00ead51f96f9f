"""Speed-ups by schedules that are searched for (Ahrens 2022, Figure 7): `python -m benchmarks.autoscheduler --help`."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
if not __package__:
    sys.path.insert(0, str(ROOT))

from benchmarks.threads import one_thread  # noqa: E402

one_thread()

from benchmarks.autoscheduler_report import AUTO, CHOSEN, SCIPY, Point, Sweeps, plot, table  # noqa: E402
from benchmarks.case import Case  # noqa: E402
from benchmarks.interleave import interleaved, ratio, warm_allocator  # noqa: E402
from benchmarks.machine import processor  # noqa: E402
from benchmarks.published_speedups import DENSITY, PUBLISHED  # noqa: E402
from benchmarks.scheduled_kernels import KERNELS, ScheduledKernel  # noqa: E402

# Seconds that a call may be expected to take: more is not worth waiting for.
LIMIT = 20.0
Size = tuple[int, float]


def sweeps(name: str, quick: bool) -> list[list[Size]]:
    """Extents and densities from less work to more, by a constant factor: by dimension, then by density."""
    largest = PUBLISHED[name].extent // (4 if quick else 1)
    extents = [largest >> power for power in range(5, -1, -1)]
    return [[(extent, DENSITY) for extent in extents], [(largest, 2.0**-power) for power in range(16, 4, -2)]]


def expected(seconds: list[float]) -> float:
    """What the next of these takes if it grows over the last as that has over the one before."""
    return seconds[-1] * max(1.0, seconds[-1] / seconds[-2]) if len(seconds) > 1 else 0.0


def measure(name: str, sizes: list[Size], seconds: float) -> Iterator[Point]:
    """Check and time all that are expected to take less than `LIMIT`, at one size after the other."""
    kernel = KERNELS[name]
    competitors = {SCIPY: kernel.scipy, **kernel.kernels()}
    taken: dict[str, list[float]] = {competitor: [] for competitor in competitors}
    for extent, density in sizes:
        competitors = {one: call for one, call in competitors.items() if expected(taken[one]) < LIMIT}
        if AUTO not in competitors:
            return
        point = _point(name, kernel, competitors, extent, density, seconds)
        for one in competitors:
            taken[one].append(point.seconds[one])
        yield point


def _point(
    name: str,
    kernel: ScheduledKernel,
    competitors: dict[str, Callable[..., Any]],
    extent: int,
    density: float,
    seconds: float,
) -> Point:
    ours, theirs = kernel.operands(extent, density)
    calls: dict[str, Callable[[], Any]] = {
        one: (lambda call=call: call(**theirs)) if one == SCIPY else (lambda call=call: call(**ours))
        for one, call in competitors.items()
    }
    if SCIPY in calls and (wrong := Case(name, None, calls).wrong()):
        raise AssertionError(f"{name} at {extent}, {density}: wrong by {', '.join(wrong)}")
    calls[CHOSEN] = kernel.as_published(ours)
    timings = interleaved(calls, seconds, fewest=3)
    times = {one: timing.seconds for one, timing in timings.items()}
    return Point(name, extent, density, times, {one: ratio(timings, AUTO, one) for one in times if one != AUTO})


def others(path: Path, names: list[str]) -> list[Point]:
    """The last measurements of the other kernels, if they were on this processor."""
    stored = Sweeps.read(path) if path.exists() else None
    if stored is None or stored.processor != processor():
        return []
    return [point for point in stored.points if point.kernel not in names]


def _line(point: Point) -> str:
    times = ", ".join(f"{one} {1e3 * seconds:.3g} ms" for one, seconds in point.seconds.items())
    ratios = ", ".join(f"{times:.3g}x over {one}" for one, times in point.ratios.items())
    return f"{point.kernel} {point.extent} {point.density:.3g}: {times}; {AUTO} is {ratios}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kernels", nargs="*", help=f"any of {', '.join(KERNELS)} (default: all)")
    parser.add_argument("--seconds", type=float, default=1.0, help="measuring time per point")
    parser.add_argument("--quick", action="store_true", help="a quarter of the dimensions")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "benchmarks", help="folder for the reports")
    parser.add_argument("--docs", action="store_true", help="write into docs/ and bring its pages up to date")
    parser.add_argument("--redraw", action="store_true", help="measure nothing: table and chart of the last results")
    options = parser.parse_args()
    if unknown := [name for name in options.kernels if name not in KERNELS]:
        parser.error(f"no such kernel: {', '.join(unknown)}")
    if options.docs and options.quick:
        parser.error("--docs is for full size")
    folder = ROOT / "docs" / "benchmarks" if options.docs else options.output
    if options.redraw:
        results = Sweeps.read(folder / "autoscheduler.json")
    else:
        warm_allocator()
        names = options.kernels or list(KERNELS)
        results = Sweeps(processor(), LIMIT, others(folder / "autoscheduler.json", names))
        for name in names:
            for sizes in sweeps(name, options.quick):
                for point in measure(name, sizes, options.seconds):
                    results.points.append(point)
                    print(_line(point), flush=True)
        folder.mkdir(parents=True, exist_ok=True)
        results.write(folder / "autoscheduler.json")
    print("\n".join(table(results)))
    if not plot(results, folder / "autoscheduler.svg"):
        print("matplotlib is not installed: no chart is drawn")
    if options.docs:
        subprocess.run([sys.executable, str(ROOT / "docs" / "generate.py")], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
