"""A request lowered to loops: the input of planning, and the first half of a compilation."""

from __future__ import annotations

from contextlib import suppress
from time import perf_counter
from typing import TYPE_CHECKING

from irtensor.compiler.compilation.lower_module import lower_module
from irtensor.compiler.compilation.pipeline_choices import PipelineChoices
from irtensor.core.diagnostics import UserError, collect_remarks
from irtensor.dialects.support.create_operation import copy_of
from irtensor.passes.pipelines import SCHEDULED_AFTER

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from irtensor.compiler.compilation.request import Request
    from irtensor.dialects.concrete_index.concrete_index import ComputeOp
    from irtensor.options import Options
    from irtensor.passes.autoschedule.plan_comparison import PlanComparison


class Draft:
    """The module of a request in the concrete_index stage, with the remarks of the passes that led there."""

    def __init__(self, request: Request, settings: Options, *, compares: bool = False) -> None:
        """Lower a request. Raises UserError.

        `compares` keeps the definitions as they are before any decision, for `comparisons`.
        """
        self._before: ModuleOp | None = None
        start = perf_counter()
        built = request.build()
        self.seconds = {request.start: perf_counter() - start}
        self.nonempty = built.nonempty
        self.module: ModuleOp = built.module
        choices = PipelineChoices.for_request(request, settings)
        self._tabulates = "tabulate-sums" not in choices.without

        def keep(name: str) -> bool:
            if name == SCHEDULED_AFTER:
                self._before = copy_of(self.module)
            return False

        start = perf_counter()
        with request.located(), collect_remarks() as remarks:
            lower_module(
                self.module,
                request.start,
                "concrete_index",
                choices=choices,
                verify=settings.verify,
                after=keep if compares else None,
            )
        if request.start != "concrete_index":
            self.seconds["concrete_index"] = perf_counter() - start
        self.remarks = remarks

    @property
    def computed(self) -> list[ComputeOp]:
        """The definitions with their loops."""
        return _computed(self.module)

    @property
    def definitions(self) -> list[ComputeOp | None]:
        """The definitions before any decision; None for each that has no other programs."""
        return [] if self._before is None else _definitions(self._before)

    def comparisons(self, budget: int) -> list[PlanComparison | None]:
        """Each definition beside the loops that the module has for it; None where they have no cost."""
        from irtensor.passes.autoschedule.plan_comparison import PlanComparison

        def compared(
            definition: ComputeOp | None, plan: ComputeOp | None, tabulated: ComputeOp | None
        ) -> PlanComparison | None:
            if definition is not None and plan is not None:
                with suppress(UserError):
                    return PlanComparison(definition, plan, budget, tabulated)
            return None

        return list(map(compared, self.definitions, _definitions(self.module), self._tabulated()))

    def _tabulated(self) -> list[ComputeOp | None]:
        """The definitions with their loops where sums are computed before these; None without such sums."""
        from irtensor.dialects.concrete_index.concrete_index import WhereOp
        from irtensor.passes.concrete_index.tabulate_sums import tabulate_sums
        from irtensor.passes.support.operations_in import operations_in

        # Only what a temporary holds is a sum before the loops.
        if not self._tabulates or not operations_in(self.module, WhereOp):
            return [None for _ in self.computed]
        return [one if tabulate_sums(one, asks=False) else None for one in _computed(copy_of(self.module))]


def _definitions(module: ModuleOp) -> list[ComputeOp | None]:
    """The definitions of a module; None for each whose numbers are not all of one type."""
    from irtensor.passes.autoschedule.write_program import why_not_rewritten

    return [one if why_not_rewritten(one) is None else None for one in _computed(module)]


def _computed(module: ModuleOp) -> list[ComputeOp]:
    from irtensor.dialects.concrete_index.concrete_index import ComputeOp
    from irtensor.passes.support.operations_in import operations_in

    return operations_in(module, ComputeOp)
