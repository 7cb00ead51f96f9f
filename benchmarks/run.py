"""Benchmarks irtensor against SciPy, NumPy and whatever else is installed: `python -m benchmarks.run --help`."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

# One thread for everybody; has to be said before a library starts its threads.
for _name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "IRTENSOR_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import kernels, latency  # noqa: E402
from benchmarks.interleave import interleaved, ratio  # noqa: E402
from benchmarks.report import Row, latency_lines, plot  # noqa: E402


def measure(name: str, scale: float, seconds: float) -> Row:
    """Run one case and compare its result with the reference's."""
    case = kernels.CASES[name](scale)
    correct = case.check(case.competitors[kernels.OURS](), case.competitors[case.reference]())
    timings = interleaved(case.competitors, seconds)
    peers = [peer for peer in case.competitors if peer != kernels.OURS]
    ratios = {peer: ratio(timings, kernels.OURS, peer) for peer in peers}
    return Row(name, case.title, timings[kernels.OURS].seconds, ratios, case.goal, correct)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", help=f"any of {', '.join(kernels.CASES)} (default: all)")
    parser.add_argument("--scale", type=float, default=None, help="size of the inputs; 1 is full size (default 1)")
    parser.add_argument("--quick", action="store_true", help="a tenth of the size, under a minute in all")
    parser.add_argument("--seconds", type=float, default=None, help="measuring time per case")
    parser.add_argument("--no-latency", action="store_true", help="leave out compile latency and call overhead")
    parser.add_argument("--output", type=Path, default=Path("build/benchmarks"), help="folder for table and chart")
    options = parser.parse_args()
    unknown = [case for case in options.cases if case not in kernels.CASES]
    if unknown:
        parser.error(f"no such case: {', '.join(unknown)}")
    scale = options.scale or (0.1 if options.quick else 1.0)
    seconds = options.seconds or (0.5 if options.quick else 3.0)
    lines: list[str] = []

    def show(line: str) -> None:
        print(line, flush=True)
        lines.append(line)

    rows: list[Row] = []
    for name in options.cases or kernels.CASES:
        rows.append(measure(name, scale, seconds))
        show(rows[-1].line())
    if not options.no_latency:
        for line in latency_lines(latency.compile_latency()):
            show(line)
        for title, cost in latency.call_overhead().items():
            show(f"one call, {title:<30} {1e6 * cost:8.1f} us")
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "table.txt").write_text("\n".join(lines) + "\n")
    plot(rows, options.output / "ratios.png")
    return 0 if all(row.correct for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
