"""What a launch has to know of a kernel beside its address."""

from __future__ import annotations

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp

from irtensor.dialects.llvm.kernel_attributes import KERNEL, MAXIMAL_THREADS
from irtensor.runtime.launch_code import KernelShape


def kernel_shapes(kernels: ModuleOp) -> dict[str, KernelShape]:
    """The kernels of a module by their names, in the order of their numbers."""
    functions = [op for op in kernels.body.block.ops if isinstance(op, llvm.FuncOp) and KERNEL in op.attributes]
    return {one.sym_name.data: KernelShape(len(one.function_type.inputs), _threads(one)) for one in functions}


def _threads(kernel: llvm.FuncOp) -> int:
    found = kernel.attributes.get(MAXIMAL_THREADS)
    return int(found.get_values()[0]) if isinstance(found, DenseArrayBase) else 0
