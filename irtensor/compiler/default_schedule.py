"""The schedule of a kernel that is compiled without one: none, or a program of a lower order than the plan without it.

A program that does less in as many loops is not taken: which of the two is faster depends on the operands.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from irtensor.compiler.lower_module import lower_module
from irtensor.compiler.pipeline_choices import SCHEDULED_AFTER, PipelineChoices
from irtensor.dialects.diagnostics import UserError, collect_remarks
from irtensor.memory_cache import MemoryCache
from irtensor.schedule import schedule_of

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from irtensor.dialects.concrete_index import ComputeOp
    from irtensor.options import Options
    from irtensor.passes.autoschedule.plan_comparison import PlanComparison

# The most costs that are computed while a user waits for a compilation.
_BUDGET = 100


class Decision(NamedTuple):
    """The program for each definition of a kernel that is compiled without a schedule, None for none, and whether
    another one may be better for large operands."""

    programs: tuple[str | None, ...]
    is_open: bool


_decided: MemoryCache[Any, Decision] = MemoryCache()
_NO_CHOICE = Decision((), is_open=False)


def with_default_schedule(request: Any, settings: Options) -> Any:
    """A request (CompileRequest or ModuleRequest) with the schedule with which it is compiled. Raises UserError."""
    return with_decision(request, decision_for(request, settings))


def with_decision(request: Any, decision: Decision) -> Any:
    """A request with the schedule that was decided for it, if any."""
    schedule = schedule_of(decision.programs)
    return request if schedule is None else replace(request, schedule=schedule)


def decision_for(request: Any, settings: Options) -> Decision:
    """What is decided for a request, now if it has not been before. Raises UserError."""
    known = known_decision(request, settings)
    return decide(request, lowered(request, settings)) if known is None else known


def lowered(request: Any, settings: Options) -> PlanWatch:
    """A module that has been looked at while it was lowered."""
    watch = PlanWatch(request.build().module)
    choices = PipelineChoices.of(request.convert, settings, request.kind, request.schedule, request.wide)
    with request.located(), collect_remarks():
        lower_module(watch.module, request.start, "concrete_index", choices=choices, after=watch.look)
    return watch


def known_decision(request: Any, settings: Options) -> Decision | None:
    """What was decided for a request; None if it has to be found out whether it has a schedule."""
    return _decided[request.any_kind] if _is_free(request, settings) else _NO_CHOICE


def _is_free(request: Any, settings: Options) -> bool:
    """Whether loops and the order of sums are the compiler's choice, and operands may be converted."""
    chosen = request.schedule is not None or request.start != "index_notation"
    return not chosen and request.convert and not settings.strict_fp


class PlanWatch:
    """Looks at a module while it is lowered to concrete_index: at its definitions before any decision."""

    def __init__(self, module: ModuleOp) -> None:
        self.module = module
        self._before: ModuleOp | None = None
        # What was decided from it.
        self.decision: Decision | None = None

    def look(self, name: str) -> bool:
        """What `lower_module` is to call after each pass; it never stops it."""
        if name == SCHEDULED_AFTER:
            self._before = self.module.clone()
        return False

    @property
    def computed(self) -> list[ComputeOp]:
        """The definitions as they are in the end."""
        return _computed(self.module)

    @property
    def definitions(self) -> list[ComputeOp | None]:
        """The definitions before any decision; None for each to which there are no other programs."""
        return [] if self._before is None else _definitions(self._before)

    def comparisons(self, budget: int) -> list[PlanComparison | None]:
        """Each definition beside the loops that the module has for it in the end; None where they have no cost."""
        from irtensor.passes.autoschedule.plan_comparison import PlanComparison

        def compared(definition: ComputeOp | None, plan: ComputeOp | None) -> PlanComparison | None:
            if definition is not None and plan is not None:
                with suppress(UserError):
                    return PlanComparison(definition, plan, budget)
            return None

        return list(map(compared, self.definitions, _definitions(self.module)))


def decide(request: Any, watch: PlanWatch) -> Decision:
    """Find out whether a request has a schedule, now that its module has been lowered."""
    from irtensor.passes.autoschedule.statements import text_of

    programs, is_open = list[str | None](), False
    for comparison in watch.comparisons(_BUDGET):
        programs.append(None)
        with suppress(UserError):
            if comparison is not None:
                if (program := comparison.shallower) is not None:
                    # Raises for a text that is too long to be read.
                    comparison.other(text := text_of(program))
                    programs[-1] = text
                is_open |= comparison.may_be_beaten(program or comparison.plan)
    decision = watch.decision = _decided[request.any_kind] = Decision(tuple(programs), is_open)
    return decision


def without_programs(request: Any, decision: Decision) -> Decision:
    """The plan without a schedule is taken from now on."""
    decision = _decided[request.any_kind] = decision._replace(programs=())
    return decision


def _definitions(module: ModuleOp) -> list[ComputeOp | None]:
    """The definitions of a module; None for each whose numbers are not all of one type."""
    from irtensor.passes.autoschedule.write_program import why_not_rewritten

    return [one if why_not_rewritten(one) is None else None for one in _computed(module)]


def _computed(module: ModuleOp) -> list[ComputeOp]:
    from irtensor.dialects.concrete_index import ComputeOp
    from irtensor.passes.operations_in import operations_in

    return operations_in(module, ComputeOp)
