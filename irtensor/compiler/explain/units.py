"""The lines of `Kernel.explain()` about parallel loops and the units of a GPU that run their iterations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from xdsl.ir import SSAValue

from irtensor.compiler.compilation.read_signature import kernel_function, read_signature
from irtensor.compiler.compilation.stage_ir import module_at
from irtensor.compiler.device.read_lane_iterations import read_lane_iterations
from irtensor.core.schedule_words import WARP
from irtensor.dialects.loop.loop import AtomicOp, ForOp, ParallelOp, UnitsAttr
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.support.operations_in import operations_in

if TYPE_CHECKING:
    from irtensor.compiler.compilation.request import Request
    from irtensor.compiler.explain.final_plan import FinalPlan
    from irtensor.options import Options

# What lowering calls the index of a loop along stored entries.
_POSITION = "p"


def loops_on_units(plan: FinalPlan, request: Request, options: Options) -> Iterator[str]:
    """A line per parallel loop over an index variable, and one that says by what calls choose the size of teams."""
    function = kernel_function(module_at(request, "spread", options), request.function_name)
    loops = [loop for loop in operations_in(function, ParallelOp) if loop.on is None or loop.on.word == "blocks"]
    names = {name_of(loop.variable): f"for {name_of(loop.variable)}" for loop in plan.loops()}
    names[_POSITION] = "for each stored entry"
    yield from dict.fromkeys(line for loop in loops for line in _lines(loop, names))
    signature = read_signature(plan.function, request.names(), request.extent_sources())
    iterations = read_lane_iterations(function, signature)
    if iterations:
        names = " and ".join(one.describe(signature.operand_names) for one in iterations)
        yield f"calls choose teams of 1 to {WARP} threads, by {names}"


def _lines(loop: ParallelOp, names: Mapping[str, str]) -> Iterator[str]:
    """A line for a loop on blocks, or on parts, if what it goes over has a name."""
    inner = [op for op in loop.body.block.ops if isinstance(op, ParallelOp)]
    for units in (loop, *inner):
        its = [units.induction, *(result for op in units.body.block.ops for result in op.results)]
        if name := _first(its, names):
            return (yield f"{name}: {_described(units.on)}{_meetings(loop)}")
    # Parts have the loop inside of them.
    if name := _first([one.induction for one in operations_in(loop, ForOp)], names):
        memory = ", with memory of its own" if loop.on is None else ""
        yield f"{name}: a thread has a part of the iterations{memory}{_meetings(loop)}"


def _first(values: list[SSAValue], names: Mapping[str, str]) -> str | None:
    """The first name that there is for one of the values."""
    return next((names[hint] for value in values if (hint := value.name_hint or "") in names), None)


def _described(units: UnitsAttr | None) -> str:
    if units is None or units.word == "threads":
        return "a thread has an iteration"
    which = "block" if units.word == "blocks" else "team"
    return f"a {which} of {units.size.data} threads has an iteration, and shares the loops inside"


def _meetings(loop: ParallelOp) -> str:
    return "; where iterations meet, numbers are combined by atomic operations" if operations_in(loop, AtomicOp) else ""
