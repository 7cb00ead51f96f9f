"""One thread for everybody."""

from __future__ import annotations

import os


def one_thread() -> None:
    """Ask every library for a single thread; has to run before NumPy and the others are imported."""
    for name in ("OMP", "MKL", "OPENBLAS", "NUMBA", "IRTENSOR"):
        os.environ[f"{name}_NUM_THREADS"] = "1"
    os.environ["MKL_THREADING_LAYER"] = "SEQUENTIAL"
