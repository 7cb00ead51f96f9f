"""What a launch has to know of a kernel beside its address."""

from __future__ import annotations

from typing import NamedTuple

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp

from irtensor.dialects.kernel_attributes import MAXIMAL_THREADS


class KernelShape(NamedTuple):
    """How many words of eight bytes the arguments of a kernel take, and how many threads a block has.

    Where a kernel says how many threads a block has, an iteration of it is for a block. Where it does not, `threads` is
    0, and an iteration is for a thread.
    """

    words: int
    threads: int = 0


def kernel_shapes(kernels: ModuleOp) -> dict[str, KernelShape]:
    """The kernels of a module by their names, in the order of their numbers."""
    functions = [op for op in kernels.body.block.ops if isinstance(op, llvm.FuncOp) and op.body.blocks]
    return {one.sym_name.data: KernelShape(len(one.function_type.inputs), _threads(one)) for one in functions}


def _threads(kernel: llvm.FuncOp) -> int:
    found = kernel.attributes.get(MAXIMAL_THREADS)
    return int(found.get_values()[0]) if isinstance(found, DenseArrayBase) else 0
