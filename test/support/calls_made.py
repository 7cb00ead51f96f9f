"""Counts how many functions something calls: a measure of its work that is the same on each machine."""

import sys
from collections.abc import Callable


def calls_made(work: Callable[[], object]) -> int:
    """How many functions are called, in Python and in C."""
    calls = 0

    def see(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(see)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls
