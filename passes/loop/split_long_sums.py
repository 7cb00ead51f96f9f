"""`split-long-sums`: long floating-point sums add up sums of blocks, so that rounding errors stay small."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block

from irtensor.dialects.loop.loop import ForOp, ParallelOp, SetOp
from irtensor.passes.loop.support.partial_sums import CellSum
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass, option

# How many blocks of several sums are added up before these are added to the rest.
_BLOCKS_AT_ONCE = 256


@dataclass(frozen=True)
class SplitLongSumsPass(TensorPass):
    """Split an outermost loop that sums up into blocks, each with sums of its own (Higham 2002, section 4.2).

    Before: `for %i = %a to %b { %t += %x[%i] }`
    After:  `for %k = 0 to (%b - %a) / 4096 { %s = cell 0.0; for %i in block %k { %s += %x[%i] }; %t += %s }`
    Only where the sum may be reassociated; a loop inside another is left alone: most are short rows.
    """

    name = "split-long-sums"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {"lower-algebra-to-arith": "only upstream arithmetic is recognised"}

    block: int = option("The iterations of a block.", 4096)

    def on_function(self, function: FuncOp) -> None:
        self._split_in(function.body.block)

    def _split_in(self, block: Block) -> None:
        for op in operations_of(block):
            if type(op) is ParallelOp:
                self._split_in(op.body.block)
            # With a hint for LLVM it is not long.
            elif type(op) is ForOp and not op.attributes and (sums := CellSum.all_of(op)):
                _split(op, sums, self.block)


def _split(loop: ForOp, sums: Sequence[CellSum], size: int) -> None:
    """Put a loop into one over blocks. The blocks of several sums are in blocks, too; `batch-sums` is for one sum."""
    outer = _divided(loop, sums, size)
    if len(operations_in(loop.body, SetOp)) > 1:
        # Each addition of a part sums up what the inner loop has summed up.
        _divided(outer, CellSum.all_of(outer, inner=loop), _BLOCKS_AT_ONCE)


def _divided(loop: ForOp, sums: Sequence[CellSum], size: int) -> ForOp:
    before = Emitter(Block())
    length = before.index(size)
    rounded = before.add(before.sub(loop.upper, loop.lower), before.index(size - 1))
    outer = ForOp.of(before.index(0), before.divide(rounded, length))
    number = outer.body.block.args[0]
    emit = Emitter(outer.body.block)
    start = emit.add(loop.lower, emit.mul(number, length))
    end = emit.min(emit.add(start, length), loop.upper)
    cells = [sum.sum_into_part(emit) for sum in sums]
    block = loop.parent
    assert block is not None
    move_before(before.block, loop)
    block.insert_op_before(outer, loop)
    loop.detach()
    loop.operands[0], loop.operands[1] = start, end
    emit.insert(loop)
    for sum, cell in zip(sums, cells, strict=True):
        sum.add_part(cell, emit)
    return outer
