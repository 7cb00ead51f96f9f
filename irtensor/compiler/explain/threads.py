"""How `Kernel.explain()` tells which loops run on threads, in which parts, and why others do not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import StringAttr

from irtensor.dialects.concrete_index.concrete_index import ComputeOp, ForallOp
from irtensor.dialects.loop.loop import ForOp
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.analysis.races import PARALLEL, Race, is_marked, is_scalar, meeting_stores, refusal
from irtensor.passes.concrete_index.parallelize_outermost import obstacle, outermost_loops
from irtensor.passes.iteration_lattice.support.counted_results import COUNTED
from irtensor.passes.loop.support.appending_loop import AppendingLoop
from irtensor.passes.loop.support.division import is_divided
from irtensor.passes.loop.support.loop_work import LoopWork
from irtensor.passes.loop.support.parallel_state import Shared, state_of

if TYPE_CHECKING:
    from irtensor.compiler.explain.final_plan import FinalPlan
    from irtensor.options import Options


# The text about stores in which iterations of a parallel loop meet, by how the loop is marked.
_MEETINGS = {
    "temporary": "each part has a copy of {} of its own, and the copies are combined",
    "automatic": "each part has a copy of {} of its own, and the copies are combined",
    "atomics": "iterations that meet in {} change it by atomic operations",
    "ignore": "iterations do not meet in {}, as the schedule says",
}


def loops_on_threads(plan: FinalPlan, options: Options) -> Iterator[str]:
    """A line per outermost loop, and per loop that a schedule chose."""
    if options.num_threads == 1:
        yield "one thread, as num_threads says"
        return
    computes = [op for op in plan.function.body.block.ops if isinstance(op, ComputeOp)]
    outermost = [loop for compute in computes for loop in outermost_loops(compute.body.block)]
    # The function is kept: loops that it has no more use for are gone with it.
    _function, became = plan.imperative_loops()
    for loop in plan.loops():
        if is_marked(loop):
            parallel = [op for op in became[loop] if PARALLEL in op.attributes]
            merged = "on one thread: it merges lists that are found in loops around it"
            # A merge becomes loops that follow each other; a text that is the same for all of them is printed once.
            texts = list(dict.fromkeys(map(_division, parallel))) or [merged]
            yield "; ".join(
                [f"for {plan.label(loop)}: {'; then '.join(texts)}", *(_meetings(loop) if parallel else ())]
            )
        elif loop in outermost:
            race = obstacle(loop)
            reason = "it is not marked as parallel" if race is None else _reason(race)
            yield f"for {plan.label(loop)}: on one thread: {reason}"


def _reason(race: Race) -> str:
    """What keeps a loop on one thread, and why its parts cannot have copies of their own."""
    more = refusal(race, "temporary")
    return f"{race.reason}, {more}" if more else race.reason


def _meetings(loop: ForallOp) -> Iterator[str]:
    """The text about stores into components that several iterations reach; the division says how numbers combine."""
    stores = [store for store in meeting_stores(loop) if not is_scalar(store)]
    names = dict.fromkeys(name_of(store.tensor) for store in stores)
    mark = loop.attributes[PARALLEL]
    if names and isinstance(mark, StringAttr) and mark.data in _MEETINGS:
        yield _MEETINGS[mark.data].format(" and ".join(f"'{name}'" for name in names))


def _division(loop: ForOp) -> str:
    appending = AppendingLoop.find(loop)
    try:
        reduces = appending is None and state_of(loop).reductions
    except Shared as reason:
        return f"on one thread: {reason}"
    text = _parts(loop)
    if appending is not None:
        if COUNTED in loop.attributes:
            return f"{text}; each counts its entries first, which says where they go"
        known = all(appending.entries_of(counter) is not None for counter in appending.counters)
        if known:
            return f"{text}; entries go to their final positions"
        return f"{text}; the first go into the result, the others into lists of their own, which are joined"
    return f"{text}; their results are combined in order" if reduces else text


def _parts(loop: ForOp) -> str:
    if is_divided(loop):
        return "in windows of about equal work, by how much is stored in them"
    work = LoopWork(loop)
    if work.is_even:
        return "in parts of equal length"
    measure = "the positions of entries" if work.reads_positions else "the lengths of the loops inside"
    return f"in parts of about equal work, by {measure}"
