"""What searching for schedules gains, as JSON, as a table and as a picture beside the published one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.published_speedups import DENSITY, PUBLISHED
from benchmarks.report import duration, markdown_table, rounded

# The compared variants; SciPy first, with which results are compared.
SCIPY, DEFAULT, UNSCHEDULED, AUTO, TUNED = "SciPy", "default order", "no schedule", "auto", "tuned"
# The published schedule on operands, and with a result, that are stored as it reads and writes them.
CHOSEN = "published schedule"
# The density that the table shows besides the one at which dimensions grow.
SPARSE = 2.0**-12
COLORS = {
    "SpMV": "#57606a",
    "SpMV2": "#1f5fbf",
    "SpMTTKRP": "#8a4fbf",
    "SpGEMM": "#d99a00",
    "SpGEMM2": "#0b8a9e",
    "SpGEMMH": "#b03a73",
}
PALE = "#d8dee4"


@dataclass(frozen=True)
class Point:
    """A kernel on operands of one size: seconds of all, and how many times faster `AUTO` is than each of the others.

    Who would have taken too long is not there.
    """

    kernel: str
    extent: int
    density: float
    seconds: dict[str, float]
    ratios: dict[str, float]


@dataclass
class Sweeps:
    """All points; `limit` is the seconds that a call was expected to take at most."""

    processor: str
    limit: float
    points: list[Point] = field(default_factory=list[Point])

    def write(self, path: Path) -> None:
        """Store as JSON; sizes are exact, times and ratios keep four digits."""
        points = [
            {**asdict(point), "seconds": rounded(point.seconds), "ratios": rounded(point.ratios)}
            for point in self.points
        ]
        path.write_text(json.dumps({**asdict(self), "points": points}, indent=1) + "\n", encoding="utf-8")

    @staticmethod
    def read(path: Path) -> Sweeps:
        stored = json.loads(path.read_text(encoding="utf-8"))
        return Sweeps(stored["processor"], stored["limit"], [Point(**point) for point in stored["points"]])

    def by_extent(self, kernel: str, other: str) -> dict[int, float]:
        """How many times faster than another, by dimension."""
        return {
            point.extent: point.ratios[other]
            for point in self.points
            if point.kernel == kernel and point.density == DENSITY and other in point.ratios
        }

    def by_density(self, kernel: str, other: str) -> dict[float, float]:
        """How many times faster than another, by density."""
        return {
            point.density: point.ratios[other]
            for point in self.points
            if point.kernel == kernel and point.density != DENSITY and other in point.ratios
        }

    def chosen(self, kernel: str, extent: int, density: float) -> float | None:
        """How many times faster the published schedule is than the default order."""
        for point in self.points:
            if (point.kernel, point.extent, point.density) == (kernel, extent, density) and DEFAULT in point.ratios:
                return point.ratios[DEFAULT] / point.ratios[CHOSEN] if CHOSEN in point.ratios else None
        return None

    def largest(self, kernel: str) -> Point:
        """The point of the largest dimension at which the default order was measured."""
        found = [point for point in self.points if (point.kernel, point.density) == (kernel, DENSITY)]
        return max((point for point in found if DEFAULT in point.ratios), key=lambda point: point.extent)


def _times(ratios: Mapping[Any, float], size: object) -> str:
    """A ratio with three digits, or nothing where it is not known."""
    if size not in ratios:
        return ""
    return f"{ratios[size]:,.0f}×" if ratios[size] >= 100 else f"{ratios[size]:.3g}×"


def _duration(point: Point, name: str) -> str:
    return duration(point.seconds[name]) if name in point.seconds else ""


def table(results: Sweeps) -> Iterator[str]:
    """Speed-ups at the largest dimension and at a low density beside the published ones, as Markdown."""
    lines: list[list[str]] = []
    for kernel in (name for name in PUBLISHED if any(point.kernel == name for point in results.points)):
        point, published = results.largest(kernel), PUBLISHED[kernel]
        names = (DEFAULT, UNSCHEDULED, SCIPY)
        over, unscheduled, scipy = (_times(point.ratios, name) for name in names)
        chosen = {density: results.chosen(kernel, point.extent, density) for density in (DENSITY, SPARSE)}
        chosen = {density: ratio for density, ratio in chosen.items() if ratio is not None}
        lines.append([
            kernel, f"{point.extent:,}", duration(point.seconds[DEFAULT]), duration(point.seconds[AUTO]),
            duration(published.best_seconds), over, _times(chosen, DENSITY), _times(published.ratios, point.extent),
            _times(results.by_density(kernel, DEFAULT), SPARSE), _times(chosen, SPARSE),
            _times(published.by_density, SPARSE),
            unscheduled, scipy, _duration(point, TUNED),
        ])  # fmt: skip
    names = [
        "kernel",
        "n",
        DEFAULT,
        AUTO,
        "published",
        "speed-up",
        "their schedule",
        "published",
        "at 2⁻¹²",
        "their schedule",
        "published",
    ]
    return markdown_table([*names, "over no schedule", "over SciPy", TUNED], lines)


def plot(results: Sweeps, target: Path) -> bool:
    """Speed-ups by dimension and by density, over the default order and over SciPy; False without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    figure = Figure(figsize=(10.5, 8.5), layout="constrained")
    panels: Any = figure.subplots(2, 2, sharey="row")
    for row, other in enumerate((DEFAULT, SCIPY)):
        by_extent, by_density = panels[row]
        for kernel, color in COLORS.items():
            _line(by_extent, results.by_extent(kernel, other), color, kernel)
            _line(by_density, results.by_density(kernel, other), color, kernel)
            if other == DEFAULT:
                _published(by_extent, PUBLISHED[kernel].ratios, color)
                _published(by_density, PUBLISHED[kernel].by_density, color)
        by_extent.set_ylabel(f"times faster than {other}")
        by_extent.set_xlabel(f"dimension, at density {DENSITY}")
        by_density.set_xlabel("density, at the largest dimension")
    for axes in panels.flat:
        _dress(axes)
    panels[0, 0].plot([], [], color="#22272e", linestyle=":", marker="x", label="as published")
    panels[0, 0].legend(frameon=False, fontsize=8)
    figure.suptitle(f"What a schedule that was searched for gains, one thread\n{results.processor}", fontsize=11)
    figure.savefig(target, metadata={"Date": None})
    return True


def _line(axes: Any, ratios: Mapping[Any, float], color: str, kernel: str) -> None:
    axes.plot(list(ratios), list(ratios.values()), color=color, marker="o", markersize=4, label=kernel)


def _published(axes: Any, ratios: Mapping[Any, float], color: str) -> None:
    if len(ratios) > 1:
        axes.plot(list(ratios), list(ratios.values()), color=color, marker="x", markersize=4, linestyle=":", alpha=0.8)


def _dress(axes: Any) -> None:
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.axhline(1.0, color="#22272e", linewidth=1.0)
    axes.grid(color=PALE, linewidth=0.8)
