"""How long a new process takes until it has its first result: compiling, and with the code in the disk cache."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from time import perf_counter

_NUMPY = "import numpy"
_FIRST_RESULT = """
import numpy as np
import irtensor as it
A = it.Tensor.from_coo(np.array([[0, 1, 2], [1, 2, 0]]), np.ones(3), shape=(3, 3), format=it.CSR)
it.einsum("ij,j->i", A, np.ones(3))
"""


def _seconds(program: str, environment: dict[str, str]) -> float:
    start = perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
    return perf_counter() - start


def cold_start(rounds: int = 7) -> dict[str, float]:
    """Seconds beyond `import numpy` from the start of a process to the result of SpMV; the best of several."""
    with tempfile.TemporaryDirectory(prefix="irtensor-benchmark-") as folder:
        inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        cached = {**inherited, "IRTENSOR_CACHE_DIR": folder, "IRTENSOR_DISK_CACHE": "1"}
        uncached = {**inherited, "IRTENSOR_DISK_CACHE": "0"}
        runs = {
            "import irtensor": ("import numpy, irtensor", uncached),
            "first SpMV, code in the disk cache": (_FIRST_RESULT, cached),
            "first SpMV, compiled": (_FIRST_RESULT, uncached),
        }
        times: dict[str, list[float]] = {name: [] for name in (_NUMPY, *runs)}
        # The round that fills the caches, Python's as well, does not count.
        for number in range(rounds + 1):
            for name, (program, environment) in {_NUMPY: (_NUMPY, inherited), **runs}.items():
                seconds = _seconds(program, environment)
                if number:
                    times[name].append(seconds)
    base = min(times.pop(_NUMPY))
    return {name: min(taken) - base for name, taken in times.items()}
