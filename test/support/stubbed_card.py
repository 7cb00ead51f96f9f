"""Kernels that the driver of stub_libcuda.c launches, run on the CPU: for the child processes of cuda_stub.

The memory of the "card" is the host's.
"""

from __future__ import annotations

import ctypes
import gc
import os
from collections.abc import Callable, Sequence
from typing import Any

from effort import lower_effort
from xdsl.dialects.builtin import ModuleOp

from irtensor.late_imports import load_for
from irtensor.runtime import cpu_engine, emit_nvvm, emulator
from irtensor.runtime.cuda_launch import host_imports
from irtensor.runtime.device_code import DeviceCode
from irtensor.runtime.emulated_threads import emulator_functions
from irtensor.runtime.emulator import EmulatedKernels
from irtensor.runtime.nvptx_targets import Processor

# Once for all children: what they import, LLVM, and the functions that emulate threads.
load_for("gpus")
load_for("cards")
load_for("searching")
cpu_engine.gathers_pay()
emulator_functions()
lower_effort()
# At its end, a child then looks for garbage only among what it has made itself.
gc.collect()
gc.freeze()

_RUN = ctypes.CFUNCTYPE(
    ctypes.c_int,
    ctypes.c_char_p,
    ctypes.c_char_p,
    ctypes.c_uint,
    ctypes.c_uint,
    ctypes.POINTER(ctypes.c_void_p),
)
_LAUNCH = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)


def launched_by(find: Callable[[bytes], tuple[EmulatedKernels, Sequence[str]] | None]) -> Any:
    """Let launches run what `find` gives for the PTX of a module: its kernels, and their names by number, or nothing.

    What is given back has to be kept as long as there are launches.
    """

    def run(ptx: bytes, name: bytes, blocks: int, threads: int, arguments: Any) -> int:
        found = find(ptx)
        if found is None:
            return 0
        emulated, names = found
        launch = _LAUNCH(emulated.imports["irtensor.launch"])
        # Words follow each other, as host code has packed them.
        words = arguments[0] if arguments else 0
        return launch(emulator.context_address(), names.index(name.decode()), blocks * threads, words)

    kept = _RUN(run)
    ctypes.CDLL("libcuda.so.1").stub_runs_kernels_by(kept)
    return kept


class EmulatedCard:
    """All kernels that are compiled for the card from now on are emulated when they are launched."""

    def __init__(self) -> None:
        self.modules: dict[str, ModuleOp] = {}
        self.codes: dict[bytes, DeviceCode] = {}
        self.emulated: dict[bytes, EmulatedKernels] = {}
        # PTX of kernels that do nothing here: those that nobody has compiled.
        self.idle: set[bytes] = set()
        # What the runtime itself is of comes from the disk; of kernels that do, the modules are not known.
        host_imports()
        os.environ["IRTENSOR_DISK_CACHE"] = "0"
        self._note_modules()
        self._note_codes()
        self.kept = launched_by(self._find)

    def _find(self, ptx: bytes) -> tuple[EmulatedKernels, Sequence[str]] | None:
        if ptx in self.idle:
            return None
        code = self.codes[ptx]
        if ptx not in self.emulated:
            self.emulated[ptx] = EmulatedKernels(self.modules[code.text])
        return self.emulated[ptx], list(code.shapes)

    def _note_modules(self) -> None:
        emit = emit_nvvm.emit_nvvm

        def noting(module: ModuleOp) -> str:
            text = emit(module)
            self.modules[text] = module
            return text

        emit_nvvm.emit_nvvm = noting

    def _note_codes(self) -> None:
        make = DeviceCode._ptx

        codes = self.codes

        def noting(self: DeviceCode, processor: Processor) -> str:
            ptx = make(self, processor)
            codes[ptx.encode()] = self
            return ptx

        DeviceCode._ptx = noting
