"""Measures the costs by which programs and the division of loops are chosen: `python -m benchmarks.step_costs --help`.

They are in `passes/support/step_costs.py`, with what each of them is a cost of. Kernels run on one thread.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
if not __package__:
    sys.path.insert(0, str(ROOT))

from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

from benchmarks.interleave import warm_allocator  # noqa: E402
from benchmarks.machine import processor  # noqa: E402
from benchmarks.report import rounded  # noqa: E402
from benchmarks.step_kernels import StepKernels  # noqa: E402
from irtensor.passes.support.step_costs import ITERATIONS, STEPS  # noqa: E402

# The costs in each unit, by the name of the unit.
TABLES: dict[str, Any] = {"step": STEPS, "iteration": ITERATIONS}
NAMES = {field.name: unit for unit, costs in TABLES.items() for field in fields(costs)}
# So many of them take as long as one iteration, where others take as long as so many.
PARTS = ("lanes", "fills")


@dataclass(frozen=True)
class Row:
    """A cost as it is stored and as it is measured, in units; `seconds` is what it takes once."""

    name: str
    unit: str
    meaning: str
    stored: float
    measured: float
    seconds: float

    @property
    def ratio(self) -> float:
        """How many times as large it is now."""
        return self.measured / self.stored


def measure(name: str, kernels: StepKernels, step: float) -> Row:
    """Measure one cost; a step takes so many seconds."""
    unit = NAMES[name]
    (field,) = (one for one in fields(TABLES[unit]) if one.name == name)
    seconds = getattr(kernels, name)()
    own = step if unit == "step" else kernels.iteration
    # A difference within noise may be less than nothing.
    measured = own / max(seconds, 1e-15) if name in PARTS else seconds / own
    return Row(name, unit, field.metadata["meaning"], getattr(TABLES[unit], name), measured, seconds)


def fitting_step(rows: Iterable[Row]) -> float | None:
    """Seconds of a step for which half of the measured costs are less than is stored, and half are more."""
    steps = [row.seconds / row.stored for row in rows if row.unit == "step"]
    return median(steps) if steps else None


def table(rows: Sequence[Row], step: float, iteration: float) -> Table:
    """The table: numbers are in steps, or in iterations for the costs by which loops are divided."""
    title = f"costs, one step is {1e9 * step:.2f} ns, one iteration {1e9 * iteration:.2f} ns"
    fitting = fitting_step(rows)
    if fitting is not None:
        title += f"; the stored ones fit steps of {1e9 * fitting:.2f} ns"
    found = Table(title=title, title_justify="left", title_style="bold", header_style="bold")
    found.add_column("cost")
    for name in ("stored", "measured", "ratio", "time"):
        found.add_column(name, justify="right", no_wrap=True)
    found.add_column("of what")
    unit = ""
    for row in rows:
        if unit not in ("", row.unit):
            found.add_section()
        unit = row.unit
        numbers = (f"{row.stored:,.4g}", f"{row.measured:,.3g}", f"{row.ratio:.2f}×")
        found.add_row(row.name, *numbers, _time(row.seconds), row.meaning)
    return found


def _time(seconds: float) -> str:
    """In nanoseconds, or in the unit that suits a longer time."""
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * scale >= 1.0:
            return f"{seconds * scale:.3g} {unit}"
    return f"{1e9 * seconds:.2f} ns"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("costs", nargs="*", help=f"any of {', '.join(NAMES)} (default: all)")
    parser.add_argument("--step", type=float, metavar="NS", help="nanoseconds of a step (default: those measured)")
    parser.add_argument("--scale", type=float, default=1.0, help="size of the operands; 1 is some 2^17 entries")
    parser.add_argument("--seconds", type=float, default=1.0, help="measuring time per kernel")
    parser.add_argument("--json", action="store_true", help="print the measurements as JSON instead of a table")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "benchmarks", help="folder for the reports")
    options = parser.parse_args()
    if unknown := [name for name in options.costs if name not in NAMES]:
        parser.error(f"no such cost: {', '.join(unknown)}")
    warm_allocator()
    kernels = StepKernels(options.scale, options.seconds)
    step = kernels.step if options.step is None else 1e-9 * options.step
    rows = [measure(name, kernels, step) for name in NAMES if name in (options.costs or NAMES)]
    units = {"step": step, "iteration": kernels.iteration}
    results = rounded({"processor": processor(), "units": units, "costs": [asdict(row) for row in rows]})
    options.output.mkdir(parents=True, exist_ok=True)
    text = json.dumps(results, indent=1)
    (options.output / "step_costs.json").write_text(text + "\n", encoding="utf-8")
    if options.json:
        print(text)
    else:
        Console().print(table(rows, **units))
    return 0


if __name__ == "__main__":
    sys.exit(main())
