"""Child processes that find a driver of CUDA without a card, stub_libcuda.c, behind NVIDIA's real Python bindings.

The bindings are installed by make venv on Linux. Tests are skipped where they, or a C compiler, are missing.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import subprocess
import textwrap
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NamedTuple

import pytest
from forked_children import Children

ROOT = Path(__file__).parents[2]
SOURCE = Path(__file__).with_name("stub_libcuda.c")
# What children use, if it takes long to load and little time to leave at their end.
_MODULES = ("numpy", "irtensor", "irtensor.runtime.cuda_device", "cuda.bindings.driver")
# Code of children can use what tests use most.
_BEGIN = """
import ctypes, json, sys
import numpy as np
import irtensor as it
from irtensor.runtime import cuda_device, cuda_driver, cuda_errors

def show(*values):
    for value in values:
        print("shown", json.dumps(value), flush=True)

def raised(call):
    try:
        call()
    except Exception as error:
        return type(error).__name__ + ": " + str(error)
    return "nothing"

"""
# And, where kernels are to run, operands of some.
_ON_CARD = """
from stubbed_card import EmulatedCard

card = EmulatedCard()
a = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]])
x = np.array([1.0, 2.0, 4.0])
A, X = it.Tensor.from_numpy(a, "csr").to_device(), it.cuda.to_device(x)
SPMV = "y[i] = A[i,j] * x[j]"

def compiled(statement, formats=dict(A=it.CSR), **options):
    return it.compile(statement, formats=formats, target="cuda", **options)
"""


class Ran(NamedTuple):
    """What a child showed by `show(...)`, and the calls that the driver received."""

    shown: list[Any]
    calls: list[str]

    def named(self, *names: str) -> list[str]:
        return [call for call in self.calls if call.split()[0] in names]

    def kept(self) -> set[str]:
        """Addresses of memory that was not given back."""
        given = [call.split()[1] for call in self.named("gives")]
        for call in self.named("cuMemFreeAsync"):
            given.remove(call.split()[1])
        return {*given}


def has_bindings() -> bool:
    try:
        return find_spec("cuda.bindings.driver") is not None
    except ModuleNotFoundError:
        return False


@cache
def _stub() -> Path | None:
    """The folder of the driver, compiled for this process; None where there is no compiler."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return None
    folder = Path(mkdtemp(prefix="irtensor-stub-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    command = [
        compiler,
        "-Wall",
        "-Werror",
        "-shared",
        "-fPIC",
        "-o",
        str(folder / "libcuda.so.1"),
        str(SOURCE),
        "-ldl",
    ]
    subprocess.run(command, check=True)
    return folder


@cache
def _children(modules: tuple[str, ...]) -> Children | None:
    """What starts children that find the driver; None where there is no compiler."""
    folder = _stub()
    return None if folder is None else Children(modules, {**os.environ, "LD_LIBRARY_PATH": str(folder)})


def run_with_stub(
    code: str,
    *,
    fail: str = "",
    devices: int = 1,
    memory: int | None = None,
    modules: tuple[str, ...] = _MODULES,
    **variables: str,
) -> Ran:
    """Run code in a process of its own; `fail` says which calls fail, as stub_libcuda.c takes it.

    `modules` are loaded in it already.
    """
    if not has_bindings():
        pytest.skip("needs cuda-bindings")
    children = _children(modules)
    if children is None:
        pytest.skip("needs a C compiler")
    log = Path(mkdtemp(prefix="irtensor-stub-log-")) / "log"
    settings = {"CUDA_STUB_LOG": str(log), "CUDA_STUB_FAIL": fail, "CUDA_STUB_DEVICES": str(devices)}
    settings |= {} if memory is None else {"CUDA_STUB_MEMORY": str(memory)}
    try:
        ended = children.run(_BEGIN + textwrap.dedent(code), {**os.environ, **settings, **variables})
        assert ended.code == 0 and not ended.errors, ended
        shown = [line.removeprefix("shown ") for line in ended.output.splitlines() if line.startswith("shown ")]
        return Ran([json.loads(line) for line in shown], log.read_text().splitlines() if log.exists() else [])
    finally:
        shutil.rmtree(log.parent)


def run_on_card(code: str, *, to_the_end: bool = False, **settings: Any) -> Ran:
    """The same where the driver runs kernels, emulated: see stubbed_card.

    `to_the_end` is for who asks what the process gives back last: all that modules have is freed as well.
    """
    begin = f"import gc\ngc.unfreeze()\n{_ON_CARD}" if to_the_end else _ON_CARD
    return run_with_stub(begin + textwrap.dedent(code), modules=(*_MODULES, "stubbed_card"), **settings)
