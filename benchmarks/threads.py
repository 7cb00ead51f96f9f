"""How many threads everybody uses: one, unless `--threads` says otherwise."""

from __future__ import annotations

import os
import sys


def requested() -> int:
    """What the command line asks for; it is read before anything that parses it can be imported."""
    words = sys.argv[1:]
    if "--threads" in words[:-1] and (text := words[words.index("--threads") + 1]).isdigit():
        return max(1, int(text))
    return 1


def set_threads(count: int) -> None:
    """Ask every library for so many threads; has to run before NumPy and the others are imported."""
    for name in ("OMP", "MKL", "OPENBLAS", "NUMBA", "IRTENSOR"):
        os.environ[f"{name}_NUM_THREADS"] = str(count)
    # Threads of OpenMP that wait for the next call of their library would keep a core from the calls in between.
    os.environ["OMP_WAIT_POLICY"], os.environ["KMP_BLOCKTIME"] = "PASSIVE", "0"
    os.environ["MKL_THREADING_LAYER"] = "SEQUENTIAL" if count == 1 else "INTEL"


def one_thread() -> None:
    """Ask every library for a single thread; has to run before NumPy and the others are imported."""
    set_threads(1)
