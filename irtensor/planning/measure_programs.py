"""Which schedule of a kernel is the fastest, by measurement: none, or one of the programs of least asymptotic cost.

That depends on what operands hold (Ahrens 2022, section 8, leaves it to be measured).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING, Any

from irtensor.core.diagnostics import UserError
from irtensor.io.progress import Progress
from irtensor.planning.candidates import sizes_of
from irtensor.planning.plan import Plan, Rated, Rating
from irtensor.planning.search_programs import programs_of
from irtensor.planning.uniform_samples import uniform_samples

if TYPE_CHECKING:
    from irtensor.compiler.compilation.request import Request
    from irtensor.compiler.kernel.kernel import Kernel
    from irtensor.options import Options
    from irtensor.passes.autoschedule.operand_sizes import OperandSizes
    from irtensor.planning.candidates import Candidates
    from irtensor.planning.plan_of_planner import Load

_MOST_CANDIDATES = 12
# How many elements operands store on which all candidates run.
_FEW = 1 << 12
# Those that take longer than this many times the shortest time are not run again.
_HOPELESS = 8.0
_ROUNDS = 5
# Seconds after which no other round begins.
_PATIENCE = 1.0
# Measured times differ by as much from run to run: the first of those that are as fast as this is taken.
_NOISE = 1.05


def measured(
    request: Request,
    operands: Sequence[Any],
    tune: str,
    settings: Options,
    candidates: Sequence[Candidates],
    load: Load,
) -> list[Rating]:
    """The programs of least cost and no schedule by the seconds of their fastest runs, the chosen one first.

    Measured on the operands, or on uniform samples like them, as `tune` says (see TUNED_ON). Of several definitions,
    one after the other, with the programs that were found for those before.
    """
    ratings, plans = list[Rating](), [one.plan_program for one in candidates]
    for number, (one, its) in enumerate(zip(candidates, sizes_of(request, operands), strict=True)):
        after = [Rating(other.tensor, ()) for other in candidates[number + 1 :]]
        requests = {
            program: Plan.of(
                request, programs_of([*ratings, Rating(one.tensor, (Rated(0.0, program),)), *after], plans)
            ).request
            for program in (None, *_programs(one, its, settings))
        }
        ratings.append(Rating(one.tensor, _rated(_different(requests, settings, load), operands, tune)))
    return ratings


def _rated(kernels: Mapping[str | None, Kernel], operands: Sequence[Any], tune: str) -> tuple[Rated, ...]:
    # What does more work shows it on little data already, and could take for ever on much.
    tried = _best(kernels, uniform_samples(operands, _FEW), 1)
    promising = {program: kernels[program] for program in tried if tried[program] <= _HOPELESS * min(tried.values())}
    times = _best(promising, operands if tune == "operands" else uniform_samples(operands), _ROUNDS)
    # Of those that are as fast, the first one in the order of preference.
    taken = next(program for program, seconds in times.items() if seconds <= _NOISE * min(times.values()))
    others = [Rated(times.get(program, inf), program) for program in kernels if program != taken]
    return (Rated(times[taken], taken), *sorted(others, key=lambda one: one.amount))


def _different(requests: Mapping[str | None, Request], settings: Options, load: Load) -> dict[str | None, Kernel]:
    """Kernels with different code, by their programs: without a schedule, then in the order of preference."""
    found: dict[str | None, Kernel] = {}
    refused: UserError | None = None
    bar = Progress("compiling schedules", len(requests))
    try:
        for done, (program, request) in enumerate(requests.items()):
            bar.update(done)
            try:
                kernel = load(request, settings)
            except UserError as error:
                # A statement refused without a schedule is refused in the call as well, but for a GPU, which converts
                # nothing: a program may read operands as they are stored.
                if program is None and error.slug != "cuda-conversion":
                    raise
                refused = refused or error
                continue
            if all(kernel.native.objects != other.native.objects for other in found.values()):
                found[program] = kernel.with_threads(settings.num_threads)
    finally:
        bar.close()
    if not found and refused is not None:
        raise refused
    return found


def _programs(candidates: Candidates, sizes: OperandSizes | None, settings: Options) -> list[str]:
    """The programs of least cost, preferred ones first; none where the order of sums is not the compiler's choice."""
    return [] if settings.strict_fp else candidates.fitting(sizes)[:_MOST_CANDIDATES]


def _best(kernels: Mapping[str | None, Kernel], operands: Sequence[Any], rounds: int) -> dict[str | None, float]:
    """The seconds of each kernel's fastest run after the first, in turns, so that what else the machine does hits all.

    Kernels that run out of memory are omitted.
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
    return kernel.seconds_for(operands)
