"""Whole programs by irtensor and by others: `python -m benchmarks.programs.run --help`."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks import machine, peers
from benchmarks.chart import plot
from benchmarks.programs import PROGRAMS
from benchmarks.programs.program import FEW, OURS
from benchmarks.programs.report import Results, Row, steady_table, summary
from benchmarks.threads import one_thread

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
GROUPS = {name: group for group, names in PROGRAMS.items() for name in names}


def facts() -> dict[str, str]:
    """The machine; of the libraries, those that programs have."""
    versions = peers.library_versions(peers.PROGRAM_LIBRARIES)
    return machine.own_facts() | {name: found or "not installed" for name, found in versions.items()}


def measured(*arguments: str) -> Any:
    """What a process of its own prints, which finds no code in the disk cache."""
    command = [sys.executable, "-m", "benchmarks.programs.measure", *arguments]
    environment = os.environ | {"IRTENSOR_DISK_CACHE": "0"}
    ran = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(ran.stdout)


def measure(name: str, seconds: float, small: bool) -> Row:
    """One program: all in turns, and then first calls, each in a new process."""
    options = ["--small"] if small else []
    row = Row(GROUPS[name], name, **measured(name, "--seconds", str(seconds), *options), first={})
    for competitor in (OURS, FEW, row.best):
        if competitor in row.seconds:
            row.first[competitor] = measured(name, "--first", competitor, *options)
    return row


def parse_arguments(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", nargs="*", help=f"any of {', '.join(GROUPS)} (default: all)")
    parser.add_argument("--small", action="store_true", help="the sizes of the tests, to see that all works")
    parser.add_argument("--seconds", type=float, default=5.0, help="measuring time per program (default 5)")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "benchmarks", help="folder for the reports")
    parser.add_argument("--docs", action="store_true", help="write into docs/ and bring its pages up to date")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.programs if name not in GROUPS]
    if unknown:
        parser.error(f"no such program: {', '.join(unknown)}")
    if options.docs and options.small:
        parser.error("--docs is for full size")
    if options.docs and find_spec("matplotlib") is None:
        parser.error("--docs draws a chart: install matplotlib, as make bench-programs does")
    return options


def draw(results: Results, folder: Path) -> None:
    """programs.png, where matplotlib is installed."""
    note = f"{results.machine['processor']}; processor time, medians of calls in turns, one thread"
    title = "Whole programs: how many times faster irtensor is"
    if not plot([row.chart_row() for row in results.rows], note, folder / "programs.png", title):
        print("matplotlib is not installed: no chart is drawn")


def main(arguments: list[str] | None = None) -> int:
    options = parse_arguments(arguments)
    console = Console(soft_wrap=True)
    results = Results(facts())
    for name, found in results.machine.items():
        if found == "not installed":
            console.print(f"{name} is not installed: skipped")
    folder = DOCS / "benchmarks" if options.docs else options.output
    folder.mkdir(parents=True, exist_ok=True)
    if options.docs and options.programs and (folder / "programs.json").exists():
        # The other programs stay as they were measured.
        kept = Results.read(folder / "programs.json").rows
        results.rows = [row for row in kept if row.name not in options.programs]
    for name in options.programs or GROUPS:
        row = measure(name, options.seconds, options.small)
        results.rows = sorted([*results.rows, row], key=lambda row: [*GROUPS].index(row.name))
        # A run that is ended before leaves what it has.
        results.write(folder / "programs.json")
        wrong = f"  WRONG: {', '.join(row.wrong)}" if row.wrong else ""
        console.print(f"{row.title}: {row.share:.2f} of {row.best}{wrong}")
    draw(results, folder)
    if options.docs:
        subprocess.run([sys.executable, str(DOCS / "generate.py")], check=True)
    else:
        lines = [*summary(results), "", *steady_table(results)]
        (folder / "programs.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    console.print("\n".join(summary(results)))
    console.print(f"written to {folder}")
    return 1 if any(row.wrong for row in results.rows) else 0


if __name__ == "__main__":
    # For the processes that measure.
    one_thread()
    sys.exit(main())
