"""Runs kernels for a GPU on the CPU, from the same code: so they can be tried, and tested, without a card."""

from __future__ import annotations

import ctypes
import re
from typing import Any

import numpy as np
from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp

from irtensor.runtime.cpu_engine import NativeFunction, compile_llvm_text
from irtensor.runtime.emit_nvvm import emit_nvvm
from irtensor.runtime.emulator_code import emulator_code
from irtensor.runtime.llvm_text import type_text
from irtensor.runtime.thread_pool import note_failure
from irtensor.runtime.thread_pool_code import Context

# A small grid: fewer threads than iterations, so that what has to hold from one to the next is tried as well.
BLOCKS, THREADS = 3, 4
_UNITS = BLOCKS * THREADS
# Functions of NVIDIA's library for devices, of which the names are those of C behind this.
_LIBDEVICE = re.compile(r"@__nv_(\w+)\(")
_LAUNCH = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
# With the interpreter held: no other thread has a use for the numbers of the threads meanwhile.
_RUN = ctypes.PYFUNCTYPE(
    None, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32, ctypes.c_int64, ctypes.c_void_p
)
_context = Context(None, _UNITS, 1, _UNITS, None, None)
# In which order the threads of a grid run: forward, backward, or shuffled by a random generator.
order: str | np.random.Generator = "forward"


def context_address() -> int:
    """What host code for emulated kernels is passed about the device."""
    return ctypes.addressof(_context)


class EmulatedKernels:
    """The kernels of a module, compiled for the CPU; `imports` are the functions by which host code launches them."""

    def __init__(self, kernels: ModuleOp) -> None:
        functions = [op for op in kernels.body.block.ops if isinstance(op, llvm.FuncOp) and op.body.blocks]
        text = _LIBDEVICE.sub(r"@\1(", emit_nvvm(kernels))
        code = emulator_code(text, {function.sym_name.data: _types(function) for function in functions})
        exports = ("irtensor.emulate", "irtensor.read")
        self.native: NativeFunction = compile_llvm_text(code, exports[0], effort="none", exports=exports[1:])
        self._run = _RUN(self.native.address)
        self._launch = _LAUNCH(self._launched)
        launch = ctypes.cast(self._launch, ctypes.c_void_p).value
        assert launch is not None
        self.imports = {"irtensor.launch": launch, "irtensor.read": self.native.address_of("irtensor.read")}

    def _launched(self, context: int, number: int, iterations: int, words: int) -> int:
        try:
            threads = _ordered(_UNITS)
            self._run(number, words, BLOCKS, THREADS, len(threads), threads.ctypes.data)
        except BaseException as error:
            return note_failure(error)
        return 0


def _ordered(count: int) -> np.ndarray[Any, Any]:
    threads = np.arange(count, dtype=np.int32)
    if isinstance(order, str):
        return threads if order == "forward" else np.ascontiguousarray(threads[::-1])
    return order.permutation(threads)


def _types(function: llvm.FuncOp) -> list[str]:
    return [type_text(type) for type in function.function_type.inputs]
