"""Statements whose host code launches kernels by the driver of stub_libcuda.c, which runs them on the CPU.

For the child processes of cuda_stub. The memory of the "card" is the host's: arrays of the host are passed as they are.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from llvm_modules import parse_llvm
from stubbed_card import launched_by
from xdsl.dialects import llvm

import irtensor as it
from irtensor.core.argument_layout import argument_name, tensor_arguments
from irtensor.runtime import cuda_device, cuda_launch
from irtensor.runtime.array_address import array_address
from irtensor.runtime.cpu_engine import compile_llvm_text
from irtensor.runtime.emit_llvm import emit_llvm, kernels_of
from irtensor.runtime.emulator import EmulatedKernels
from irtensor.runtime.kernel_shapes import KernelShape, kernel_shapes


class Statement:
    """The host code of a statement, and its kernels."""

    def __init__(self, statement: str, formats: dict[str, Any]) -> None:
        module = parse_llvm(it.compile(statement, formats=formats, target="cuda-emulated").ir("nvvm"))
        functions = [op for op in module.body.block.ops if isinstance(op, llvm.FuncOp) and op.body.blocks]
        (host,) = functions
        self.names = [argument.name_hint for argument in host.body.blocks[0].args][:-1]
        module_of_kernels = kernels_of(module)
        shapes = kernel_shapes(module_of_kernels)
        self._run_by(EmulatedKernels(module_of_kernels), list(shapes))
        self.loaded = cuda_launch.LoadedKernels(cuda_device.device(), _ptx(shapes), shapes, statement)
        native = compile_llvm_text(emit_llvm(module), host.sym_name.data, imports=cuda_launch.host_imports())
        self.function = native.as_ctypes(*[ctypes.c_void_p] * (len(self.names) + 1))

    def _run_by(self, emulated: EmulatedKernels, names: list[str]) -> None:
        self.kept = launched_by(lambda ptx: (emulated, names))

    def __call__(self, known: dict[str, int], slots: Any = ()) -> int:
        """The status, for arguments by their names, and slots of growables for those without."""
        growables = iter(
            range(ctypes.addressof(slots), ctypes.addressof(slots) + ctypes.sizeof(slots), 24) if slots else ()
        )
        arguments = [known[name] if name in known else next(growables) for name in self.names]
        return self.loaded.run(self.function, arguments)


def _ptx(shapes: dict[str, KernelShape]) -> str:
    return "\n".join(
        f".entry {name}({', '.join(['.param .u64 p'] * shape.words)}) {{ ret; }}" for name, shape in shapes.items()
    )


def arguments_of(name: str, operand: Any) -> dict[str, int]:
    """Extents and addresses of an operand, by the names that host code has for them."""
    if isinstance(operand, np.ndarray):
        extents = {f"{name}_n{number}": extent for number, extent in enumerate(operand.shape)}
        return {**extents, f"{name}_vals": array_address(operand)}
    values = operand.arguments()
    return {
        argument_name(name, argument): value
        for argument, value in zip(tensor_arguments(operand.format, False), values, strict=True)
    }
