"""Measurements on a GPU, as tables and as JSON; where nothing was measured, it says so and has no numbers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import exp, log
from pathlib import Path
from typing import Any

from benchmarks.case import OURS
from benchmarks.gpu_timing import Times
from benchmarks.report import duration, facts_table, markdown_table, write_json

NOT_MEASURED, MEASURED = "not measured", "measured"
LIBRARIES = ("CuPy", "PyTorch")
# How many times faster than the best of the others a kernel is meant to be, over all matrices of at least so many
# entries.
LEAST_FOR_GOALS = 1_000_000
GOALS = {
    "SpMV": 1.0,
    "SpMM, 32 columns": 1.11,
    "SpMM, 128 columns": 1.11,
    "SDDMM, k = 64": 1.67,
    "CSR + CSR": 1.11,
    "SpGEMM": 2.0,
    "MTTKRP, 32 columns": 2.0,
}


@dataclass(frozen=True)
class Row:
    """One kernel on one matrix: the times of each variant, and why others were skipped or wrong.

    `size` is the number of entries that was asked for, and `entries` how many the first operand has.
    """

    kernel: str
    matrix: str
    size: int
    entries: int
    least_bytes: int
    times: dict[str, Times]
    failed: dict[str, str]

    def best(self, library: str, what: str) -> float | None:
        """The least time of a library's variants, in seconds; None where none has run."""
        found = [getattr(times, what) for name, times in self.times.items() if name.split()[0] == library]
        return min(found, default=None)

    def ratio(self, library: str, what: str) -> float | None:
        """How many times faster irtensor is than a library."""
        mine, theirs = self.best(OURS, what), self.best(library, what)
        return None if mine is None or theirs is None else theirs / mine

    def bandwidth(self, copy: float) -> float | None:
        """The bytes that have to be moved, over the time that they took, in parts of what a copy moves."""
        mine = self.best(OURS, "flushed")
        return None if mine is None else self.least_bytes / mine / copy


@dataclass
class Results:
    """All of a run. `copy_bandwidth` is in bytes per second; `absent` says why peers are skipped."""

    status: str = NOT_MEASURED
    date: str | None = None
    machine: dict[str, str] = field(default_factory=dict[str, str])
    settings: dict[str, Any] = field(default_factory=dict[str, Any])
    copy_bandwidth: float | None = None
    absent: dict[str, str] = field(default_factory=dict[str, str])
    rows: list[Row] = field(default_factory=list[Row])

    def write(self, path: Path) -> None:
        """Store as JSON; seconds keep four digits."""
        write_json(self, path)

    @staticmethod
    def read(path: Path) -> Results:
        stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        for row in stored["rows"]:
            row["times"] = {name: Times(**times) for name, times in row["times"].items()}
        stored["rows"] = [Row(**row) for row in stored["rows"]]
        return Results(**stored)

    @property
    def wrong(self) -> bool:
        """Whether irtensor has failed anywhere, or was wrong."""
        return any(OURS in row.failed for row in self.rows)


def _times(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}×"


def _duration(seconds: float | None) -> str:
    return "" if seconds is None else duration(seconds)


KERNEL_HEADINGS = ["kernel", "matrix", "entries", OURS, "of copy", *LIBRARIES, f"{OURS}, cached", *LIBRARIES]
CALL_HEADINGS = ["call", "matrix", "entries", OURS, "host alone", *LIBRARIES]
MEAN_HEADINGS = ["mean over matrices", "entries", *LIBRARIES, "the faster one", "goal"]


def kernel_lines(results: Results) -> Iterator[list[str]]:
    """Times by events, the part of the bandwidth of a copy, and how many times faster than each peer's best."""
    for row in results.rows:
        part = None if results.copy_bandwidth is None else row.bandwidth(results.copy_bandwidth)
        yield [
            *(row.kernel, row.matrix, f"{row.entries:,}"),
            *("FAILED" if OURS in row.failed else _duration(row.best(OURS, "flushed")),),
            *("" if part is None else f"{100 * part:.0f} %",),
            *(_times(row.ratio(library, "flushed")) for library in LIBRARIES),
            *(_duration(row.best(OURS, "cached")),),
            *(_times(row.ratio(library, "cached")) for library in LIBRARIES),
        ]


def call_lines(results: Results) -> Iterator[list[str]]:
    """Times of calls until the result is there, and how many times faster than each peer's best."""
    for row in results.rows:
        yield [
            *(row.kernel, row.matrix, f"{row.entries:,}"),
            *(_duration(row.best(OURS, what)) for what in ("call", "host")),
            *(_times(row.ratio(library, "call")) for library in LIBRARIES),
        ]


def mean_lines(results: Results) -> Iterator[list[str]]:
    """Geometric means over the matrices, of kernel times with the cache overwritten, for each size and kernel."""
    for size, kernel in dict.fromkeys((row.size, row.kernel) for row in results.rows):
        rows = [row for row in results.rows if (row.size, row.kernel) == (size, kernel)]
        ratios = [[row.ratio(library, "flushed") for row in rows] for library in LIBRARIES]
        pairs = zip(*ratios, strict=True)
        fastest = [min((ratio for ratio in pair if ratio is not None), default=None) for pair in pairs]
        mean, goal = _mean(fastest), GOALS.get(kernel) if size >= LEAST_FOR_GOALS else None
        aim = "" if goal is None else f"{goal:g}×" + ("" if mean is None else " ✓" if mean >= goal else " ✗")
        yield [kernel, f"{size:,}", *(_times(_mean(column)) for column in ratios), _times(mean), aim]


def _mean(ratios: list[float | None]) -> float | None:
    """The geometric mean; None where there is nothing, or something is missing."""
    known = [ratio for ratio in ratios if ratio is not None]
    return exp(sum(map(log, known)) / len(known)) if known and len(known) == len(ratios) else None


def failures(results: Results) -> Iterator[str]:
    """What did not run or was wrong, a line each."""
    for name, why in results.absent.items():
        yield f"{name} is skipped: {why}"
    for row in results.rows:
        for name, why in row.failed.items():
            yield f"{row.kernel}, {row.matrix}, {row.entries:,} entries: {name}: {why}"


def tables(results: Results) -> Iterator[tuple[list[str], list[list[str]]]]:
    """Headings and lines of each table."""
    yield MEAN_HEADINGS, [*mean_lines(results)]
    yield KERNEL_HEADINGS, [*kernel_lines(results)]
    yield CALL_HEADINGS, [*call_lines(results)]


def markdown(results: Results) -> Iterator[str]:
    """All of it as Markdown."""
    if results.status == NOT_MEASURED:
        yield "Not measured: nobody has run this on a card yet."
        return
    assert results.copy_bandwidth is not None
    facts = {**results.machine, "copy": f"{results.copy_bandwidth / 1e9:.0f} GB/s", "date": results.date or ""}
    yield from facts_table(facts)
    for headings, lines in tables(results):
        yield ""
        yield from markdown_table(headings, lines)
    said = [*failures(results)]
    if said:
        yield ""
        yield from (f"- {line}" for line in said)
