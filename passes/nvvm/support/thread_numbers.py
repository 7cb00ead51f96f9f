"""Which thread of the grid a thread is, and how many there are."""

from __future__ import annotations

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i32, i64
from xdsl.ir import Operation, SSAValue

from irtensor.dialects.nvvm.nvvm import BlockIdOp, BlockSizeOp, GridSizeOp, ThreadIdOp
from irtensor.passes.llvm.support.function_builder import FunctionBuilder


def thread_of_grid(builder: FunctionBuilder) -> SSAValue:
    """The number of the thread in the grid, from 0."""
    before = builder.value(
        llvm.MulOp, (register_number(builder, BlockIdOp), register_number(builder, BlockSizeOp)), i64
    )
    return builder.add(before, register_number(builder, ThreadIdOp))


def threads_of_grid(builder: FunctionBuilder) -> SSAValue:
    """How many threads the grid has."""
    return builder.value(llvm.MulOp, (register_number(builder, GridSizeOp), register_number(builder, BlockSizeOp)), i64)


def register_number(builder: FunctionBuilder, register: type[Operation]) -> SSAValue:
    """What a register of the device has, as an index."""
    return builder.value(llvm.ZExtOp, (builder.value(register, (), i32),), i64)
