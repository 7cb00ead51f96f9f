"""The memory behind buffers: growables, views and choices are other names for it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from irtensor.dialects.loop.loop import DataOp, IndexMapType, IndexSetType, ViewOp
from irtensor.dialects.loop.loop_types import BufferType
from irtensor.passes.support.operations_in import everything_in


def memory_of(buffer: SSAValue) -> SSAValue:
    """What two buffers of the same memory have in common."""
    owner = buffer.owner
    return owner.growable if isinstance(owner, DataOp) else buffer


def roots_of(value: SSAValue) -> Iterator[SSAValue]:
    """The memory that a buffer, a set or a map may be a part of."""
    owner = value.owner
    if isinstance(owner, ViewOp):
        yield from roots_of(owner.buffer)
    elif isinstance(owner, arith.SelectOp):
        yield from roots_of(owner.operands[1])
        yield from roots_of(owner.operands[2])
    elif isinstance(value.type, IndexSetType | IndexMapType) and isinstance(owner, Operation):
        memory = [operand for operand in owner.operands if isinstance(operand.type, BufferType)]
        for operand in memory:
            yield from roots_of(operand)
        if not memory:
            yield value
    else:
        yield value


def memories_of(value: SSAValue) -> set[SSAValue]:
    """The memories that a buffer, a set or a map may be a part of, whatever buffers there are of a growable."""
    return {memory_of(root) for root in roots_of(value)}


def is_seen_otherwise(buffers: Collection[SSAValue], root: Operation) -> bool:
    """Whether something in `root` uses the memory of buffers through another one, such as a view."""
    memories = {memory for buffer in buffers for memory in memories_of(buffer)}
    others = {one for op in everything_in(root) for one in op.operands if isinstance(one.type, BufferType)}
    return any(not memories.isdisjoint(memories_of(other)) for other in others.difference(buffers))
