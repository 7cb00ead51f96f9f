"""Which schedule of a kernel is the fastest: without one, or with one of the programs of least asymptotic cost.

That depends on what operands hold (Ahrens 2022, section 8, leaves it to be measured). It is found out once for operands
of some sizes, by measurement or for `schedule="auto"` by the work that programs are expected to be, and kept on disk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import inf, prod
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irtensor.compiler.compile_kernel import CompileRequest, loaded
from irtensor.compiler.default_schedule import lowered
from irtensor.compiler.statement_variant import magnitudes
from irtensor.dialects.diagnostics import UserError
from irtensor.frontend.expression_tree import accesses
from irtensor.io.progress import Progress
from irtensor.runtime.disk_cache import DiskCache, cache_key
from irtensor.schedule import AUTO, TUNED_ON, Schedule

if TYPE_CHECKING:
    from irtensor.compiler.kernel import Kernel
    from irtensor.dialects.concrete_index import ComputeOp
    from irtensor.options import Options
    from irtensor.passes.autoschedule.operand_sizes import OperandSizes
    from irtensor.passes.autoschedule.statements import Statement as Program

_BUDGET = 2000
_MOST_CANDIDATES = 12
# How many elements operands store on which all candidates run.
_FEW = 1 << 12
# Those that take longer than this many times the shortest time are not run again.
_HOPELESS = 8.0
_ROUNDS = 5
# Seconds after which no other round begins.
_PATIENCE = 1.0
# What is measured differs by as much from run to run: the first of those that are as fast as this is taken.
_NOISE = 1.05
_KNOWN = 1024
_known: dict[Any, tuple[Timing, ...]] = {}
# What has been searched for requests of any sizes.
_candidates: dict[Any, list[Program]] = {}


class Timing(NamedTuple):
    """The seconds of a kernel's fastest run, everything included, and its program; None for no schedule.

    They are infinite for one that ran on few data only: it took much longer than others, or too much memory. Where
    nothing was measured they are steps that are expected.
    """

    seconds: float
    program: str | None


def tuned(
    request: CompileRequest, operands: Sequence[Any], tune: str, settings: Options
) -> tuple[CompileRequest, tuple[Timing, ...]]:
    """A request with the schedule that was the fastest, and what was measured, that one first.

    Measured on the operands that the kernel is called with, or on uniform samples like them, as `tune` says (see
    TUNED_ON); with AUTO, of the programs of least cost that which is expected to be the least work. The request stays
    as it is where there are none. Raises UserError where the kernel cannot be compiled at all.
    """
    sizes = magnitudes(operands)
    key = (request.any_kind, sizes, tune, settings.kernel_key())
    timings = _known.get(key)
    if timings is None:
        if len(_known) >= _KNOWN:
            _known.clear()
        timings = _known[key] = _timings(request.any_kind, operands, sizes, tune, settings)
    if not timings:
        return request, ()
    return replace(request, schedule=_schedule(timings[0].program)), timings


def measured_text(timings: Sequence[Timing], tune: str) -> list[str]:
    """What was measured, for people; nothing before the first call."""
    if not timings:
        return []
    if tune == AUTO:
        title = "steps that are expected for operands with as many entries as those of the call, anywhere"
        return [title, *(f"  {timing.seconds:10.3g}  {timing.program}" for timing in timings)]
    lines = [f"measured on {TUNED_ON[tune]}"]
    for timing in timings:
        time = f"{1e3 * timing.seconds:10.3f} ms" if timing.seconds < inf else f"{'left out':>13}"
        lines.append(f"  {time}  {timing.program or 'without a schedule'}")
    return lines


def _schedule(program: str | None) -> Schedule | None:
    return None if program is None else Schedule().autoschedule(program=program)


def _timings(
    request: CompileRequest, operands: Sequence[Any], sizes: Any, tune: str, settings: Options
) -> tuple[Timing, ...]:
    """What is on disk about a request for operands of some sizes, else what is measured, which is then kept there."""
    from irtensor.runtime.cpu_engine import target_description

    find = partial(_expected if tune == AUTO else _measured, request, operands, tune, settings)
    if not settings.disk_cache:
        return find()
    cache = DiskCache(settings.cache_dir)
    structure = repr(("tuned", tune, sizes, settings.num_threads, request.structure(settings)))
    key = cache_key(structure, target_description(cache))
    if (found := cache.load(key)) is not None:
        return tuple([Timing(*pair) for pair in found.metadata])
    timings = find()
    cache.store(key, (), timings)
    return timings


def _measured(request: CompileRequest, operands: Sequence[Any], tune: str, settings: Options) -> tuple[Timing, ...]:
    from irtensor.compiler.uniform_samples import uniform_samples

    kernels = _different(request, settings)
    # What does more work shows it on little data already, and could take for ever on much.
    tried = _best(kernels, uniform_samples(operands, _FEW), 1)
    promising = {program: kernels[program] for program in tried if tried[program] <= _HOPELESS * min(tried.values())}
    times = _best(promising, operands if tune == "operands" else uniform_samples(operands), _ROUNDS)
    # Of those that are as fast, the first one in the order of preference.
    taken = next(program for program, seconds in times.items() if seconds <= _NOISE * min(times.values()))
    others = [Timing(times.get(program, inf), program) for program in kernels if program != taken]
    return (Timing(times[taken], taken), *sorted(others, key=lambda timing: timing.seconds))


def _expected(request: CompileRequest, operands: Sequence[Any], tune: str, settings: Options) -> tuple[Timing, ...]:
    """The programs of least cost by the work that they are expected to be on operands of these sizes."""
    from irtensor.passes.autoschedule.candidate_programs import ranked_programs
    from irtensor.passes.autoschedule.statements import text_of

    definition = lowered(replace(request, schedule=None), settings).definition
    if definition is None:
        return ()
    if request.any_kind not in _candidates:
        if len(_candidates) >= _KNOWN:
            _candidates.clear()
        _candidates[request.any_kind] = _searched(definition, request)
    if not (programs := _candidates[request.any_kind]):
        return ()
    ranked = ranked_programs(definition, programs, _sizes(request, operands))
    return tuple([Timing(work, text_of(program)) for program, work in ranked])


def _sizes(request: CompileRequest, operands: Sequence[Any]) -> OperandSizes:
    from irtensor.passes.autoschedule.operand_sizes import OperandSizes

    named = dict(zip(request.names(), operands, strict=True))
    extents: dict[str, float] = {}
    for access in accesses(request.statement.expression):
        extents |= dict(zip(access.indices, map(float, named[access.tensor].shape), strict=True))
    shares = {name: one.nnz / (prod(one.shape) or 1) for name, one in named.items() if not isinstance(one, np.ndarray)}
    return OperandSizes(extents, shares)


def _different(request: CompileRequest, settings: Options) -> dict[str | None, Kernel]:
    """Kernels with different code, by their programs: without a schedule, then in the order of preference."""
    found: dict[str | None, Kernel] = {}
    programs = [None, *_programs(request, settings)]
    bar = Progress("compiling schedules", len(programs))
    try:
        for done, program in enumerate(programs):
            bar.update(done)
            try:
                kernel = loaded(replace(request, schedule=_schedule(program)), settings)
            except UserError:
                # What is refused without a schedule is refused in the call as well.
                if program is None:
                    raise
                continue
            if all(kernel.native.objects != other.native.objects for other in found.values()):
                found[program] = kernel.with_threads(settings.num_threads)
    finally:
        bar.close()
    return found


def _programs(request: CompileRequest, settings: Options) -> list[str]:
    """The programs of least cost, preferred ones first; none where the order of sums is not the compiler's choice."""
    from irtensor.passes.autoschedule.statements import text_of

    definition = None if settings.strict_fp else lowered(request, settings).definition
    programs = [] if definition is None else _searched(definition, request)
    return [text_of(program) for program in programs[:_MOST_CANDIDATES]]


def _searched(definition: ComputeOp, request: CompileRequest) -> list[Program]:
    """The programs of least cost, preferred ones first; none where programs are not searched."""
    from irtensor.passes.autoschedule.candidate_programs import candidate_programs

    try:
        return candidate_programs(definition, budget=_BUDGET, convert=request.convert)
    except UserError:
        return []


def _best(kernels: Mapping[str | None, Kernel], operands: Sequence[Any], rounds: int) -> dict[str | None, float]:
    """The seconds of each kernel's fastest run after the first, in turns, so that what else the machine does hits all.

    What runs out of memory is left out.
    """
    first: dict[str | None, float] = {}
    for program, kernel in kernels.items():
        try:
            first[program] = _seconds(kernel, operands)
        except MemoryError:
            if program is None:
                raise
    if len(first) == 1:
        return first
    limit = _HOPELESS * min(first.values())
    best = {program: seconds if seconds > limit else inf for program, seconds in first.items()}
    end = perf_counter() + _PATIENCE
    for number in range(rounds):
        if number and perf_counter() >= end:
            break
        for program in [program for program in best if first[program] <= limit]:
            best[program] = min(best[program], _seconds(kernels[program], operands))
    return best


def _seconds(kernel: Kernel, operands: Sequence[Any]) -> float:
    start = perf_counter()
    kernel(operands)
    return perf_counter() - start
