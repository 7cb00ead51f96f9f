"""Ops of the `loop` dialect on the first lanes of vectors, to intrinsics with masks."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerType, VectorType, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from irtensor.dialects.llvm import llvm_extra
from irtensor.dialects.loop.loop_types import vector_of
from irtensor.passes.llvm.support.function_builder import SLT, element_size, memory_type, register_type
from irtensor.passes.llvm.support.lower_memory import element_address
from irtensor.passes.llvm.support.lower_scalars import in_all_lanes, type_suffix

if TYPE_CHECKING:
    from irtensor.passes.llvm.support.function_lowering import FunctionLowering


@cache
def _numbers_of_lanes(lanes: int) -> DenseIntOrFPElementsAttr[IntegerType]:
    return DenseIntOrFPElementsAttr.from_list(VectorType(i64, (lanes,)), list(range(lanes)))


def _in_use(state: FunctionLowering, op: Operation) -> SSAValue:
    """For each lane, whether it is one of the first."""
    builder, type = state.builder, register_type(op.results[0].type)
    assert isinstance(type, VectorType)
    lanes = type.get_shape()[0]
    order, numbers = _numbers_of_lanes(lanes), vector_of(i64, lanes)
    counts = in_all_lanes(builder, state.values[op.operands[-1]], numbers)
    # LLVM has an intrinsic for this, which ends the process where its result goes to a gather and nothing is optimised.
    return builder.compare(SLT, builder.constant(order, numbers), counts)


def _size(type: Attribute) -> int:
    assert isinstance(type, VectorType)
    return element_size(type.element_type)


def _load_lanes(state: FunctionLowering, op: Operation) -> None:
    builder, type = state.builder, memory_type(op.results[0].type)
    address = element_address(state, op.operands[0], op.operands[1])
    operands = (address, builder.integer(_size(type), i32), _in_use(state, op), builder.zero(type))
    state.values[op.results[0]] = builder.intrinsic(f"llvm.masked.load.{type_suffix(type)}.p0", operands, type)


def _gather(state: FunctionLowering, op: Operation) -> None:
    builder, type = state.builder, memory_type(op.results[0].type)
    assert isinstance(type, VectorType)
    buffer, numbers, _ = op.operands
    addresses = builder.addresses(state.values[buffer], state.values[numbers], type.element_type)
    operands = (addresses, builder.integer(_size(type), i32), _in_use(state, op), builder.zero(type))
    suffix = f"{type_suffix(type)}.v{type.get_shape()[0]}p0"
    state.values[op.results[0]] = builder.intrinsic(f"llvm.masked.gather.{suffix}", operands, type)


def _select_lanes(state: FunctionLowering, op: Operation) -> None:
    first, other = state.values[op.operands[0]], state.values[op.operands[1]]
    operands = (_in_use(state, op), first, other)
    state.values[op.results[0]] = state.builder.value(llvm_extra.SelectLanesOp, operands, first.type)


LANE_HANDLERS: dict[str, Any] = {
    "loop.load_lanes": _load_lanes,
    "loop.gather": _gather,
    "loop.select_lanes": _select_lanes,
}
