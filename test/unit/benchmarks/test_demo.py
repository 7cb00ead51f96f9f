"""The tour shows what it says; its kernels and times are left to `make demo`."""

import subprocess
import sys
from pathlib import Path

SHOWN = "from rich.console import Console; from benchmarks.demo import show_refusal; show_refusal(Console(width=200))"


def test_what_cannot_be_compiled_is_refused():
    # In a process of its own, because the tour runs on one thread.
    root = Path(__file__).resolve().parents[3]
    run = subprocess.run([sys.executable, "-c", SHOWN], cwd=root, capture_output=True, text=True, check=True)
    assert "error: [loop-order-cycle] operand 0 needs loop j before i" in run.stdout
    assert "help: pass a copy of operand 0" in run.stdout
