"""The programs of plans: those of a lower order, and those of least expected work for the operands of a call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from irtensor.api.schedule import AUTO
from irtensor.compiler.compilation.draft import Draft
from irtensor.compiler.compilation.lower_request import Lowered, lowered_if_accepted
from irtensor.core.diagnostics import UserError
from irtensor.core.schedule_words import SEARCH_BUDGET
from irtensor.late_imports import load_for
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.planning.plan import Plan, Rating

if TYPE_CHECKING:
    from irtensor.compiler.compilation.request import Request
    from irtensor.options import Options
    from irtensor.planning.candidates import Candidates

# The most costs that are computed while a user waits for a compilation.
_BUDGET = 100


def plan_of_lower_order(request: Request, settings: Options) -> Plan:
    """The plan with a program for each definition that has one of fewer nested loops than the compiler's own order.

    A program that does less in as many loops is not chosen: which of the two is faster depends on the operands. The
    plan keeps the lowering that the search needed. Raises UserError for a request that cannot be compiled.
    """
    draft = Draft(request, settings, compares=True)
    programs, may_be_beaten = _of_lower_order(draft)
    if not any(programs):
        return Plan(request, programs, may_be_beaten, draft=draft)
    # Kernels of all purposes have the same loops.
    lowered = lowered_if_accepted(Plan.of(request.any_purpose, programs).request, settings)
    if lowered is None:
        return Plan(request, (), may_be_beaten, draft=draft)
    lowered = lowered if request.purpose == "fused" else None
    return Plan.of(request, programs, may_be_beaten=may_be_beaten, lowered=lowered)


def candidates_of(plain: Request, chosen: Plan, settings: Options) -> Iterator[Candidates]:
    """The candidates for each definition of a request whose plan is `chosen` without operands. Raises UserError."""
    load_for("searching")
    from irtensor.planning.candidates import Candidates

    draft = chosen.draft or Draft(chosen.request, settings, compares=True)
    for compute, definition, plan, program in zip_longest(
        draft.computed, draft.definitions, draft.comparisons(SEARCH_BUDGET), chosen.programs
    ):
        convert = plain.convert and settings.target != "cuda"
        yield Candidates(name_of(compute.result), definition, plan, program, convert)


def ratings_by_size(
    request: Request, operands: Sequence[Any], by: str, settings: Options, candidates: Sequence[Candidates]
) -> tuple[Sequence[Rating], Lowered | None]:
    """The programs for each definition by the work that is expected on operands of these sizes.

    With them comes the request that has the best of them, in the llvm dialect, if there are any.
    """
    from irtensor.planning.candidates import sizes_of

    rated = [
        one.ranked(sizes) if by == AUTO else one.instead_of_plan(sizes)
        for one, sizes in zip(candidates, sizes_of(request, operands), strict=True)
    ]
    ratings = [Rating(one.tensor, its) for one, its in zip(candidates, rated, strict=True)]
    return _accepted(request, settings, ratings, [one.plan_program for one in candidates])


def programs_of(ratings: Sequence[Rating], plans: Sequence[str | None]) -> tuple[str | None, ...]:
    """The program of each definition: the chosen one, or that of `plans`, which it has without a choice."""
    taken = [rating.taken for rating in ratings]
    # A request without any program is compiled as `plans` anyway.
    return tuple([one or plan for one, plan in zip(taken, plans, strict=True)] if any(taken) else taken)


def _of_lower_order(draft: Draft) -> tuple[tuple[str | None, ...], bool]:
    """For each definition the program with fewer nested loops than the draft has, and whether large operands may have a
    better one."""
    from irtensor.passes.autoschedule.statements import text_of

    programs, may_be_beaten = list[str | None](), False
    for comparison in draft.comparisons(_BUDGET):
        programs.append(None)
        with suppress(UserError):
            if comparison is not None:
                if (program := comparison.shallower) is not None:
                    # Raises for a text that is too long to be read.
                    comparison.other(text := text_of(program))
                    programs[-1] = text
                may_be_beaten |= comparison.may_be_beaten(program or comparison.plan)
    return tuple(programs), may_be_beaten


def _accepted(
    request: Request, settings: Options, ratings: list[Rating], plans: Sequence[str | None]
) -> tuple[Sequence[Rating], Lowered | None]:
    """The ratings without programs that a pass refuses, and the request with the best of the others, lowered."""
    lowered: Lowered | None = None

    def accepts(chosen: Sequence[Rating]) -> bool:
        nonlocal lowered
        plan = Plan.of(request, programs_of(chosen, plans))
        # The compiler's own order of loops is refused where it has operands converted for a GPU.
        is_sure = plan.request.schedule is None and settings.target != "cuda"
        lowered = None if is_sure else lowered_if_accepted(plan.request, settings)
        return is_sure or lowered is not None

    if accepts(ratings):
        return ratings, lowered
    # Each definition by itself: a refusal of one of them leaves the others.
    nothing = [rating._replace(rated=()) for rating in ratings]
    for number, rating in enumerate(ratings):
        while rating.rated and not accepts([*nothing[:number], rating, *nothing[number + 1 :]]):
            rating = rating._replace(rated=rating.rated[1:])
        ratings[number] = rating
    return (ratings, lowered) if accepts(ratings) else (nothing, None)
