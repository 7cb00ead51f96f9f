"""`count-all-entries`: whatever appends to a result counts its entries first, as a device cannot make memory."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from irtensor.core.diagnostics import UserError
from irtensor.dialects.loop.loop import AppendOp, ForOp
from irtensor.dialects.support.create_operation import clone_operation
from irtensor.dialects.support.is_inside import innermost_around
from irtensor.passes.analysis.races import PARALLEL, WINDOWS
from irtensor.passes.loop.support.appending_loop import AppendingLoop
from irtensor.passes.loop.support.division import Division, is_divided
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.operations_in import everything_in, operations_in
from irtensor.passes.support.pass_base import TensorPass, structured_functions
from irtensor.passes.threads.count_entries import TwoRuns


class CountAllEntriesPass(TensorPass):
    """Run loops that append twice, as `count-entries` does, also if they are not marked for it.

    Before: `loop.for %i = %lo to %hi {parallel} { ...; %q = count %n; store %j, %crd[%q]; append 1 to %n }`
    After:  `loop.parallel %p = 0 to %hi - %lo { %own = counter; iteration %lo + %p; append 1 to %own }`, sums of what
            was counted, `loop.reserve %crd, %total`, and a `loop.parallel` whose iterations begin at their starts

    Where every iteration appends, as where each entry of an operand gives one, positions say how many entries there are
    and where they go: the loop runs once, and nothing is counted.
    Each iteration of a parallel loop is a part: a device has threads for them, and reads no positions to find where
    they begin. Iterations that need memory of their own are in parts of several. A loop whose entries depend on what
    it stores is left as it is, unless it is marked `counted`.
    """

    name = "count-all-entries"
    accepts = ("loop",)
    leaves = ("loop",)
    before = {"count-entries": "a loop that is counted by iterations is not divided into parts"}

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in list(structured_functions(op)):
            positions = [number for number, inner in enumerate(everything_in(function)) if _appends(inner)]
            if positions:
                _count_all(function, positions)


def _appends(op: Operation) -> bool:
    """Whether an operation is an outermost loop that appends."""
    if type(op) is not ForOp or not operations_in(op, AppendOp):
        return False
    return innermost_around(op, ForOp) is None


def _count_all(function: FuncOp, positions: list[int]) -> None:
    """Count in a copy of the function; without the loop that cannot be counted, if there is one."""
    remaining = list(positions)
    while remaining:
        trial = clone_operation(function, {})
        operations = everything_in(trial)
        failed = _first_failure(trial, {position: operations[position] for position in remaining})
        if failed is None:
            Rewriter.replace_op(function, trial)
            return
        remaining.remove(failed)


def _first_failure(function: FuncOp, loops: dict[int, Operation]) -> int | None:
    for position, loop in loops.items():
        assert isinstance(loop, ForOp)
        source = AppendingLoop.find(loop)
        if source is None:
            continue
        apart = PARALLEL in loop.attributes and not (source.private or is_divided(loop) or WINDOWS in loop.attributes)
        try:
            TwoRuns(loop, function, _Iterations if apart else Division).make()
        except UserError:
            return position
    return None


class _Iterations:
    """The iterations of a loop as its parts."""

    def __init__(self, loop: ForOp, before: Emitter, memory: Sequence[SSAValue]) -> None:
        assert not memory
        self.lower = loop.lower
        self.parts = before.max(before.sub(loop.upper, loop.lower), before.index(0))
        self.parts.name_hint = "parts"

    def bounds(self, part: SSAValue, emit: Emitter) -> tuple[SSAValue, SSAValue]:
        """Emit the index of an iteration, and the next one."""
        index = emit.add(self.lower, part)
        return index, emit.add(index, emit.index(1))
