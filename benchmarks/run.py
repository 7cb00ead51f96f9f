"""Benchmarks irtensor against SciPy, NumPy and whatever else is installed: `python -m benchmarks.run --help`."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
if not __package__:
    sys.path.insert(0, str(ROOT))

from benchmarks.threads import requested, set_threads  # noqa: E402

set_threads(requested())

from rich.console import Console  # noqa: E402

from benchmarks import (  # noqa: E402
    data,
    latency,
    machine,
    matrices,
    matrix_vector,
    peers,
    report,
    sparse_results,
    startup,
    structured,
    tensors,
)
from benchmarks.case import OURS  # noqa: E402
from benchmarks.chart import plot  # noqa: E402
from benchmarks.interleave import Timing, interleaved, ratio, warm_allocator  # noqa: E402
from benchmarks.on_one_thread import on_one_thread  # noqa: E402

GROUPS = {
    "matrices": matrices.CASES,
    "matrix times vector": matrix_vector.CASES,
    "sparse results": sparse_results.CASES,
    "tensors": tensors.CASES,
    "structured levels": structured.CASES,
    "conversions and files": data.CASES,
}
CASES = {name: (group, case) for group, cases in GROUPS.items() for name, case in cases.items()}
# What a whole run measures on all cores as well.
ALL_CORES = ("spmv", "spmm", "mttkrp", "addition", "product_uniform")
# What our own call on one thread is called among calls on several.
ALONE = "one thread"
DOCS = ROOT / "docs"


def measure(name: str, scale: float, seconds: float) -> report.Row:
    """Run one case, compare all results with the reference's, and time all competitors."""
    group, make = CASES[name]
    case = make(scale)
    wrong = case.wrong()
    timings = _timings(name, case.calls, scale, seconds)
    others = [peer for peer in timings if peer != OURS]
    return report.Row(
        group,
        name,
        case.title,
        timings[OURS].seconds,
        {peer: timings[peer].seconds for peer in others},
        {peer: ratio(timings, OURS, peer) for peer in others},
        case.goal,
        wrong,
    )


def _timings(name: str, calls: peers.Calls, scale: float, seconds: float) -> dict[str, Timing]:
    """All competitors', and if they have several threads our own on one."""
    if requested() == 1:
        return interleaved(calls, seconds)
    with on_one_thread(CASES[name][1], scale) as alone:
        return interleaved({**calls, ALONE: alone}, seconds)


def measure_all_cores(options: argparse.Namespace) -> list[report.Row]:
    """Some cases with as many threads as there are cores, for everybody, in a process of its own."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if cores == 1:
        return []
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "benchmarks.run", *ALL_CORES, "--threads", str(cores), "--no-latency"]
        command += ["--scale", str(options.scale), "--seconds", str(options.seconds), "--output", folder]
        subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=False)
        rows = report.Results.read(Path(folder) / "results.json").rows
    titled: list[report.Row] = []
    for row in rows:
        title = f"{row.title}, {cores} threads: {row.ratios[ALONE]:.2f}× one"
        peers = {name: seconds for name, seconds in row.peers.items() if name != ALONE}
        ratios = {name: times for name, times in row.ratios.items() if name != ALONE}
        titled.append(replace(row, group="all cores", title=title, peers=peers, ratios=ratios, goal=None))
    return titled


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", help=f"any of {', '.join(CASES)} (default: all)")
    parser.add_argument("--scale", type=float, help="size of the inputs; 1 is full size (default 1)")
    parser.add_argument("--quick", action="store_true", help="a tenth of the size, about a minute in all")
    parser.add_argument("--seconds", type=float, help="measuring time per case")
    parser.add_argument("--no-latency", action="store_true", help="skip compiling, calls and start-up")
    parser.add_argument("--threads", type=int, default=1, help="threads for everybody (default 1)")
    parser.add_argument("--no-all-cores", action="store_true", help="skip the cases on all cores")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "benchmarks", help="folder for the reports")
    parser.add_argument("--docs", action="store_true", help="write into docs/ and bring its pages up to date")
    parser.add_argument("--redraw", action="store_true", help="measure nothing: table and chart of the last results")
    options = parser.parse_args()
    unknown = [case for case in options.cases if case not in CASES]
    if unknown:
        parser.error(f"no such case: {', '.join(unknown)}")
    if options.docs and find_spec("matplotlib") is None:
        parser.error("--docs draws a chart: install matplotlib, as make bench does")
    if options.docs and (options.cases or options.quick or options.scale or options.no_latency):
        parser.error("--docs is for a whole run at full size")
    options.scale = options.scale or (0.1 if options.quick else 1.0)
    options.seconds = options.seconds or (0.5 if options.quick else 3.0)
    return options


def run(options: argparse.Namespace, console: Console) -> report.Results:
    """Measure what the options ask for."""
    results = report.Results(machine.facts(), options.scale)
    with console.status("measuring") as status:
        for name in options.cases or CASES:
            status.update(f"measuring {name}")
            results.rows.append(measure(name, options.scale, options.seconds))
        if not options.cases and not options.no_all_cores:
            status.update("measuring on all cores")
            results.rows += measure_all_cores(options)
        if not options.no_latency:
            status.update("measuring how long compiling, calling and starting take")
            results.compile_seconds, results.call_seconds = latency.compiling_and_calling()
            results.start_seconds = startup.cold_start()
    return results


def write(results: report.Results, folder: Path) -> None:
    """results.json and, where matplotlib is installed, ratios.png."""
    folder.mkdir(parents=True, exist_ok=True)
    results.write(folder / "results.json")
    note = f"{results.machine['processor']}; medians of interleaved calls"
    if not plot(results.rows, note, folder / "ratios.png"):
        print("matplotlib is not installed: no chart is drawn")


def main() -> int:
    options = parse_arguments()
    console = Console()
    if not console.is_terminal:
        console = Console(width=report.LOG_WIDTH)
    for name, found in peers.versions().items():
        if found is None:
            console.print(f"{name} is not installed: skipped")
    folder = DOCS / "benchmarks" if options.docs else options.output
    if options.redraw:
        results = report.Results.read(folder / "results.json")
    else:
        warm_allocator()
        results = run(options, console)
    report.show(console, results)
    write(results, folder)
    if options.docs:
        subprocess.run([sys.executable, str(DOCS / "generate.py")], check=True)
    else:
        (folder / "table.md").write_text("\n".join(report.markdown(results)) + "\n", encoding="utf-8")
    console.print(f"written to {folder}")
    return 1 if any(row.wrong for row in results.rows) else 0


if __name__ == "__main__":
    sys.exit(main())
