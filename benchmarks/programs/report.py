"""Measurements of whole programs, as JSON, as tables and as rows of the chart."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, log
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.case import OURS
from benchmarks.peers import PROGRAM_LIBRARIES
from benchmarks.programs import PROGRAMS
from benchmarks.programs.program import FEW
from benchmarks.report import duration, markdown_table, write_json

LIBRARIES = ("SciPy", "NumPy", *(name for name, _, _ in PROGRAM_LIBRARIES))
# Our time over the best of the others' is meant to be at most this in each program, and this in the geometric mean.
MOST, MEAN = 1.1, 0.45
# The time of few statements over that of many.
MOST_OF_PARTS = 1.05


@dataclass(frozen=True)
class Row:
    """One program: seconds by name, how many times faster ours is than each other, and first calls."""

    group: str
    name: str
    title: str
    seconds: dict[str, float]
    ratios: dict[str, float]
    first: dict[str, float]
    wrong: list[str]
    absent: list[str]

    @property
    def best(self) -> str:
        """The fastest of the others."""
        return min((name for name in self.ratios if name != FEW), key=lambda name: self.ratios[name])

    @property
    def share(self) -> float:
        """Our time over that of the fastest."""
        return 1.0 / self.ratios[self.best]

    @property
    def of_parts(self) -> float | None:
        """The time of few statements over that of many; None where there is one way to write it."""
        return self.ratios.get(FEW)

    def chart_row(self) -> report.Row:
        """The same for the chart."""
        others = {name: times for name, times in self.ratios.items() if name != FEW}
        return report.Row(self.group, self.name, self.title, self.seconds[OURS], {}, others, None, self.wrong)


@dataclass
class Results:
    """All of a run."""

    machine: dict[str, str]
    rows: list[Row] = field(default_factory=list[Row])

    def write(self, path: Path) -> None:
        """Store as JSON with four digits."""
        write_json(self, path)

    @staticmethod
    def read(path: Path) -> Results:
        stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return Results(stored["machine"], [Row(**row) for row in stored["rows"]])


def mean(shares: Sequence[float]) -> float:
    """The geometric mean."""
    return exp(sum(map(log, shares)) / len(shares))


def _above(most: float, shares: Mapping[str, float]) -> str:
    """The programs above a bound, the largest first."""
    found = sorted((name for name, share in shares.items() if share > most), key=lambda name: -shares[name])
    return ", ".join(f"{name.replace('_', ' ')} {shares[name]:.2f}" for name in found) or "none"


def summary(results: Results) -> Iterator[str]:
    """How many are faster and slower, and which are not where they are meant to be."""
    shares = {row.name: row.share for row in results.rows}
    few = {row.name: row.share * row.of_parts for row in results.rows if row.of_parts is not None}
    parts = {row.name: row.of_parts for row in results.rows if row.of_parts is not None}
    yield (
        f"- **Our time over the fastest alternative's**, over {len(shares)} programs: {mean([*shares.values()]):.2f} in"
        f" the geometric mean (meant to be: {MEAN}). Faster: {sum(share < 1.0 for share in shares.values())}, slower:"
        f" {sum(share >= 1.0 for share in shares.values())}."
    )
    yield f"- **Above {MOST}**: {_above(MOST, shares)}."
    if few:
        yield (
            f"- **In few statements**, {len(few)} programs: {mean([*few.values()]):.2f} of the fastest alternative's"
            f" time. Above {MOST}: {_above(MOST, few)}."
        )
        yield f"- **Few statements over many**, above {MOST_OF_PARTS}: {_above(MOST_OF_PARTS, parts)}."
    missing = [name for names in PROGRAMS.values() for name in names if name not in shares]
    if missing:
        yield f"- **Not measured yet**: {', '.join(name.replace('_', ' ') for name in missing)}."
    wrong = [f"{row.name}: {name}" for row in results.rows for name in row.wrong]
    yield f"- **Wrong results**: {', '.join(wrong) or 'none'}."


def _columns(rows: Sequence[Row]) -> list[str]:
    named = {name for row in rows for name in (*row.ratios, *row.absent)}
    return [name for name in LIBRARIES if name in named]


def _ratio(value: float | None, most: float) -> str:
    if value is None:
        return ""
    return f"**{value:.2f}**" if value > most else f"{value:.2f}"


def steady_table(results: Results) -> Iterator[str]:
    """Times of all; the fastest alternative is bold, and so are ratios that are larger than they are meant to be."""
    libraries = _columns(results.rows)
    lines: list[list[str]] = []
    for row in results.rows:
        times: list[str] = []
        for name in libraries:
            text = duration(row.seconds[name]) if name in row.seconds else ""
            text = "not installed" if name in row.absent else text
            times.append(f"**{text}**" if name == row.best else text)
        ours = [duration(row.seconds[OURS]), duration(row.seconds[FEW]) if FEW in row.seconds else ""]
        ratios = [_ratio(row.share, MOST), _ratio(row.of_parts, MOST_OF_PARTS)]
        lines.append([row.title, *ours, *times, *ratios])
    names = ["program", OURS, "few statements", *libraries, "irtensor / fastest", "few / irtensor"]
    return markdown_table(names, lines)


def first_table(results: Results) -> Iterator[str]:
    """First calls of a process: ours, ours in few statements, and that of the alternative that is fastest later."""
    lines = [
        [
            row.title,
            duration(row.first[OURS]),
            duration(row.first[FEW]) if FEW in row.first else "",
            f"{duration(row.first[row.best])} {row.best}" if row.best in row.first else "",
        ]
        for row in results.rows
    ]
    return markdown_table(["program", OURS, "few statements", "fastest alternative"], lines)
