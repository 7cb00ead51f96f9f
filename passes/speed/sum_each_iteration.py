"""`sum-each-iteration`: a sum by two loops, one in the other, is a sum of sums of the inner one."""

from __future__ import annotations

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation

from irtensor.dialects.loop.loop import ForOp
from irtensor.passes.loop.support.partial_sums import CellSum
from irtensor.passes.speed.support.batches import are_long_dimensions, may_have_batches
from irtensor.passes.support.emit import Emitter, move_before, move_behind
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass


class SumEachIterationPass(TensorPass):
    """Give each iteration of a loop a sum of its own where it only adds terms to one that all iterations share.

    Before: `for %j { for %k { %t += %x[%j, %k] } }`
    After:  `for %j { %s = cell 0.0; for %k { %s += %x[%j, %k] }; %t += %s }`
    The inner sums do not wait for each other, and batch-sums adds up many of them at a time. There is one addition more
    for each of them, and rounding errors get smaller. Only for loops along dimensions that may be long, and only where
    the sum may be reassociated.
    """

    name = "sum-each-iteration"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {
        "lower-algebra-to-arith": "only upstream arithmetic is recognised",
        "split-long-sums": "long sums have blocks by then",
    }
    before = {"batch-sums": "sums of several iterations are added up at a time"}

    def on_function(self, function: FuncOp) -> None:
        for loop in operations_in(function, ForOp):
            inner = _only_loop(loop)
            if inner is not None and (sum := CellSum.only_one(inner)) is not None:
                _sum_apart(inner, sum)


def _only_loop(loop: ForOp) -> ForOp | None:
    """The one loop in a loop that does nothing else; None if either may be short."""
    inner = [op for op in operations_of(loop.body.block) if op.regions]
    if len(inner) != 1 or not isinstance(inner[0], ForOp) or not are_long_dimensions(loop, inner[0]):
        return None
    return inner[0] if may_have_batches(loop) and may_have_batches(inner[0]) else None


def _sum_apart(inner: ForOp, sum: CellSum) -> None:
    owner = sum.write.operands[1].owner
    if isinstance(owner, Operation) and owner.parent in (inner.parent, inner.body.block):
        return  # it is one of an iteration already
    before, behind = Emitter(Block()), Emitter(Block())
    cell = sum.sum_into_part(before)
    sum.add_part(cell, behind)
    move_before(before.block, inner)
    move_behind(behind.block, inner)
