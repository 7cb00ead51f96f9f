"""`prefetch-gathers`: what a coordinate some entries ahead will read is asked for early."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import VectorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue

from irtensor.dialects.loop.loop import ForOp, IfOp, LoadOp, WhileOp
from irtensor.passes.loop.support.segments import end_of_all
from irtensor.passes.speed.support.gathers import Gather, find_gathers, prevents_vectors
from irtensor.passes.speed.support.prefetches import do_if_far, exceed, leave_if_near, prefetch
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass, option


@dataclass(frozen=True)
class PrefetchGathersPass(TensorPass):
    """Look ahead in the coordinate array, up to the end of all entries, and prefetch the element or row found there.

    Before: `for %p = %begin to %end { %c = %crd[%p]; ... %x[%c * %n] ... }`
    After:  `for %p = %begin to %end { %d = %crd[min(%p + 32, %last)]; prefetch %x[%d * %n]; %c = %crd[%p]; ... }`
    What a cache holds is not asked for, where the size of the array is known before the loops: what looks ahead is in a
    branch then. Loops without others inside would be slower for the branch, and are there twice instead, once without
    looking ahead. For single elements it is the last cache that counts, for rows and parts of them a nearer one. Loops
    that read rows of a few elements, or have others inside that read by coordinates, always look ahead.
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
    near: int = option("The bytes of a nearer cache, from which smaller arrays of rows are read at once.", 3 << 18)

    def on_function(self, function: FuncOp) -> None:
        for loop in operations_in(function, ForOp):
            self._rewrite(loop, function)

    def _rewrite(self, loop: ForOp, function: FuncOp) -> None:
        gathers = find_gathers(loop)
        if not gathers or not prevents_vectors(loop) or _is_rarely_reached(loop):
            return
        before, ahead = Emitter(Block()), Emitter(Block())
        last = before.sub(end_of_all(loop, before), before.index(1))
        position = ahead.min(ahead.add(loop.induction, ahead.index(self.distance)), last)
        values: dict[SSAValue, dict[SSAValue, SSAValue]] = {}
        for gather in gathers:
            source = gather.source.owner
            assert isinstance(source, LoadOp)
            known = values.get(gather.source)
            if known is None:
                known = values[gather.source] = {gather.source: ahead.load(source.buffer, position)}
            prefetch(gather, known, ahead, self.lines)
        self._leave_to_caches(loop, gathers, ahead.block, function)
        move_before(before.block, loop)
        first = loop.body.block.first_op
        assert first is not None
        move_before(ahead.block, first)

    def _leave_to_caches(self, loop: ForOp, gathers: list[Gather], ahead: Block, function: FuncOp) -> None:
        """Let nothing be asked for of arrays that a cache holds, where that is found out before the loops."""
        single = all(map(_is_one_element, gathers))
        if not single and not _may_ask(loop, gathers):
            return
        is_far = exceed([one.load.buffer for one in gathers], self.cache if single else self.near, loop, function)
        if is_far is None:
            return
        if any(gather.row is not None for gather in gathers):
            do_if_far(loop, is_far, ahead)
        else:
            leave_if_near(loop, is_far, writes_out=single)


def _is_one_element(gather: Gather) -> bool:
    """Whether a number is read in each iteration, and no row or part of one."""
    return gather.row is None and not isinstance(gather.load.value.type, VectorType)


def _may_ask(loop: ForOp, gathers: list[Gather]) -> bool:
    """Whether a loop that reads rows may ask how large the array is. That takes longer than it gains for rows of few
    elements, which are in one line, and for loops with others inside that read by coordinates as well."""
    if any(gather.row is not None and gather.row.attributes for gather in gathers):
        return False
    return not any(find_gathers(inner) for inner in operations_in(loop, ForOp) if inner is not loop)


def _is_rarely_reached(loop: ForOp) -> bool:
    """Whether most of the entries that follow are passed over, so that the elements ahead in the array are not the next
    ones."""
    around = loop.parent_op()
    while around is not None:
        if isinstance(around, IfOp | WhileOp) and "unlikely" in around.attributes:
            return True
        around = around.parent_op()
    return False
