"""`mask-remainders`: what whole vectors leave of a sum over a segment is one masked vector, not a loop of its own."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue

from irtensor.dialects.loop.loop import ForOp
from irtensor.dialects.support.create_operation import copy_of, create_operation
from irtensor.passes.loop.support.segments import position_read
from irtensor.passes.speed.support.reductions import update_of
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass, option

_index = IndexType()


@dataclass(frozen=True)
class MaskRemaindersPass(TensorPass):
    """Split sums over segments into a part of whole vectors and a part that is less than one vector.

    How many iterations a short segment takes is different every time, so that the end of a scalar loop over what
    remains is mispredicted for nearly every segment. A vector whose lanes beyond the end are masked takes no loop at
    all.

    Before: `for %p = %begin to %end { %t += %x[%p] }`
    After:  `for %q = 0 to %length & -8 { %t += %x[%begin + %q] };
            for %q = 0 to %length & 7 attributes {mask = 8} { %t += %x[%begin + (%length & -8) + %q] }`
    Only where sums may be reassociated.
    """

    name = "mask-remainders"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {
        "lower-algebra-to-arith": "only upstream arithmetic is recognised",
        "accumulate-in-registers": "only sums that are left to LLVM's own vectors need a mask",
    }

    width: int = option("The lanes of the masked vector.", 8, choices=(2, 4, 8, 16, 32, 64))

    def on_function(self, function: FuncOp) -> None:
        for loop in operations_in(function, ForOp):
            if not loop.attributes and position_read(loop.upper) is not None and update_of(loop) is not None:
                split_remainder(loop, self.width).attributes["mask"] = IntegerAttr(self.width, i64)


def split_remainder(loop: ForOp, width: int) -> ForOp:
    """Let a loop do whole vectors only, one at a time; returns the loop behind it, which does what they leave."""
    block, emit = loop.parent, Emitter(Block())
    assert block is not None
    length = emit.max(emit.sub(loop.upper, loop.lower), emit.index(0))
    whole, left = _and(emit, length, -width), _and(emit, length, width - 1)
    remainder = copy_of(loop)
    # A segment is short as a rule: with more vectors at once most would be left for one vector behind.
    loop.attributes["interleave"] = IntegerAttr(1, i64)
    for part, start, count in ((loop, loop.lower, whole), (remainder, emit.add(loop.lower, whole), left)):
        _count_from(part, start)
        part.operands[0], part.operands[1] = emit.index(0), count
    move_before(emit.block, loop)
    block.insert_op_after(remainder, loop)
    return remainder


def _and(emit: Emitter, value: SSAValue, mask: int) -> SSAValue:
    return emit.insert(create_operation(arith.AndIOp, (value, emit.index(mask)), (_index,))).result


def _count_from(loop: ForOp, start: SSAValue) -> None:
    """Let the body use `start` plus the loop's index in place of the index."""
    first = loop.body.block.first_op
    assert first is not None
    shifted = create_operation(arith.AddiOp, (start, start), (_index,))
    loop.induction.replace_all_uses_with(shifted.result)
    shifted.operands[1] = loop.induction
    loop.body.block.insert_op_before(shifted, first)
