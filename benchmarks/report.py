"""Measurements as a table in the terminal, as Markdown and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

# The reference's column: SciPy, or NumPy on SciPy's arrays where SciPy has no such kernel.
REFERENCES = ("SciPy", "NumPy")
# Columns of text without a terminal to ask.
LOG_WIDTH = 150
# Two processes that do the same differ by about this; a difference below it says nothing, a negative one neither.
START_RESOLUTION = 1e-3
# Seconds that something may take, by what it is called: two operands, a union of three, calls, starting.
BUDGETS = {
    **dict.fromkeys(("SpMV", "SpMM", "product", "sum of two"), 0.040),
    "sum of three": 0.060,
    **dict.fromkeys(("einsum, SpMV", "einsum, element-wise product"), 20e-6),
    "import irtensor": 0.030,
    "first SpMV, code in the disk cache": 0.060,
}

# The cases that README.md shows: one of each kind, and those in which irtensor loses most.
SUMMARY = {
    *(("matrices", name) for name in ("spmv", "small_spmv", "spmm", "sddmm", "addition")),
    *(("sparse results", name) for name in ("product_uniform", "product_mesh", "triangles")),
    *(("tensors", name) for name in ("mttkrp", "ttv", "csf_addition")),
    *(("conversions and files", name) for name in ("csr_to_csc", "csr_to_bcsr", "read_mtx")),
    ("all cores", "product_uniform"),
}


@dataclass(frozen=True)
class Row:
    """One case: our seconds, the peers', how many times faster we are, and the goal against SciPy or NumPy."""

    group: str
    name: str
    title: str
    seconds: float
    peers: dict[str, float]
    ratios: dict[str, float]
    goal: float | None
    wrong: list[str]

    @property
    def reference(self) -> str:
        """The faster one of SciPy and NumPy."""
        return min((peer for peer in self.ratios if peer in REFERENCES), key=lambda peer: self.ratios[peer])

    @property
    def best(self) -> str:
        """The fastest peer."""
        return min(self.ratios, key=lambda peer: self.ratios[peer])

    @property
    def reached(self) -> bool:
        return self.goal is None or self.ratios[self.reference] >= self.goal


@dataclass
class Results:
    """All of a run; `scale` 1 is full size. Tables of seconds by name are empty where nothing was measured."""

    machine: dict[str, str]
    scale: float
    rows: list[Row] = field(default_factory=list[Row])
    compile_seconds: dict[str, dict[str, float]] = field(default_factory=dict[str, dict[str, float]])
    call_seconds: dict[str, float] = field(default_factory=dict[str, float])
    start_seconds: dict[str, float] = field(default_factory=dict[str, float])
    # What compiling was measured on, where that was a run of its own.
    compile_machine: dict[str, str] = field(default_factory=dict[str, str])

    def write(self, path: Path) -> None:
        """Store as JSON; seconds keep four digits, more is noise."""
        write_json(self, path)

    @staticmethod
    def read(path: Path) -> Results:
        stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        stored["rows"] = [Row(**row) for row in stored["rows"]]
        return Results(**stored)


def write_json(results: Any, path: Path) -> None:
    """Store a dataclass of results; numbers keep four digits."""
    path.write_text(json.dumps(rounded(asdict(results)), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def rounded(value: Any) -> Any:
    """The same with four digits in all numbers."""
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {name: rounded(inner) for name, inner in value.items()}
    return [rounded(inner) for inner in value] if isinstance(value, list) else value


def duration(seconds: float, resolution: float = 0.0) -> str:
    """A time in the unit that suits it; one below what could be measured as a bound."""
    if seconds < resolution:
        return f"< {duration(resolution)}"
    for unit, scale in (("s", 1.0), ("ms", 1e3)):
        if seconds * scale >= 1.0:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def other_peers(rows: Iterable[Row]) -> list[str]:
    """The peers besides the references, each once."""
    return list(dict.fromkeys(peer for row in rows for peer in row.ratios if peer not in REFERENCES))


def headings(peers: Iterable[str]) -> list[str]:
    return ["kernel", "irtensor", "SciPy or NumPy", *peers, "goal"]


def cells(row: Row, peers: Iterable[str]) -> list[str]:
    """A line: the kernel, our time, the ratio to each peer, the goal against SciPy or NumPy."""
    ratios = [f"{row.ratios[row.reference]:.2f}× {row.reference}"]
    ratios += [f"{row.ratios[peer]:.2f}×" if peer in row.ratios else "" for peer in peers]
    goal = "" if row.goal is None else f"{row.goal:g}× {'✓' if row.reached else '✗'}"
    return [row.title, duration(row.seconds), *ratios, goal]


def show(console: Console, results: Results) -> None:
    """The tables in the terminal; green is faster than the peer, red slower."""
    if results.rows:
        console.print(_kernel_table(results.rows))
    if results.compile_seconds:
        stages = list(next(iter(results.compile_seconds.values())))
        table = _table("compiling, in ms", ["statement", *stages, "budget"])
        for title, seconds in results.compile_seconds.items():
            times = (f"{1e3 * seconds[stage]:.1f}" for stage in stages)
            table.add_row(title, *times, budget(title, seconds["total"]))
        console.print(table)
    for title, seconds, resolution in (
        ("one call on a 2 × 2 matrix", results.call_seconds, 0.0),
        ("a new process, beyond import numpy", results.start_seconds, START_RESOLUTION),
    ):
        if seconds:
            table = _table(title, ["", "time", "budget"])
            for name, value in seconds.items():
                table.add_row(name, duration(value, resolution), budget(name, value))
            console.print(table)


def _table(title: str, names: list[str]) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", header_style="bold")
    table.add_column(names[0])
    for name in names[1:]:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _kernel_table(rows: list[Row]) -> Table:
    peers = other_peers(rows)
    table = _table("times faster than each peer, one thread unless the line says otherwise", headings(peers))
    for before, row in zip([None, *rows], rows, strict=False):
        if before is not None and before.group != row.group:
            table.add_section()
        title, seconds, *ratios, goal = cells(row, peers)
        names = [row.reference, *peers]
        colored = [
            _colored(text, row.ratios.get(name), name == row.best) for text, name in zip(ratios, names, strict=True)
        ]
        wrong = f"  WRONG: {', '.join(row.wrong)}" if row.wrong else ""
        table.add_row(
            Text(title + wrong, style="bold red" if wrong else ""),
            seconds,
            *colored,
            Text(goal, style="green" if row.reached else "red"),
        )
    return table


def _colored(text: str, ratio: float | None, fastest: bool) -> Text:
    if ratio is None:
        return Text(text)
    return Text(text, style=f"{'bold ' if fastest else ''}{'green' if ratio >= 1.0 else 'red'}")


def budget(name: str, seconds: float) -> str:
    """What something may take and whether it does; empty where nothing is said."""
    return f"{duration(BUDGETS[name])} {'✓' if seconds <= BUDGETS[name] else '✗'}" if name in BUDGETS else ""


def markdown(results: Results) -> Iterator[str]:
    """The kernels' table as Markdown; the fastest peer of each line is bold."""
    peers = other_peers(results.rows)
    lines: list[list[str]] = []
    for row in results.rows:
        title, seconds, *ratios, goal = cells(row, peers)
        names = [row.reference, *peers]
        ratios = [f"**{text}**" if name == row.best else text for name, text in zip(names, ratios, strict=True)]
        lines.append([title, seconds, *ratios, goal])
    return markdown_table(headings(peers), lines)


def summary(results: Results) -> Iterator[str]:
    """One case of each kind, beside SciPy or NumPy and the fastest of the others; where irtensor loses is in bold."""
    lines: list[list[str]] = []
    for row in results.rows:
        if (row.group, row.name) in SUMMARY:
            others = [peer for peer in row.ratios if peer not in REFERENCES]
            best = min(others, key=lambda peer: row.ratios[peer], default=None)
            ratios = ["" if peer is None else _ratio(row.ratios[peer], peer) for peer in (row.reference, best)]
            lines.append([row.title, duration(row.seconds), *ratios])
    return markdown_table(["kernel", "irtensor", "over SciPy or NumPy", "over the fastest other"], lines)


def _ratio(ratio: float, peer: str) -> str:
    text = f"{ratio:.2f}× {peer}"
    return text if ratio >= 1 else f"**{text}**"


def compile_table(results: Results) -> Iterator[str]:
    """Compile times in milliseconds as Markdown, a column per stage."""
    stages = list(next(iter(results.compile_seconds.values())))
    lines = [
        [title, *(f"{1e3 * seconds[stage]:.1f}" for stage in stages), budget(title, seconds["total"])]
        for title, seconds in results.compile_seconds.items()
    ]
    yield from markdown_table(["statement", *stages, "budget"], lines)
    others = [
        f"{name} {value}" for name, value in results.compile_machine.items() if results.machine.get(name) != value
    ]
    if others:
        yield ""
        yield f"This table alone was measured on another [machine](#the-machine) than the others: {', '.join(others)}."


def seconds_table(heading: str, values: Mapping[str, float], resolution: float = 0.0) -> Iterator[str]:
    """Times by name as Markdown."""
    lines = [[name, duration(value, resolution), budget(name, value)] for name, value in values.items()]
    return markdown_table([heading, "time", "budget"], lines)


def facts_table(facts: Mapping[str, str]) -> Iterator[str]:
    """What it was measured on, as Markdown."""
    return markdown_table(["", ""], [[name, value] for name, value in facts.items()])


def markdown_table(names: list[str], lines: Iterable[list[str]]) -> Iterator[str]:
    """A Markdown table; all columns but the first are right-aligned."""
    yield f"| {' | '.join(names)} |"
    yield f"| --- |{' ---: |' * (len(names) - 1)}"
    for line in lines:
        yield f"| {' | '.join(line)} |"
