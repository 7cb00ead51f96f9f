"""The planner of irtensor: programs of least asymptotic cost, chosen by the sizes of operands or by measurement.

Without operands a program is chosen only if its loops are of a lower order than those of the compiler's own plan. A
program that does less in as many loops is not chosen: which of the two is faster depends on the operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from irtensor.api.schedule import TUNED_ON, UNASKED
from irtensor.late_imports import load_for
from irtensor.memory_cache import MemoryCache
from irtensor.planning.call_sizes import magnitudes, may_be_large
from irtensor.planning.plan import Plan, Rated, Rating
from irtensor.planning.plan_of_planner import plan_of
from irtensor.runtime.disk_cache import CachedObject, DiskCache, cache_key

if TYPE_CHECKING:
    from irtensor.compiler.compilation.lower_request import Lowered
    from irtensor.compiler.compilation.request import Request
    from irtensor.options import Options
    from irtensor.planning.candidates import Candidates
    from irtensor.planning.plan_of_planner import Load

_Choice = tuple[tuple[str | None, ...], tuple[Rating, ...]]


class DefaultPlanner:
    """See the module. Plans are cached, by request, and for operands of some sizes also on disk."""

    def __init__(self) -> None:
        self.plans: MemoryCache[Any, Plan] = MemoryCache()
        self.choices: MemoryCache[Any, _Choice] = MemoryCache()
        # Definitions are IR, some ten operations for each operand.
        self.searched: MemoryCache[Any, tuple[Candidates, ...]] = MemoryCache(entry_bytes=1 << 16)

    def plan(
        self,
        request: Request,
        settings: Options,
        operands: Sequence[Any] | None = None,
        by: str | None = None,
        load: Load | None = None,
    ) -> Plan:
        """See Planner."""
        if operands is None or by is None:
            return self._plan_for_any(request, settings)
        return self._plan_for(request, settings, operands, by, load)

    def candidates(self, request: Request, settings: Options) -> tuple[Candidates, ...]:
        """The candidates for each definition of a request, whatever its schedule. Raises UserError."""
        plain = replace(request.any_purpose, schedule=None)
        key = (plain, settings.kernel_key())
        known = self.searched[key]
        if known is None:
            # Loaded with the first search.
            from irtensor.planning.search_programs import candidates_of

            known = self.searched[key] = tuple(candidates_of(plain, plan_of(self, plain, settings), settings))
        return known

    def _plan_for_any(self, request: Request, settings: Options) -> Plan:
        known = self.plans[request.any_purpose]
        if known is not None:
            return Plan.of(request, known.programs, may_be_beaten=known.may_be_beaten)
        # Loaded with the first kernel that is compiled.
        from irtensor.planning.search_programs import plan_of_lower_order

        plan = plan_of_lower_order(request, settings)
        # The modules of all requests would take much memory.
        self.plans[request.any_purpose] = plan._replace(draft=None, lowered=None)
        return plan

    def _plan_for(
        self, request: Request, settings: Options, operands: Sequence[Any], by: str, load: Load | None
    ) -> Plan:
        if by == UNASKED and not may_be_large(request, operands):
            return Plan(request)
        sizes = magnitudes(operands)
        key = (request.any_purpose, sizes, by, settings.kernel_key())
        choice, lowered = self.choices[key], None
        if choice is None:
            choice, lowered = self._kept(request.any_purpose, operands, sizes, by, settings, load)
            self.choices[key] = choice
        programs, ratings = choice
        if not any(rating.rated for rating in ratings):
            return Plan(request)
        return Plan.of(request, programs, ratings=ratings, lowered=lowered if request.purpose == "fused" else None)

    def _kept(
        self, request: Request, operands: Sequence[Any], sizes: Any, by: str, settings: Options, load: Load | None
    ) -> tuple[_Choice, Lowered | None]:
        """The choice that is on disk for operands of some sizes, else the one that is found, which is then kept."""
        from irtensor.runtime.cpu_engine import target_description

        if not settings.disk_cache:
            return self._found(request, operands, by, settings, load)
        cache = DiskCache(settings.cache_dir)
        structure = repr(("schedule", by, sizes, settings.num_threads, request.structure(settings)))
        key = cache_key(structure, target_description(cache), cache)

        def read(known: CachedObject) -> _Choice:
            programs, ratings = known.metadata
            found = [Rating(tensor, tuple([Rated(*pair) for pair in rated])) for tensor, rated in ratings]
            return tuple(programs), tuple(found)

        if (kept := cache.load_as(key, read)) is not None:
            return kept, None
        choice, lowered = self._found(request, operands, by, settings, load)
        cache.store(key, (), choice)
        return choice, lowered

    def _found(
        self, request: Request, operands: Sequence[Any], by: str, settings: Options, load: Load | None
    ) -> tuple[_Choice, Lowered | None]:
        # A choice from the disk does not need what a search needs.
        load_for("searching")
        from irtensor.planning.search_programs import programs_of, ratings_by_size

        candidates = self.candidates(request, settings)
        if by in TUNED_ON:
            from irtensor.planning.measure_programs import measured

            assert load is not None, "who asks for measurements says how to compile"
            ratings, lowered = measured(request, operands, by, settings, candidates, load), None
        else:
            ratings, lowered = ratings_by_size(request, operands, by, settings, candidates)
        return (programs_of(ratings, [one.plan_program for one in candidates]), tuple(ratings)), lowered


DEFAULT_PLANNER = DefaultPlanner()
