"""What the body of a parallel loop uses of the code around it, where it becomes a function of its own."""

from __future__ import annotations

from collections.abc import Collection

from xdsl.ir import Block, OpResult, SSAValue, Use

from irtensor.dialects.loop.buffer_uses import may_write
from irtensor.dialects.loop.loop_growables import DataOp
from irtensor.dialects.loop.loop_maps import IndexMapType
from irtensor.dialects.loop.loop_memory import ORDERED
from irtensor.dialects.loop.loop_races import AtomicOp
from irtensor.dialects.loop.loop_sets import IndexSetType
from irtensor.dialects.loop.loop_types import BufferType

_CONSTANTS = ("arith.constant", "complex.constant")


def is_constant(value: SSAValue) -> bool:
    """Whether a value is a constant, which a function makes again, so that LLVM knows it."""
    return isinstance(value, OpResult) and value.op.name in _CONSTANTS


def is_apart(value: SSAValue, used: Collection[SSAValue]) -> bool:
    """Whether a value is a buffer that is known to be apart from the others that are used: an argument, or the only one
    of its growable.

    One whose elements change atomically, or in order, is written by other iterations at the same time.
    """
    if not isinstance(value.type, BufferType) or any(map(_is_shared, value.uses)):
        return False
    owner = value.owner
    if isinstance(owner, Block):
        return True
    if not isinstance(owner, DataOp):
        return False
    others = (other.owner for other in used if other is not value)
    return owner.growable not in used and not any(
        isinstance(other, DataOp) and other.growable is owner.growable for other in others
    )


def is_read_only(buffer: SSAValue) -> bool:
    """Whether a function writes to none of the elements of an argument, under whatever name."""
    return all(map(_only_reads, buffer.uses))


def _only_reads(use: Use) -> bool:
    results = use.operation.results
    if any(isinstance(result.type, BufferType) for result in results):
        return all(isinstance(result.type, BufferType) and is_read_only(result) for result in results)
    return not may_write(use) and not any(isinstance(result.type, IndexSetType | IndexMapType) for result in results)


def _is_shared(use: Use) -> bool:
    return isinstance(use.operation, AtomicOp) or ORDERED in use.operation.attributes
