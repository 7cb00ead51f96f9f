"""`bound-maps`: how many pairs a map holds at most is counted by a run of the code that fills it, without the map."""

from __future__ import annotations

from xdsl.dialects.builtin import i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block
from xdsl.rewriter import InsertPoint, Rewriter

from irtensor.dialects.loop.loop import AS_IT_IS, ForOp, IndexMapOp, ParallelOp
from irtensor.passes.loop.support.function_memory import memory_for
from irtensor.passes.nvvm.support.counting_run import CountingRun, NotCounted
from irtensor.passes.nvvm.support.sizes_before import unbounded
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass


class BoundMapsPass(TensorPass):
    """Count the pairs put into a map before it is filled, so that memory for it can be made.

    Before: `loop.parallel %p = %0 to %n { %m = loop.index_map; ...; loop.map_insert %i, %j into %m; ... }`
    After:  `loop.parallel %p = %0 to %n { %k = loop.cell %0; ...; loop.set %k + %1, %k; ...;
             loop.store %k, %counts[%p] }`, the largest of the counts, at least 1, as `%most`, and
            `loop.parallel %p = %0 to %n { %m = loop.index_map for %most; ...; loop.map_insert %i, %j into %m; ... }`

    Of the loop, what decides which pairs come is run twice, and nothing is stored in the first run. Pairs that come
    again are counted again, and counting begins anew where the map is cleared. For a map of the function itself, the
    code before its last insertion is run twice. Where pairs depend on what another map holds, that one is bounded
    first, so that it can be there in the first run.
    """

    name = "bound-maps"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {
        "divide-parallel-loops": "each part has maps of its own then",
        "lower-assembly": "cells count the appended entries, which a run that stores nothing has as well",
    }

    def on_function(self, function: FuncOp) -> None:
        for parallel in operations_in(function, ParallelOp):
            _bound_all(parallel.body.block, function)
        _bound_all(function.body.block, function)


def _bound_all(block: Block, function: FuncOp) -> None:
    """Bound the maps that are made at the top of a parallel loop, or of a function."""
    waiting = [op for op in operations_of(block) if type(op) is IndexMapOp and op.capacity is None]
    while waiting:
        refused: list[NotCounted] = []
        for map in waiting:
            try:
                run = CountingRun.of(map, function)
            except NotCounted as reason:
                refused.append(reason)
                continue
            _bound(map, run, function.body.block)
            waiting.remove(map)
            break
        else:
            raise unbounded(waiting[0], str(refused[0]))


def _bound(map: IndexMapOp, run: CountingRun, entry: Block) -> None:
    """Count by a run, and let the map be one for as many pairs."""
    before = Emitter(Block())
    loop = map.parent_op()
    point = loop if isinstance(loop, ParallelOp) else map
    runs = before.sub(loop.upper, loop.lower) if isinstance(loop, ParallelOp) else before.index(1)
    counts = memory_for(runs, i64, entry, before)
    counts.name_hint = "counts"
    run.insert(counts, before.block)
    most = before.cell(before.index(1))
    largest = before.insert(ForOp.of(before.index(0), runs, AS_IT_IS))
    inner = Emitter(largest.body.block)
    inner.set(inner.max(inner.get(most), inner.load_index(counts, largest.induction)), most)
    capacity = before.get(most)
    capacity.name_hint = "most"
    move_before(before.block, point)
    bounded = IndexMapOp.of(capacity)
    bounded.location = map.location
    bounded.map.name_hint = map.map.name_hint
    bounded.attributes.update(map.attributes)
    Rewriter.insert_op(bounded, InsertPoint.before(map))
    map.map.replace_all_uses_with(bounded.map)
    Rewriter.erase_op(map)
