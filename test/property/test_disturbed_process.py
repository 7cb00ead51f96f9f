"""Threads that compile and call, forks, kills and signals at any moment: no wrong value, no hang, no crash."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[1] / "support" / "disturbed_process.py"
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")


def check(seed: int, folder: Path) -> None:
    environment = {**os.environ, "IRTENSOR_CACHE_DIR": str(folder / "cache")}
    # What a signal's handler raises in a finaliser is printed by Python, and lost.
    program = [sys.executable, "-W", "ignore", str(PROGRAM), str(seed)]
    ran = subprocess.run(program, env=environment, cwd=folder, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, f"seed {seed}: status {ran.returncode}\n{ran.stderr[-3000:]}"


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(3))
def test_a_disturbed_process(seed, tmp_path):
    check(seed, tmp_path)


@pytest.mark.soak
def test_more_disturbed_processes(soak_seeds, tmp_path):
    for seed in soak_seeds:
        check(seed, tmp_path)
