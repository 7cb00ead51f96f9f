"""`divide-fills`: what a function fills before its loops is filled by the threads that run these."""

from __future__ import annotations

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block

from irtensor.dialects.loop.loop import FillOp, ParallelOp, PartsOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.passes.support.balance import even_bounds
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass
from irtensor.passes.support.step_costs import ITERATIONS


class DivideFillsPass(TensorPass):
    """Divide fills of buffers among threads, in functions that use several: a sparse operand may have far less to add.

    Before: `loop.fill %zero, %y[%lo to %hi]`
    After:  `%n = loop.parts (%hi - %lo) / 4; loop.parallel %p = 0 to %n { loop.fill %zero, %y[%first to %last] }`
    Only at the top of a function that has parallel loops. A fill from 0 to a number that is written in the code is
    short.
    """

    name = "divide-fills"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {
        "divide-appending-loops": "fills are divided only in functions that have threads",
        "divide-parallel-loops": "fills are divided only in functions that have threads",
    }
    needs = "threads"

    def on_function(self, function: FuncOp) -> None:
        if not operations_in(function, ParallelOp):
            return
        for fill in [op for op in function.body.block.ops if type(op) is FillOp]:
            if constant_index(fill.lower) is None or constant_index(fill.upper) is None:
                _divide(fill)


def _divide(fill: FillOp) -> None:
    emit = Emitter(Block())
    length = emit.sub(fill.upper, fill.lower)
    parts = emit.insert(PartsOp.of(emit.divide(length, emit.index(ITERATIONS.fills)))).parts
    parts.name_hint = "parts"
    parallel = emit.insert(ParallelOp.of(emit.index(0), parts))
    parallel.location = fill.location
    inner, part = Emitter(parallel.body.block), parallel.induction
    part.name_hint = "part"
    bounds = even_bounds(fill.lower, length, part, parts, inner)
    move_before(emit.block, fill)
    fill.detach()
    fill.operands[2], fill.operands[3] = bounds
    inner.insert(fill)
