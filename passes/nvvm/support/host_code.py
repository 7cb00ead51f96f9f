"""What of a function stays on the host where kernels are taken out of it, and what runs on the device."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation

from irtensor.dialects.loop.loop import (
    CapacityOp,
    CellOp,
    DataOp,
    ForOp,
    GetOp,
    IfOp,
    IndexMapOp,
    IndexSetOp,
    ParallelOp,
    PartsOp,
    RequireOp,
    ReserveOp,
    ScratchOp,
    SetOp,
    SetSizeOp,
    ViewOp,
    WhileOp,
)
from irtensor.dialects.loop.loop_launch import LaunchOp, MemsetOp, ReadOp
from irtensor.passes.support.operations_in import OpTypes, operations_in

# What only the host can do: it has the slots of growables, and ends with a status.
_ON_THE_HOST = (
    ScratchOp,
    ReserveOp,
    SetSizeOp,
    CapacityOp,
    PartsOp,
    RequireOp,
    LaunchOp,
    MemsetOp,
    ReadOp,
    ReturnOp,
)
# What it does without waiting for the device. A condition belongs to the loop around it.
_IN_REGISTERS = ("arith.", "math.", "complex.", "loop.condition")
_WITHOUT_ELEMENTS = (CellOp, GetOp, SetOp, DataOp, ViewOp, ScratchOp, IndexSetOp, IndexMapOp)
_STAYS, _WAITS_FOR_NONE = OpTypes(*_ON_THE_HOST, *_WITHOUT_ELEMENTS), OpTypes(*_WITHOUT_ELEMENTS)
_CONTROL = OpTypes(ForOp, WhileOp, IfOp)


def stays_on_host(op: Operation) -> bool:
    """Whether an operation between kernels touches no element of the device's memory."""
    return _STAYS[type(op)] or op.name.startswith(_IN_REGISTERS)


def waits_for_kernels(op: Operation) -> bool:
    """Whether an operation of the host has to come after the kernels before it, as they use what it changes."""
    return not _WAITS_FOR_NONE[type(op)] and not op.name.startswith(_IN_REGISTERS)


def run_by_host(op: Operation) -> Iterator[Operation]:
    """A function, or an operation in it, and the loops and branches inside whose bodies the host runs."""
    yield op
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                if _is_control_of_host(inner):
                    yield from run_by_host(inner)


def _is_control_of_host(op: Operation) -> bool:
    """Whether there is something in a loop or branch that only the host does, or launches."""
    if not _CONTROL[type(op)]:
        return False
    return bool(operations_in(op, ParallelOp, *(op_type for op_type in _ON_THE_HOST if op_type is not ScratchOp)))
