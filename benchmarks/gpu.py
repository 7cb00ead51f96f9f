"""Benchmarks kernels on a GPU against CuPy and PyTorch, where they are installed: `python -m benchmarks.gpu --help`.

Without a card it says so and exits with status 2.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
if not __package__:
    sys.path.insert(0, str(ROOT))

from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

from benchmarks import gpu_cases, gpu_peers, machine  # noqa: E402
from benchmarks.case import OURS  # noqa: E402
from benchmarks.gpu_report import MEASURED, Results, Row, failures, markdown, tables  # noqa: E402
from benchmarks.gpu_timing import Calls, Plan, Timer  # noqa: E402
from benchmarks.report import LOG_WIDTH  # noqa: E402
from irtensor.errors import UserError  # noqa: E402
from irtensor.runtime import cuda_device, cuda_driver  # noqa: E402

DOCS = ROOT / "docs"
NO_CARD = 2
# Entries of the matrices, warm-up runs, timed runs, and seconds, of a whole run and of a quick one.
WHOLE = ([10_000, 10_000_000], 100, 500, 3.0)
QUICK = ([10_000, 500_000], 10, 50, 0.5)


def parse_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kernels", nargs="*", help=f"any of {', '.join(gpu_cases.KERNELS)} (default: all)")
    parser.add_argument("--matrices", nargs="+", choices=gpu_cases.MATRICES, default=[*gpu_cases.MATRICES])
    parser.add_argument("--entries", nargs="+", type=int, help="of the matrices (default 10,000 and 10,000,000)")
    parser.add_argument("--dtype", choices=("float64", "float32"), default="float64", help="type of elements")
    parser.add_argument("--quick", action="store_true", help="fewer entries and runs, to see that all works")
    parser.add_argument("--warm-up", type=int, help="runs of everybody that are not timed (default 100)")
    parser.add_argument("--runs", type=int, help="timed runs of everybody (default 500)")
    parser.add_argument("--seconds", type=float, help="most that one measurement takes (default 3): fewer runs then")
    parser.add_argument("--flush", type=int, default=256, help="MB that are written to overwrite the L2 cache")
    parser.add_argument("--copy", type=int, default=1024, help="MB that are copied to measure the bandwidth")
    parser.add_argument("--device", type=int, default=0, help="number of the GPU (default 0)")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "benchmarks", help="folder for the reports")
    parser.add_argument("--docs", action="store_true", help="write into docs/ and bring its pages up to date")
    options = parser.parse_args(arguments)
    unknown = [kernel for kernel in options.kernels if kernel not in gpu_cases.KERNELS]
    if unknown:
        parser.error(f"no such kernel: {', '.join(unknown)}")
    if options.docs and (options.kernels or options.quick or options.entries):
        parser.error("--docs is for a whole run at full size")
    names = ("entries", "warm_up", "runs", "seconds")
    for name, value in zip(names, QUICK if options.quick else WHOLE, strict=True):
        if getattr(options, name) is None:
            setattr(options, name, value)
    return options


def facts(device: cuda_device.Device) -> dict[str, str]:
    """The machine: the card, the driver, versions."""
    version = cuda_driver.call("cuDriverGetVersion")
    major, minor = device.compute_capability
    return {
        "card": device.name,
        "compute capability": f"{major}.{minor}",
        "multiprocessors": str(device.multiprocessors),
        "memory": f"{device.memory / 1e9:.0f} GB",
        "driver for CUDA": f"{version // 1000}.{version % 1000 // 10}",
        **{name: fact for name, fact in machine.own_facts().items() if name not in ("code for", "cores")},
        **gpu_peers.versions(),
    }


def prepared(case: gpu_cases.Case) -> tuple[Calls, dict[str, str]]:
    """The calls that run and are right, and why others are not among them."""
    calls: dict[str, Any] = {}
    failed: dict[str, str] = {}
    for name, prepare in case.variants.items():
        try:
            call = prepare()
            failed[name] = case.problem(call())
            calls[name] = call
        except Exception as error:
            if isinstance(error, UserError) and error.slug == "cuda-launch":
                # After it a GPU does nothing more for the process.
                raise
            failed[name] = f"{type(error).__name__}: {error}"
    failed = {name: problem for name, problem in failed.items() if problem}
    return {name: call for name, call in calls.items() if name not in failed}, failed


def measure(options: argparse.Namespace, timer: Timer, kernel: str, matrix: str, size: int) -> Row:
    """Compare all results with SciPy's or NumPy's, and time who is right."""
    case = gpu_cases.KERNELS[kernel](matrix, size, options.dtype)
    calls, failed = prepared(case)
    times = timer.measure(calls, Plan(options.warm_up, options.runs, options.seconds))
    del calls
    gpu_peers.release_memory()
    return Row(case.kernel, case.matrix, size, case.entries, case.least_bytes, times, failed)


def run(options: argparse.Namespace, device: cuda_device.Device, console: Console) -> Results:
    """Measure what the options ask for."""
    timer = Timer(device, options.flush << 20)
    settings = {name: getattr(options, name) for name in ("entries", "dtype", "warm_up", "runs", "seconds", "flush")}
    date = datetime.now(UTC).date().isoformat()
    results = Results(MEASURED, date, facts(device), settings, absent=gpu_peers.absent())
    wanted = [
        (kernel, matrix, size)
        for size in options.entries
        for kernel in options.kernels or gpu_cases.KERNELS
        for matrix in options.matrices
    ]
    with console.status("measuring") as status:
        results.copy_bandwidth = timer.copy_bandwidth(options.copy << 20, options.warm_up)
        for kernel, matrix, size in wanted:
            status.update(f"measuring {kernel}, {matrix}, {size:,} entries")
            results.rows.append(measure(options, timer, kernel, matrix, size))
    timer.close()
    return results


def show(console: Console, results: Results) -> None:
    """The tables in the terminal, and before them what did not run or was wrong."""
    for line in failures(results):
        console.print(line, markup=False, highlight=False)
    copy = 0.0 if results.copy_bandwidth is None else results.copy_bandwidth
    console.print(f"{results.machine['card']}, driver for CUDA {results.machine['driver for CUDA']}")
    console.print(f"a copy moves {copy / 1e9:.0f} GB/s; ratios are how many times faster {OURS} is than each library")
    for headings, lines in tables(results):
        table = Table(header_style="bold")
        for number, heading in enumerate(headings):
            table.add_column(heading, justify="right" if number > 1 else "left")
        for line in lines:
            table.add_row(*line)
        console.print(table)


def main(arguments: list[str] | None = None) -> int:
    options = parse_arguments(arguments)
    console = Console()
    if not console.is_terminal:
        console = Console(width=LOG_WIDTH)
    try:
        device = cuda_device.device(options.device)
    except UserError as error:
        print(error, file=sys.stderr)
        return NO_CARD
    results = run(options, device, console)
    show(console, results)
    folder = DOCS / "benchmarks" if options.docs else options.output
    folder.mkdir(parents=True, exist_ok=True)
    results.write(folder / "gpu.json")
    if options.docs:
        subprocess.run([sys.executable, str(DOCS / "generate.py")], check=True)
    else:
        (folder / "gpu.md").write_text("\n".join(markdown(results)) + "\n", encoding="utf-8")
    console.print(f"written to {folder}")
    return 1 if results.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
