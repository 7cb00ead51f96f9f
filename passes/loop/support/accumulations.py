"""What `loop.accumulate` does, as a load, an application of its operator, and a store."""

from __future__ import annotations

from xdsl.ir import Block

from irtensor.dialects.algebra.algebra import ApplyOp
from irtensor.dialects.loop.loop import AccumulateOp, StoreOp
from irtensor.dialects.support.create_operation import erase_operation
from irtensor.passes.support.emit import Emitter, move_before


def lower_accumulation(op: AccumulateOp, *, always: bool) -> ApplyOp:
    """Combine the element with the value; unless `always`, keep that only where something is stored already.

    Gives the application of the operator.
    """
    emit = Emitter(Block())
    apply = ApplyOp.of(op.operator, (emit.load(op.buffer, op.index), op.value), op.value.type)
    apply.fastmath = op.fastmath
    value = emit.insert(apply).result
    if not always:
        value = emit.select(op.present, value, op.value)
    emit.insert(StoreOp.of(value, op.buffer, op.index))
    move_before(emit.block, op)
    erase_operation(op)
    return apply
