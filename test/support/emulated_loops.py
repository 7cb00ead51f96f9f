"""Functions of loops, as kernels for a GPU that the CPU emulates; barriers of theirs can be left out."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from loop_machine import parse
from xdsl.context import Context
from xdsl.dialects import llvm

from irtensor.dialects.loop.loop import BarrierOp
from irtensor.passes import get_all_passes
from irtensor.passes.pipelines import passes_between
from irtensor.passes.support.operations_in import operations_in
from irtensor.runtime.cpu_engine import compile_llvm_text
from irtensor.runtime.emit_llvm import emit_llvm, kernels_of
from irtensor.runtime.emulator import EmulatedKernels, context_address


class EmulatedLoops:
    """The function `kernel` of a module of loops, whose arguments are numbers and arrays.

    `without` says which of its barriers is left out, `barriers` how many there were; `kernels` are those launched.
    """

    def __init__(self, text: str, without: int | None = None) -> None:
        module = parse(text)
        for name in passes_between("loop", "nvvm"):
            get_all_passes()[name]()().apply(Context(), module)
            if name == "place-barriers":
                found = operations_in(module, BarrierOp)
                self.barriers = len(found)
                if without is not None:
                    found[without].detach()
        self.kernels = operations_in(kernels_of(module), llvm.FuncOp)
        self._kernels = EmulatedKernels(kernels_of(module))
        self._native = compile_llvm_text(emit_llvm(module), "kernel", imports=self._kernels.imports)

    def __call__(self, *arguments: Any) -> None:
        types = [ctypes.c_void_p if isinstance(one, np.ndarray) else ctypes.c_int64 for one in arguments]
        given = [one.ctypes.data if isinstance(one, np.ndarray) else one for one in arguments]
        assert self._native.as_ctypes(*types, ctypes.c_void_p)(*given, context_address()) == 0
