"""How `Kernel.explain()` tells which loops run on threads, in which parts, and why others do not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from irtensor.compiler.read_signature import kernel_function
from irtensor.compiler.stage_ir import module_at
from irtensor.dialects.concrete_index import ComputeOp, ForallOp
from irtensor.dialects.loop import ForOp
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.analysis.races import PARALLEL, is_marked
from irtensor.passes.concrete_index.parallelize_outermost import obstacle, outermost_loops
from irtensor.passes.loop.appending_loop import AppendingLoop
from irtensor.passes.loop.loop_work import LoopWork
from irtensor.passes.loop.parallel_state import Shared, state_of

if TYPE_CHECKING:
    from irtensor.options import Options


def loops_on_threads(request: Any, options: Options) -> Iterator[str]:
    """A line per outermost loop, and per loop that a schedule chose."""
    if options.num_threads == 1:
        yield "one thread, as num_threads says"
        return
    marked: list[str] = []
    function = kernel_function(module_at(request, "concrete_index", options), request.function_name)
    for compute in [op for op in function.body.block.ops if isinstance(op, ComputeOp)]:
        chosen = [op for op in compute.walk() if isinstance(op, ForallOp) and is_marked(op)]
        marked += [name_of(loop.variable) for loop in chosen]
        for loop in outermost_loops(compute.body.block):
            if loop not in chosen:
                race = obstacle(loop, not options.strict_fp)
                reason = "it is not marked as parallel" if race is None else race.reason
                yield f"for {name_of(loop.variable)}: on one thread: {reason}"
    if marked:
        function = kernel_function(module_at(request, "loop", options), request.function_name)
        loops = [op for op in function.walk() if isinstance(op, ForOp) and PARALLEL in op.attributes]
        merged = "on one thread: it merges lists, and how many turns that takes is not known before"
        for text in dict.fromkeys(map(_division, loops)) or [merged]:
            yield f"for {', '.join(marked)}: {text}"


def _division(loop: ForOp) -> str:
    appending = AppendingLoop.find(loop)
    try:
        reduces = appending is None and state_of(loop).reductions
    except Shared as reason:
        return f"on one thread: {reason}"
    even = LoopWork(loop).is_even
    text = "in parts of equal length" if even else "in parts of about equal work, by the positions of what is stored"
    if appending is not None:
        known = all(appending.entries_of(counter) is not None for counter in appending.counters)
        how = "entries go to their final places" if known else "each appends to lists of its own, which are joined"
        return f"{text}; {how}"
    return f"{text}; their results are combined in order" if reduces else text
