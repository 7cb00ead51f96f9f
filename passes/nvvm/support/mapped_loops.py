"""Loops on blocks, teams, lanes and threads, on the device: what each thread does of them."""

from __future__ import annotations

from typing import Any

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ComplexType, IntAttr, SymbolRefAttr, i64
from xdsl.ir import Attribute, Operation, SSAValue

from irtensor.dialects.llvm.kernel_attributes import MOST_SHARED, SHARED_SPACE
from irtensor.dialects.loop.loop import ReduceOp, SharedOp
from irtensor.dialects.loop.loop_types import held_type
from irtensor.dialects.loop.loop_units import loop_around, units_of
from irtensor.dialects.nvvm.nvvm import BlockBarrierOp, BlockIdOp, GridSizeOp, ThreadIdOp, WarpBarrierOp
from irtensor.dialects.support.create_operation import create_block
from irtensor.passes.llvm.support.function_builder import EQ, NO_WRAP, SLT, memory_type
from irtensor.passes.llvm.support.lower_atomics import yielded
from irtensor.passes.llvm.support.lower_memory import read_cell, write_cell
from irtensor.passes.nvvm.support.kernel_lowering import ALIGNMENT, KernelLowering
from irtensor.passes.nvvm.support.lane_exchange import exchanged, mask_of_team
from irtensor.passes.nvvm.support.thread_numbers import register_number, thread_of_grid, threads_of_grid
from irtensor.passes.nvvm.support.value_size import size_of
from irtensor.passes.support.wrong_stage import wrong_stage

_SHARED_POINTER = llvm.LLVMPointerType(IntAttr(SHARED_SPACE))


def _parallel(state: KernelLowering, op: Operation) -> None:
    units = units_of(op)
    if units is None:
        return _strided(state, op, thread_of_grid(state.builder), threads_of_grid(state.builder))
    builder = state.builder
    if units.word == "blocks":
        number, count = (register_number(builder, register) for register in (BlockIdOp, GridSizeOp))
        state.leads = builder.compare(EQ, register_number(builder, ThreadIdOp), builder.integer(0))
        _strided(state, op, number, count)
        state.leads = None
        return None
    return _unit(state, op, units.word, units.size.data)


def _strided(state: KernelLowering, op: Operation, number: SSAValue, count: SSAValue) -> None:
    """Every so manieth iteration, from the one of a number on."""
    builder, values = state.builder, state.values
    lower, upper = values[op.operands[0]], values[op.operands[1]]
    source = op.regions[0].block
    body, after = create_block((i64,)), create_block()
    first = builder.add(lower, number)
    builder.branch_if(builder.compare(SLT, first, upper), body, (first,), after)
    builder.start(body)
    values[source.args[0]] = index = body.args[0]
    state.lower_block(source)
    following = builder.value(llvm.AddOp, (index, count), i64, {"overflowFlags": NO_WRAP})
    builder.branch_if(builder.compare(SLT, following, upper), body, (following,), after)
    builder.start(after)


def _unit(state: KernelLowering, op: Operation, word: str, size: int) -> None:
    """The one iteration that is a thread's, or its team's."""
    builder = state.builder
    source = op.regions[0].block
    thread = register_number(builder, ThreadIdOp)
    outer = state.leads, state.lanes
    if word == "teams":
        lane = builder.value(llvm.AndOp, (thread, builder.integer(size - 1)), i64)
        number = builder.value(llvm.LShrOp, (thread, builder.integer(size.bit_length() - 1)), i64)
        state.leads, state.lanes = builder.compare(EQ, lane, builder.integer(0)), size
    else:
        last = builder.integer(state.lanes - 1)
        number = builder.value(llvm.AndOp, (thread, last), i64) if word == "lanes" else thread
        state.leads = None
    state.values[source.args[0]] = number
    state.lower_block(source)
    state.leads, state.lanes = outer


def _reduce(state: KernelLowering, op: Operation) -> None:
    """Pairs of lanes exchange what they have, half as far apart each time, until each lane has all of it combined."""
    assert isinstance(op, ReduceOp)
    units = units_of(op.parent_op())
    if units is None or units.word != "lanes":
        message = f"{state.pass_name} cannot lower '{op.name}' in a loop on threads"
        help = "reduce on lanes of teams(32), store each team's cell into a loop.shared, and let one team reduce that"
        raise wrong_stage(op, state.pass_name, message, help)
    body, value, distance = op.body.block, state.values[op.value], state.lanes // 2
    while distance:
        value = yielded(state, body, value, exchanged(state.builder, value, distance, state.lanes))
        distance //= 2
    write_cell(state, yielded(state, body, read_cell(state, op.cell), value), op.cell)


def _shared(state: KernelLowering, op: Operation) -> None:
    """A global of the module."""
    assert isinstance(op, SharedOp)
    element: Attribute = held_type(op.buffer)
    parts = 2 if isinstance(element, ComplexType) else 1
    type = llvm.LLVMArrayType(op.count.value.data * parts, memory_type(element))
    before, own = state.shared, size_of(type)
    # The next one begins where it is aligned.
    state.shared += own + -own % ALIGNMENT
    if before + own > MOST_SHARED:
        message = f"{own} bytes are shared here and {before} before, and a block shares at most {MOST_SHARED}"
        raise wrong_stage(op, state.pass_name, message, "share fewer elements, or use memory shared before again")
    name = state.add_shared(type)
    properties = {"global_name": SymbolRefAttr(name)}
    state.values[op.buffer] = state.builder.value(llvm.AddressOfOp, (), _SHARED_POINTER, properties)


def _barrier(state: KernelLowering, op: Operation) -> None:
    builder = state.builder
    if loop_around(op, "teams") is None:
        builder.effect(BlockBarrierOp, ())
    else:
        builder.effect(WarpBarrierOp, (mask_of_team(builder, state.lanes),))


MAPPED_LOOPS: dict[str, Any] = {
    "loop.parallel": _parallel,
    "loop.reduce": _reduce,
    "loop.shared": _shared,
    "loop.barrier": _barrier,
}
