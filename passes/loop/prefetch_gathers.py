"""`prefetch-gathers`: what a coordinate some entries ahead will read is asked for early."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, VectorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue

from irtensor.dialects.loop import ForOp, IfOp, LoadOp, WhileOp
from irtensor.passes.emit import Emitter, move_before
from irtensor.passes.loop.gathers import Gather, find_gathers, prevents_vectors
from irtensor.passes.loop.prefetches import leave_if_near, prefetch
from irtensor.passes.loop.segments import end_of_all
from irtensor.passes.operations_in import operations_in
from irtensor.passes.pass_base import TensorPass, option, structured_functions


@dataclass(frozen=True)
class PrefetchGathersPass(TensorPass):
    """Look ahead in the coordinate array, up to the end of all entries, and prefetch the element or row found there.

    Before: `for %p = %begin to %end { %c = %crd[%p]; ... %x[%c * %n] ... }`
    After:  `for %p = %begin to %end { %d = %crd[min(%p + 32, %last)]; prefetch %x[%d * %n]; %c = %crd[%p]; ... }`
    Single elements are asked for only if a cache does not hold all of them, where that is known before the loops: there
    is a second loop, without that, for those that it holds.
    """

    name = "prefetch-gathers"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {
        "accumulate-in-registers": "all cache lines of a strip are seen then",
        "list-busy-iterations": "no iteration that is passed over is prefetched for then",
    }

    distance: int = option("How many entries ahead is looked.", 32)
    lines: int = option("The most cache lines of a row that are prefetched.", 16)
    cache: int = option("The bytes of the last cache, which holds smaller arrays.", 1 << 24)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in structured_functions(op):
            for loop in operations_in(function, ForOp):
                self._rewrite(loop, function)

    def _rewrite(self, loop: ForOp, function: FuncOp) -> None:
        gathers = find_gathers(loop)
        if not gathers or not prevents_vectors(loop) or _is_rarely_reached(loop):
            return
        before, ahead = Emitter(Block()), Emitter(Block())
        last = before.sub(end_of_all(loop, before), before.index(1))
        place = ahead.min(ahead.add(loop.induction, ahead.index(self.distance)), last)
        values: dict[SSAValue, dict[SSAValue, SSAValue]] = {}
        for gather in gathers:
            source = gather.source.owner
            assert isinstance(source, LoadOp)
            known = values.get(gather.source)
            if known is None:
                known = values[gather.source] = {gather.source: ahead.load(source.buffer, place)}
            prefetch(gather, known, ahead, self.lines)
        assert loop.parent is not None
        # Of rows, the loop would be twice as long, and takes longer to compile than what is asked for in vain.
        if all([_is_one_element(gather) for gather in gathers]):
            leave_if_near(loop, [gather.load.buffer for gather in gathers], function, self.cache)
        move_before(before.block, loop)
        first = loop.body.block.first_op
        assert first is not None
        move_before(ahead.block, first)


def _is_one_element(gather: Gather) -> bool:
    """Whether a number is read in each iteration, and no row or part of one."""
    return gather.row is None and not isinstance(gather.load.value.type, VectorType)


def _is_rarely_reached(loop: ForOp) -> bool:
    """Whether most of the entries that follow are passed over, so that what is ahead in the array is not what comes."""
    around = loop.parent_op()
    while around is not None:
        if isinstance(around, IfOp | WhileOp) and "unlikely" in around.attributes:
            return True
        around = around.parent_op()
    return False
