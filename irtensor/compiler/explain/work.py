"""What `explain()` says of the work that a kernel does, whatever its operands hold: its tasks, and those of others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from irtensor.compiler.compilation.draft import Draft
from irtensor.core.diagnostics import UserError
from irtensor.core.level_format import LevelFormat
from irtensor.dialects.concrete_index.concrete_index import ForallOp
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.autoschedule.plan_comparison import MoreWork, PlanComparison
from irtensor.passes.autoschedule.statements import stored_by, text_of
from irtensor.passes.autoschedule.task_sets import text_of as cost_text

if TYPE_CHECKING:
    from irtensor.compiler.compilation.request import Request
    from irtensor.compiler.explain.final_plan import FinalPlan
    from irtensor.options import Options

# The most costs that are computed to say whether a program does less.
_BUDGET = 300


def compared(request: Request, options: Options) -> list[PlanComparison | None]:
    """Each definition of a request beside other programs; None where its work is not known."""
    if request.start != "index_notation":
        return []
    found = Draft(request, options, compares=True).comparisons(_BUDGET)
    return [None if one is None or not one.has_cost else one for one in found]


def work_of(comparisons: Sequence[PlanComparison | None]) -> Iterator[str]:
    """The tasks for each definition and whether they are the fewest; nothing where that is not known."""
    for comparison in filter(None, comparisons):
        of = f"{stored_by(comparison.plan).target.tensor}: " if len(comparisons) > 1 else ""
        yield f"{of}{cost_text(comparison.search.tasks(comparison.plan))}"
        yield f"{' ' * len(of)}{_verdict(comparison)}"


def pieces_of(plan: FinalPlan) -> Iterator[str]:
    """A line for each operand that is stored in runs or blocks along an index variable: what that means for its tasks.

    Tasks are counted by coordinates; a loop has fewer iterations where pieces tell it that many are alike.
    """
    found: dict[tuple[str, str, str], None] = {}
    for loop, reads in plan.reads.items():
        for read in reads:
            if isinstance(loop, ForallOp) and (what := _pieces(read.level.format)):
                found[read.tensor, name_of(loop.variable), what] = None
    for tensor, variable, what in found:
        yield f"{tensor} has {what.format(variable)}"


def _pieces(level: LevelFormat) -> str:
    if level.pieces == "runs":
        return "runs along {0}: tasks in a run are one where nothing else differs along {0}"
    if level.pattern.structured and level.pattern.fills_gaps:
        return "one block along {0}: its coordinates are visited without a comparison"
    return ""


def why_not(comparisons: Sequence[PlanComparison | None], program: str) -> Iterator[str]:
    """How the work of another program for a definition differs. Raises UserError."""
    known = [one for one in comparisons if one is not None]
    if not known:
        message = "the asymptotic cost of this kernel is not known, so that it is not compared with a program"
        raise UserError("no-asymptotic-cost", message, help="omit instead=")
    comparison = next((one for one in known if one.defines(program)), known[0])
    other = comparison.other(program)
    yield cost_text(comparison.search.tasks(other))
    more, less = comparison.more_work(other, comparison.plan), comparison.more_work(comparison.plan, other)
    if more is None:
        yield "does what this kernel does, and no more" if less is None else "does less"
    if more is not None:
        yield f"does more: {_example(more)}"
    if less is not None:
        yield f"does not do what this kernel does: {_example(less)}"


def _verdict(comparison: PlanComparison) -> str:
    verdict = comparison.verdict
    if verdict.costed == 0:
        return "no program does less: each reads every operand and goes through every dimension"
    costs = f"{verdict.costed} cost{'s were' if verdict.costed > 1 else ' was'} computed"
    which = "that reads operands as they are stored, converts no more of them and takes no more memory"
    if verdict.better is not None:
        # In as many loops, the steps that are saved may take less time than those that replace them.
        how = "does less" if comparison.shallower else "has fewer tasks, and operands decide which is faster"
        return f"another one {how}: {text_of(verdict.better)}"
    if verdict.complete:
        return f"no program does less {which}: {costs}"
    return f"whether a program does less {which} was not found out: {costs}"


def _example(more: MoreWork) -> str:
    """The tasks, and one of them on the least tensors that have it."""
    heads = ", ".join(f"{head} = {number}" for number, head in enumerate(more.tasks.heads))
    entries = ", ".join(f"{tensor} {_listed(coordinates)}" for tensor, coordinates in sorted(more.entries.items()))
    where = f" with entries only in {entries}" if entries else ""
    return f"{cost_text(frozenset({more.tasks}))}, such as {heads or 'one'}{where}"


def _listed(coordinates: list[tuple[int, ...]]) -> str:
    return " and ".join(f"({', '.join(map(str, entry))})" for entry in coordinates)
