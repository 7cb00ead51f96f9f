"""Divides a range into blocks, which a loop goes through."""

from __future__ import annotations

from xdsl.ir import SSAValue

from irtensor.dialects.loop.loop import ForOp
from irtensor.passes.support.emit import Emitter


def blocks_of_range(
    emit: Emitter, lower: SSAValue, upper: SSAValue, size: SSAValue
) -> tuple[Emitter, SSAValue, SSAValue]:
    """Append a loop over the blocks of a range: what emits into it, and the bounds of a block."""
    length = emit.sub(upper, lower)
    count = emit.divide(emit.add(length, emit.sub(size, emit.index(1))), size)
    loop = emit.insert(ForOp.of(emit.index(0), count))
    body = Emitter(loop.body.block)
    begin = body.add(lower, body.mul(loop.induction, size))
    return body, begin, body.min(body.add(begin, size), upper)
