"""What operations do with a buffer that they use: whether it may change."""

from __future__ import annotations

from xdsl.ir import Block, SSAValue, Use
from xdsl.traits import MemoryWriteEffect

from irtensor.dialects.loop.loop_types import BufferType

_COPY = "loop.copy"
# Its effect is on the cache alone.
_PREFETCH = "loop.prefetch"


def may_write(use: Use) -> bool:
    """Whether an operation writes to a buffer that it uses, or gives it another name under which others may."""
    op = use.operation
    if op.name == _PREFETCH or (op.name == _COPY and use.index == 0):
        return False
    return any([type(result.type) is BufferType for result in op.results]) or op.has_trait(MemoryWriteEffect)


def is_only_read(buffer: SSAValue) -> bool:
    """Whether a buffer comes from the caller and nothing writes to it, so that a load gives the same at any time."""
    return isinstance(buffer.owner, Block) and not any(map(may_write, buffer.uses))
