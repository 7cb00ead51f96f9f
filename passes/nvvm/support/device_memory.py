"""Fills and copies on the device: loops over elements, where a CPU has functions of its system."""

from __future__ import annotations

from typing import Any

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ComplexType, i64
from xdsl.ir import Operation

from irtensor.dialects.loop.loop_types import held_type
from irtensor.dialects.support.create_operation import create_block
from irtensor.passes.llvm.support.function_builder import SLT, ULE, element_size, memory_type
from irtensor.passes.llvm.support.lower_memory import element_address, fill_by_loop
from irtensor.passes.nvvm.support.kernel_lowering import KernelLowering


def _copy(state: KernelLowering, op: Operation) -> None:
    """From the first element on, or from the last one where the target lies behind the source, which it may overlap."""
    builder, values = state.builder, state.values
    source, source_index, target, target_index, count = op.operands
    element = held_type(source)
    unit, parts = memory_type(element), 2 if isinstance(element, ComplexType) else 1
    units = builder.value(llvm.MulOp, (values[count], builder.integer(parts)), i64)
    begin, end = element_address(state, source, source_index), element_address(state, target, target_index)
    forward = builder.compare(ULE, *(builder.value(llvm.PtrToIntOp, (address,), i64) for address in (end, begin)))
    last = builder.value(llvm.SubOp, (units, builder.integer(1)), i64)
    body, after = create_block((i64,)), create_block()
    builder.branch_if(builder.compare(SLT, builder.integer(0), units), body, (builder.integer(0),), after)
    builder.start(body)
    number = body.args[0]
    address = builder.select(forward, number, builder.value(llvm.SubOp, (last, number), i64))
    size = element_size(unit)
    value = builder.load(builder.address(begin, address, unit), unit, size)
    builder.store(value, builder.address(end, address, unit), size)
    following = builder.add(number, builder.integer(1))
    builder.branch_if(builder.compare(SLT, following, units), body, (following,), after)
    builder.start(after)


DEVICE_MEMORY: dict[str, Any] = {"loop.fill": fill_by_loop, "loop.copy": _copy}
