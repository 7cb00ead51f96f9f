"""Values that lanes of a team pass to each other: a shuffle for each 32 bits."""

from __future__ import annotations

from typing import Any

from xdsl.dialects import llvm
from xdsl.dialects.builtin import Float32Type, IntegerType, i32, i64
from xdsl.ir import SSAValue

from irtensor.core.schedule_words import WARP
from irtensor.dialects.nvvm.nvvm import ShuffleKindAttr, ShuffleOp, ThreadIdOp
from irtensor.dialects.support.expect import expect
from irtensor.passes.llvm.support.function_builder import FunctionBuilder, element_size

_EXCHANGE = ShuffleKindAttr.of("bfly")


def mask_of_team(builder: FunctionBuilder, lanes: int) -> SSAValue:
    """The lanes of the warp that are of the thread's team of so many: one bit for each."""
    if lanes == WARP:
        return builder.integer(-1, i32)
    thread = builder.value(ThreadIdOp, (), i32)
    first = builder.value(llvm.AndOp, (thread, builder.integer(WARP - lanes, i32)), i32)
    return builder.value(llvm.ShlOp, (builder.integer((1 << lanes) - 1, i32), first), i32)


def exchanged(builder: FunctionBuilder, value: Any, distance: int, lanes: int) -> Any:
    """What the lane so far away has: its number differs in the one bit of `distance`."""
    if isinstance(value, tuple):
        return tuple(exchanged(builder, part, distance, lanes) for part in value)
    if isinstance(value.type, Float32Type):
        return _shuffle(builder, value, distance, lanes)
    if isinstance(value.type, IntegerType):
        return _exchanged_integer(builder, value, distance, lanes)
    bits = IntegerType(8 * element_size(value.type))
    other = _exchanged_integer(builder, builder.value(llvm.BitcastOp, (value,), bits), distance, lanes)
    return builder.value(llvm.BitcastOp, (other,), value.type)


def _exchanged_integer(builder: FunctionBuilder, value: SSAValue, distance: int, lanes: int) -> SSAValue:
    width = expect(value.type, IntegerType).width.data
    if width == 32:
        return _shuffle(builder, value, distance, lanes)
    if width < 32:
        other = _shuffle(builder, builder.value(llvm.ZExtOp, (value,), i32), distance, lanes)
        return builder.value(llvm.TruncOp, (other,), value.type)
    half = builder.integer(32)
    upper = builder.value(llvm.LShrOp, (value, half), i64)
    halves = [builder.value(llvm.TruncOp, (part,), i32) for part in (value, upper)]
    low, high = (builder.value(llvm.ZExtOp, (_shuffle(builder, one, distance, lanes),), i64) for one in halves)
    return builder.value(llvm.OrOp, (low, builder.value(llvm.ShlOp, (high, half), i64)), i64)


def _shuffle(builder: FunctionBuilder, value: SSAValue, distance: int, lanes: int) -> SSAValue:
    # The last lane of a warp, and behind it which bits of a lane's number say in which team it is.
    clamp = builder.integer(WARP - lanes << 8 | WARP - 1, i32)
    operands = mask_of_team(builder, lanes), value, builder.integer(distance, i32), clamp
    return builder.value(ShuffleOp, operands, value.type, {"kind": _EXCHANGE})
