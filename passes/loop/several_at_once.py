"""Writes out several iterations of a loop, one after the other, where LLVM makes no vectors of them."""

from __future__ import annotations

from xdsl.ir import Block

from irtensor.dialects.create_operation import clone_operation
from irtensor.dialects.loop import AS_IT_IS, ForOp
from irtensor.passes.emit import Emitter, move_before

# More does not gain much, as rows are short.
_AT_ONCE = 4
_MOST_OPERATIONS = 16


def is_short(loop: ForOp) -> bool:
    """Whether a loop does so little that counting its iterations takes a good part of the time."""
    ops = list(loop.body.block.ops)
    return len(ops) <= _MOST_OPERATIONS and not any(op.regions for op in ops)


def do_several_at_once(loop: ForOp) -> None:
    """Put a loop in front of one that does four iterations in each of its own, and leave the rest to the one behind.

    LLVM would do that as well, but only with the passes that make vectors, which take as long as all others together.
    """
    emit = Emitter(Block())
    length = emit.max(emit.sub(loop.upper, loop.lower), emit.index(0))
    rounds = emit.divide(length, emit.index(_AT_ONCE))
    several = emit.insert(ForOp.of(emit.index(0), rounds, AS_IT_IS))
    body = Emitter(several.body.block)
    start = body.add(loop.lower, body.mul(several.induction, body.index(_AT_ONCE)))
    for number in range(_AT_ONCE):
        known = {loop.induction: body.add(start, body.index(number))}
        for op in loop.body.block.ops:
            body.insert(clone_operation(op, known))
    first = emit.add(loop.lower, emit.mul(rounds, emit.index(_AT_ONCE)))
    move_before(emit.block, loop)
    loop.operands[0] = first
    loop.attributes.update(AS_IT_IS)
