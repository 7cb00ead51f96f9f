"""How long the search for schedules takes and how much memory: `python -m benchmarks.search --help`.

Each kernel in a process of its own, one after the other. To compare all programs of SpMTTKRP takes minutes:
`SpMTTKRP --budget 4000000 --stage distinct_costs`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
if not __package__:
    sys.path.insert(0, str(ROOT))

from benchmarks.published_speedups import PUBLISHED  # noqa: E402
from benchmarks.report import duration, markdown_table, rounded  # noqa: E402

# The stages of `irtensor-autoschedule` after which costs have been compared.
STAGES = ("distinct_costs", "frontier", "classes")


def search(statement: str, stage: str, budget: int | None) -> dict[str, Any]:
    """The counts of a search by name, its seconds, and the most memory in bytes that its process had."""
    command = [sys.executable, "-m", "irtensor.tools.irtensor_autoschedule", statement, "--json", "--stage", stage]
    # Vectors are dense.
    command += [f"--dense={name}" for name in re.findall(r"(\w+)\[\w\]", statement)]
    command += [] if budget is None else ["--budget", str(budget)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    output = process.stdout.read()
    # What this process used, and no other that has been waited for.
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"the search for {statement} ended with {process.returncode}")
    found: dict[str, Any] = json.loads(output)
    counts = {name: count for name, count in found.items() if name not in ("depths", "costs")}
    return {**counts, "bytes": usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)}


def table(results: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """The results, as Markdown; where the budget ended the search, the number of costs says so."""
    lines: list[list[str]] = []
    for kernel, found in results.items():
        complete = found.get("complete", found["compared"] == found["universe"])
        compared = f"{found['compared']:,}{'' if complete else ', the budget'}"
        # Stages that did not run, or that a search does without, have no counts.
        different, members, classes = (f"{found[name]:,}" if name in found else "" for name in STAGES)
        memory = f"{found['bytes'] / 2**20:,.0f} MiB"
        times = [duration(found["seconds"]), memory]
        lines.append([kernel, f"{found['universe']:,}", compared, different, members, classes, *times])
    names = ["programs", "costs computed", "of them different", "programs of least cost", "least costs"]
    return markdown_table(["kernel", *names, "time", "memory"], lines)


def read_table(path: Path) -> Iterator[str]:
    """`table` of the last stored results."""
    return table(json.loads(path.read_text(encoding="utf-8")))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*", help=f"any of {', '.join(PUBLISHED)} (default: all)")
    parser.add_argument("--stage", choices=STAGES, default=STAGES[-1], help=f"where to stop (default {STAGES[-1]})")
    parser.add_argument("--budget", type=int, help="costs to compute at most (default: that of irtensor-autoschedule)")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "benchmarks", help="folder for the reports")
    parser.add_argument("--docs", action="store_true", help="write into docs/ and bring its pages up to date")
    options = parser.parse_args()
    if unknown := [name for name in options.kernels if name not in PUBLISHED]:
        parser.error(f"no such kernel: {', '.join(unknown)}")
    folder = ROOT / "docs" / "benchmarks" if options.docs else options.output
    path = folder / "search.json"
    # Kernels that are not searched keep their last measurements.
    known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for name in options.kernels or PUBLISHED:
        known[name] = rounded(search(PUBLISHED[name].statement, options.stage, options.budget))
        print(name, known[name], flush=True)
    folder.mkdir(parents=True, exist_ok=True)
    ordered = {name: known[name] for name in PUBLISHED if name in known}
    path.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")
    print("\n".join(read_table(path)))
    if options.docs:
        subprocess.run([sys.executable, str(ROOT / "docs" / "generate.py")], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
