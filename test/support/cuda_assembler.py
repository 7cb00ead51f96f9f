"""NVIDIA's assembler of PTX, for tests that check what is made for it; make venv installs it on Linux."""

import os
import shutil
import subprocess
from importlib import import_module
from pathlib import Path

import pytest


def _of_package() -> str | None:
    try:
        return import_module("cuda.pathfinder").find_nvidia_binary_utility("ptxas")
    except ModuleNotFoundError:
        return None


PTXAS = os.environ.get("IRTENSOR_PTXAS") or shutil.which("ptxas") or _of_package()
needs_ptxas = pytest.mark.skipif(PTXAS is None, reason="there is no ptxas")


def assemble(ptx: str, arch: str, folder: Path) -> str:
    """What ptxas says about a program: registers, stack and shared memory. The program must be accepted."""
    source = folder / "kernel.ptx"
    source.write_text(ptx)
    assert PTXAS is not None
    command = [PTXAS, "-v", f"-arch={arch}", str(source), "-o", str(folder / "kernel.cubin")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stderr
