"""The tool that times statements beside their parts."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_each_cut_is_timed_and_its_result_compared():
    case = "y[i] = max(sum(j, A[i,j] * x[j]), 0) | A csr"
    code = [sys.executable, str(ROOT / "test" / "time_cuts.py"), "-c", case, "--rounds", "1"]
    shown = subprocess.run(code, capture_output=True, text=True, check=True).stdout.splitlines()
    first, _, _, slowest, text = shown
    assert case in first
    assert case in slowest
    assert text.strip() in (
        "T[i] = sum(j, A[i, j] * x[j]); y[i] = max(T[i], 0)",
        "T[i, j] = A[i, j]; y[i] = max(sum(j, T[i, j] * x[j]), 0)",
        "T[i, j] = A[i, j] * x[j]; y[i] = max(sum(j, T[i, j]), 0)",
    )
