"""The schedule that is expected to be the least work on operands of some sizes: a program of least asymptotic cost, or
the plan without a schedule where no program is expected to be much less work.

What a program of least cost does is at most some multiple of what the plan does, whatever operands hold, but it may
convert operands and fill temporaries, for which operands have to be of some size.
"""

from __future__ import annotations

from contextlib import suppress
from math import inf, prod
from typing import TYPE_CHECKING, Any

from irtensor.core.cached_property import cached_property
from irtensor.core.diagnostics import UserError
from irtensor.core.schedule_words import SEARCH_BUDGET
from irtensor.io.progress import Progress
from irtensor.passes.autoschedule.candidate_programs import (
    RankedProgram,
    candidate_programs,
    chosen_of,
    ranked_programs,
)
from irtensor.passes.autoschedule.operand_sizes import OperandSizes
from irtensor.passes.autoschedule.statements import text_of
from irtensor.passes.autoschedule.temporary_sizes import large_modes
from irtensor.planning.call_sizes import is_large, slices_of
from irtensor.planning.plan import Rated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from irtensor.compiler.compilation.request import Request
    from irtensor.dialects.concrete_index.concrete_index import ComputeOp
    from irtensor.passes.autoschedule.plan_comparison import PlanComparison
    from irtensor.passes.autoschedule.statements import Statement

# A program for which operands are converted is taken if it is expected to be this many times less work than the plan: a
# step of the plan, which merges lists, often takes less time than the model says.
_WORTH = 2.0
# The same for other programs: steps that lie across rows are not told from those along them, which the plan prefers.
_LESS = 1.1


class Candidates:
    """What a definition of a request without a schedule may be run as: its plan, and the programs of least cost, which
    are searched for when they are asked for.

    `tensor` is what it defines, and `plan_program` the program that it has without a choice, None for none.
    """

    def __init__(
        self,
        tensor: str,
        definition: ComputeOp | None,
        plan: PlanComparison | None,
        plan_program: str | None,
        convert: bool,
    ) -> None:
        self.tensor = tensor
        self.plan_program = plan_program
        self._definition = definition
        self._plan = plan
        self._convert = convert

    @cached_property
    def classes(self) -> list[list[Statement]]:
        """The programs of each least cost; one may be better than another. None where they are not searched."""
        if self._definition is None:
            return []
        bar = Progress("searching schedules", SEARCH_BUDGET)
        try:
            return candidate_programs(
                self._definition, budget=SEARCH_BUDGET, convert=self._convert, progress=bar.update
            )
        except UserError:
            return []
        finally:
            bar.close()

    def work_of_plan(self, sizes: OperandSizes) -> float:
        """The steps that the plan is expected to take; infinite where that is not known."""
        with suppress(UserError):
            return inf if self._plan is None else self._plan.work(sizes)
        return inf

    def ranked(self, sizes: OperandSizes | None) -> tuple[Rated, ...]:
        """All of them by expected work, the one that is taken first; nothing without programs.

        Where sizes are not known, operands are taken to be of no special size.
        """
        sizes = sizes or OperandSizes()
        return self._rated(sizes, self.work_of_plan(sizes), self.classes)

    def instead_of_plan(self, sizes: OperandSizes | None) -> tuple[Rated, ...]:
        """The same where nobody has asked for a schedule: nothing if the plan is expected to take no longer than a
        search, or sizes are not known, and only programs with temporaries as small as the plan's, or small ones."""
        if sizes is None or not is_large(work := self.work_of_plan(sizes)) or work == inf:
            return ()
        assert self._plan is not None
        modes, model = self._plan.unbounded_modes, self._plan.model(sizes)
        most = modes(self._plan.plan)
        classes = chosen_of(self.classes, lambda one: modes(one) <= most or not large_modes(one, model))
        return self._rated(sizes, work, classes)

    def fitting(self, sizes: OperandSizes | None) -> list[str]:
        """The programs of least cost, as they are written for operands of some sizes, preferred ones first."""
        return [text_of(one.program) for one in self._ranked(sizes or OperandSizes(), self.classes)]

    def _ranked(self, sizes: OperandSizes, classes: Sequence[list[Statement]]) -> list[RankedProgram]:
        return [] if self._definition is None else ranked_programs(self._definition, classes, sizes)

    def _rated(self, sizes: OperandSizes, of_plan: float, classes: Sequence[list[Statement]]) -> tuple[Rated, ...]:
        if not classes:
            return ()
        ranked = self._ranked(sizes, classes)
        rated = [Rated(one.work, text_of(one.program)) for one in ranked]
        plan = Rated(of_plan, None)
        if plan.amount <= (_WORTH if ranked[0].converts else _LESS) * ranked[0].work:
            return (plan, *rated)
        return (*rated, plan) if plan.amount < inf else tuple(rated)


def sizes_of(request: Request, operands: Sequence[Any]) -> list[OperandSizes | None]:
    """For each definition the extents of the operands of a call, their shares of entries, and how many slices have
    some; None where they are not known. A run is one entry."""
    stored = [(name, one) for name, one in zip(request.names(), operands, strict=True) if _is_stored(one)]
    counts = {name: one.pieces if one.format.has_runs else one.nnz for name, one in stored}
    shares = {name: counts[name] / (prod(one.shape) or 1) for name, one in stored}
    slices = {(name, modes): count for name, one in stored for modes, count in slices_of(one).items()}
    return [None if its is None else OperandSizes(its, shares, slices) for its in request.extents(operands)]


def _is_stored(operand: Any) -> bool:
    """Whether it is a tensor, and no array."""
    return getattr(operand, "format", None) is not None
