"""The schedule with which a kernel runs on given operands: found once for operands of some sizes, and kept on disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from irtensor.compiler.call_sizes import magnitudes, may_be_large
from irtensor.compiler.compile_kernel import compiled_with
from irtensor.compiler.compile_request import CompileRequest
from irtensor.dialects.diagnostics import UserError
from irtensor.late_imports import load_for
from irtensor.memory_cache import MemoryCache
from irtensor.runtime.disk_cache import CachedObject, DiskCache, cache_key
from irtensor.schedule import AUTO, TUNED_ON, UNASKED, schedule_of

if TYPE_CHECKING:
    from irtensor.compiler.compile_kernel import Request
    from irtensor.compiler.module_request import ModuleRequest
    from irtensor.options import Options

_SMALL = "a schedule is searched for on operands for which the loops are expected to take longer than a search"
_known: MemoryCache[Any, Choice] = MemoryCache()


class Rated(NamedTuple):
    """A program, None for no schedule, and what it takes: seconds of its fastest run, or steps that are expected.

    Infinite for one that ran on few data only: it took much longer than others, or too much memory.
    """

    amount: float
    program: str | None


class Rating(NamedTuple):
    """What a tensor may be computed by, the one first that is taken; nothing where there is nothing to choose."""

    tensor: str
    rated: tuple[Rated, ...]

    @property
    def taken(self) -> str | None:
        return self.rated[0].program if self.rated else None


class Choice(NamedTuple):
    """A program for each definition of a kernel, None for none, and what they were chosen among."""

    programs: tuple[str | None, ...]
    ratings: tuple[Rating, ...]


_Request = TypeVar("_Request", "CompileRequest", "ModuleRequest")


def with_chosen_schedule(
    request: _Request, operands: Sequence[Any], by: str, settings: Options
) -> tuple[_Request, tuple[Rating, ...]]:
    """A request with the schedule for some operands, and what it was chosen among, for each tensor that it defines.

    Measured, if `by` is one of TUNED_ON; else the one that is expected to be the least work on operands of their sizes,
    UNASKED only where the plan is large. The request stays as it is where there is nothing to choose. Raises UserError
    where the kernel cannot be compiled at all.
    """
    if by == UNASKED and not may_be_large(request, operands):
        return request, ()
    sizes = magnitudes(operands)
    key = (request.any_kind, sizes, by, settings.kernel_key())
    choice = _known[key]
    if choice is None:
        choice = _known[key] = _kept(request.any_kind, operands, sizes, by, settings)
    if not any(rating.rated for rating in choice.ratings):
        return request, ()
    return replace(request, schedule=schedule_of(choice.programs)), choice.ratings


def choice_of(ratings: Sequence[Rating], plans: Sequence[str | None]) -> Choice:
    """The choice of what is rated best for each definition, which has the program of `plans` without a choice."""
    return Choice(programs_of([rating.taken for rating in ratings], plans), tuple(ratings))


def programs_of(taken: Sequence[str | None], plans: Sequence[str | None]) -> tuple[str | None, ...]:
    """The programs for a request of which the definitions have those that are taken, None for their plan."""
    # Without any of them, the plans are what a request is compiled as that has no schedule.
    return tuple([one or plan for one, plan in zip(taken, plans, strict=True)] if any(taken) else taken)


def ratings_text(ratings: Sequence[Rating], by: str) -> list[str]:
    """What a schedule was chosen among, for people; nothing before the first call."""
    if not ratings:
        return [_SMALL] if by == UNASKED else []
    if by in TUNED_ON:
        title = f"measured on {TUNED_ON[by]}"
    else:
        title = "steps that are expected for operands with as many entries as those of the call, anywhere"
    lines = [title]
    for tensor, rated in ratings:
        lines += [f"  {tensor}"] if rated and len(ratings) > 1 else []
        lines += [f"  {_amount(one, by)}  {one.program or 'without a schedule'}" for one in rated]
    return lines


def _amount(one: Rated, by: str) -> str:
    if by not in TUNED_ON:
        return f"{one.amount:10.3g}"
    return f"{1e3 * one.amount:10.3f} ms" if one.amount < inf else f"{'left out':>13}"


def _kept(request: Request, operands: Sequence[Any], sizes: Any, by: str, settings: Options) -> Choice:
    """What is on disk about a request for operands of some sizes, else what is found, which is then kept there."""
    from irtensor.runtime.cpu_engine import target_description

    if not settings.disk_cache:
        return _found(request, operands, by, settings)
    cache = DiskCache(settings.cache_dir)
    structure = repr(("schedule", by, sizes, settings.num_threads, request.structure(settings)))
    key = cache_key(structure, target_description(cache), cache)

    def read(known: CachedObject) -> Choice:
        programs, ratings = known.metadata
        found = [Rating(tensor, tuple([Rated(*pair) for pair in rated])) for tensor, rated in ratings]
        return Choice(tuple(programs), tuple(found))

    if (kept := cache.load_as(key, read)) is not None:
        return kept
    choice = _found(request, operands, by, settings)
    cache.store(key, (), choice)
    return choice


def _found(request: Request, operands: Sequence[Any], by: str, settings: Options) -> Choice:
    # What is known from the disk is known without what a search needs.
    load_for("searching")
    if by in TUNED_ON:
        from irtensor.compiler.tune_schedule import measured

        return measured(request, operands, by, settings)
    from irtensor.compiler.schedule_by_size import Candidates, sizes_of

    candidates, sizes = Candidates.of(request, settings), sizes_of(request, operands)
    pairs = zip(candidates, sizes, strict=True)
    ratings = [Rating(one.tensor, one.ranked(its) if by == AUTO else one.instead_of_plan(its)) for one, its in pairs]
    plans = [one.plan_program for one in candidates]
    choice = choice_of(ratings, plans)
    if _compiles(request, choice, settings):
        return choice
    # What cannot be compiled for one definition is passed over by itself.
    nothing = [rating._replace(rated=()) for rating in ratings]
    for number, rating in enumerate(ratings):
        while rating.rated and not _compiles(request, _only(nothing, number, rating, plans), settings):
            rating = rating._replace(rated=rating.rated[1:])
        ratings[number] = rating
    choice = choice_of(ratings, plans)
    return choice if _compiles(request, choice, settings) else choice_of(nothing, plans)


def _only(nothing: Sequence[Rating], number: int, rating: Rating, plans: Sequence[str | None]) -> Choice:
    """The choice for one definition with that of no other."""
    return choice_of([*nothing[:number], rating, *nothing[number + 1 :]], plans)


def _compiles(request: Request, choice: Choice, settings: Options) -> bool:
    scheduled = replace(request, schedule=schedule_of(choice.programs))
    try:
        compiled_with(scheduled, settings)
    except UserError:
        return scheduled.schedule is None
    return True
