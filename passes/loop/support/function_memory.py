"""Memory of a function's own: arrays that it makes when it is called, and gives back when it returns."""

from __future__ import annotations

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, Block, SSAValue

from irtensor.dialects.loop.loop import DataOp, ReserveOp, ScratchOp
from irtensor.passes.support.emit import Emitter


def memory_for(count: SSAValue, element: Attribute, entry: Block, emit: Emitter) -> SSAValue:
    """Emit memory of the function whose first block is `entry`: an array of so many elements."""
    scratch, first = ScratchOp.of(element), entry.first_op
    assert first is not None
    entry.insert_op_before(scratch, first)
    emit.insert(ReserveOp.of(scratch.growable, count))
    return emit.insert(DataOp.of(scratch.growable)).buffer


def numbers_of_parts(parts: SSAValue, entry: Block, emit: Emitter) -> SSAValue:
    """Emit memory of the function whose first block is `entry`: an array of a number per part, and one more."""
    return memory_for(emit.add(parts, emit.index(1)), i64, entry, emit)
