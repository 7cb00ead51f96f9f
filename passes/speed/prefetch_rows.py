"""`prefetch-rows`: the row of a dense tensor that the next iteration reads beside gathers is asked for early."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block

from irtensor.core.argument_layout import tensor_named
from irtensor.core.diagnostics import remark
from irtensor.dialects.loop.loop import ForOp, PrefetchOp
from irtensor.passes.speed.support.gathers import find_rows
from irtensor.passes.speed.support.prefetches import prefetch
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass, option


@dataclass(frozen=True)
class PrefetchRowsPass(TensorPass):
    """Ask for the next row of what a loop reads by rows, where it waits for other memory in between.

    Before: `for %i { for %p { ... prefetch %B[...] ... }; for %f = 0 to %n { ... %C[%i * %n + %f] ... } }`
    After:  `for %i { prefetch %C[(%i + 1) * %n]; for %p { ... }; for %f = 0 to %n { ... } }`
    Hardware sees rows that follow each other coming, but not between reads of memory all over. Other loops stay as they
    are. The row behind the last one is asked for as well, which reads nothing.
    """

    name = "prefetch-rows"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {"prefetch-gathers": "loops in which hardware needs help are known by its prefetches"}

    lines: int = option("The most cache lines of a row that are prefetched.", 16)

    def on_function(self, function: FuncOp) -> None:
        helped = [loop for loop in operations_in(function, ForOp) if operations_in(loop, PrefetchOp)]
        for loop in helped:
            self._rewrite(loop)

    def _rewrite(self, loop: ForOp) -> None:
        rows = find_rows(loop)
        if not rows:
            return
        ahead = Emitter(Block())
        following = ahead.add(loop.induction, ahead.index(1))
        for row in rows:
            tensor = tensor_named(row.load.buffer.name_hint)
            remark(f"rows of '{tensor}' are prefetched, one iteration ahead", by="prefetch-rows", about=[tensor])
            prefetch(row, {loop.induction: following}, ahead, self.lines)
        first = loop.body.block.first_op
        assert first is not None
        move_before(ahead.block, first)
