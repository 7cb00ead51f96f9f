"""Times one program, in a process of its own: `python -m benchmarks.programs.measure NAME` prints JSON."""

from __future__ import annotations

import argparse
import json
from importlib import import_module
from time import process_time
from typing import Any

from benchmarks.threads import one_thread

if __name__ == "__main__":
    one_thread()

from benchmarks.interleave import interleaved, ratio, warm_allocator
from benchmarks.programs.program import OURS, Program


def program(name: str, small: bool) -> Program:
    """A program by the name of its module, at full size or at that of its tests."""
    module = import_module(f"benchmarks.programs.{name}")
    return module.make(**module.SMALL) if small else module.make()


def first_call(made: Program, competitor: str) -> float:
    """Seconds of processor time of the first call in this process."""
    call = made.competitors()[competitor]
    start = process_time()
    call()
    return process_time() - start


def steady(made: Program, seconds: float) -> dict[str, Any]:
    """Compare all results, and time all in turns; who is wrong is timed as well, and named."""
    competitors = made.competitors()
    wrong = made.wrong(competitors)
    timings = interleaved(competitors, seconds, fewest=3, clock=process_time)
    return {
        "title": made.title,
        "seconds": {name: timing.seconds for name, timing in timings.items()},
        "ratios": {name: ratio(timings, OURS, name) for name in timings if name != OURS},
        "wrong": wrong,
        "absent": made.absent(),
    }


def answer(arguments: list[str] | None = None) -> Any:
    """What a command line asks for: seconds of a first call, or all that `steady` says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", help="of the program's module")
    parser.add_argument("--first", metavar="COMPETITOR", help="time only the first call, of this one")
    parser.add_argument("--seconds", type=float, default=5.0, help="measuring time (default 5)")
    parser.add_argument("--small", action="store_true", help="the size of the tests")
    options = parser.parse_args(arguments)
    made = program(options.name, options.small)
    warm_allocator()
    return first_call(made, options.first) if options.first else steady(made, options.seconds)


if __name__ == "__main__":
    print(json.dumps(answer()))
