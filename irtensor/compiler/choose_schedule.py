"""The schedule with which a kernel runs on given operands: found once for operands of some sizes, and kept on disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from irtensor.compiler.call_sizes import magnitudes, may_be_large
from irtensor.compiler.compile_kernel import CompileRequest
from irtensor.dialects.diagnostics import UserError
from irtensor.runtime.disk_cache import DiskCache, cache_key
from irtensor.schedule import AUTO, TUNED_ON, UNASKED, schedule_of

if TYPE_CHECKING:
    from irtensor.compiler.module_kernel import ModuleRequest
    from irtensor.options import Options

_SMALL = "a schedule is searched for on operands for which the loops are expected to take longer than a search"
_KNOWN = 1024
_known: dict[Any, tuple[Rated, ...]] = {}


class Rated(NamedTuple):
    """A program, None for no schedule, and what it takes: seconds of its fastest run, or steps that are expected.

    Infinite for one that ran on few data only: it took much longer than others, or too much memory.
    """

    amount: float
    program: str | None


_Request = TypeVar("_Request", "CompileRequest", "ModuleRequest")


def with_chosen_schedule(
    request: _Request, operands: Sequence[Any], by: str, settings: Options
) -> tuple[_Request, tuple[Rated, ...]]:
    """A request with the schedule for some operands, and what it was chosen among, that one first.

    Measured, if `by` is one of TUNED_ON; else the one that is expected to be the least work on operands of their sizes,
    UNASKED only where the plan is large. The request stays as it is where there is nothing to choose. Raises UserError
    where the kernel cannot be compiled at all.
    """
    if by == UNASKED and not may_be_large(request, operands):
        return request, ()
    sizes = magnitudes(operands)
    key = (request.any_kind, sizes, by, settings.kernel_key())
    rated = _known.get(key)
    if rated is None:
        if len(_known) >= _KNOWN:
            _known.clear()
        rated = _known[key] = _kept(request.any_kind, operands, sizes, by, settings)
    if not rated:
        return request, ()
    return replace(request, schedule=schedule_of(rated[0].program)), rated


def rated_text(rated: Sequence[Rated], by: str) -> list[str]:
    """What a schedule was chosen among, for people; nothing before the first call."""
    if not rated:
        return [_SMALL] if by == UNASKED else []
    if by in TUNED_ON:
        title = f"measured on {TUNED_ON[by]}"
        amounts = [f"{1e3 * one.amount:10.3f} ms" if one.amount < inf else f"{'left out':>13}" for one in rated]
    else:
        title = "steps that are expected for operands with as many entries as those of the call, anywhere"
        amounts = [f"{one.amount:10.3g}" for one in rated]
    lines = [f"  {amount}  {one.program or 'without a schedule'}" for amount, one in zip(amounts, rated, strict=True)]
    return [title, *lines]


def _kept(
    request: CompileRequest | ModuleRequest, operands: Sequence[Any], sizes: Any, by: str, settings: Options
) -> tuple[Rated, ...]:
    """What is on disk about a request for operands of some sizes, else what is found, which is then kept there."""
    from irtensor.runtime.cpu_engine import target_description

    if not settings.disk_cache:
        return _found(request, operands, by, settings)
    cache = DiskCache(settings.cache_dir)
    structure = repr(("schedule", by, sizes, settings.num_threads, request.structure(settings)))
    key = cache_key(structure, target_description(cache))
    if (known := cache.load(key)) is not None:
        return tuple([Rated(*pair) for pair in known.metadata])
    rated = _found(request, operands, by, settings)
    cache.store(key, (), rated)
    return rated


def _found(
    request: CompileRequest | ModuleRequest, operands: Sequence[Any], by: str, settings: Options
) -> tuple[Rated, ...]:
    if by in TUNED_ON:
        assert isinstance(request, CompileRequest)
        from irtensor.compiler.tune_schedule import measured

        return measured(request, operands, by, settings)
    # Loaded where something is searched for: what is known from the disk is known without it.
    from irtensor.compiler.schedule_by_size import Candidates, sizes_of

    candidates, sizes = Candidates.of(request, settings), sizes_of(request, operands)
    rated = candidates.ranked(sizes) if by == AUTO else candidates.instead_of_plan(sizes)
    while rated and not _compiles(replace(request, schedule=schedule_of(rated[0].program)), settings):
        rated = rated[1:]
    return rated


def _compiles(request: CompileRequest | ModuleRequest, settings: Options) -> bool:
    try:
        request.loaded(settings)
    except UserError:
        return request.schedule is None
    return True
