"""A plan: the programs that a request is compiled as, and what they were chosen among."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from irtensor.api.schedule import schedule_of

if TYPE_CHECKING:
    from irtensor.compiler.compilation.draft import Draft
    from irtensor.compiler.compilation.lower_request import Lowered
    from irtensor.compiler.compilation.request import Request
    from irtensor.options import Options


class Rated(NamedTuple):
    """A program, None for no schedule, with its cost: seconds of its fastest run, or expected steps.

    The cost is infinite for a program that ran on few data only: it took much longer than others, or too much memory.
    """

    amount: float
    program: str | None


class Rating(NamedTuple):
    """The programs for one tensor, the chosen one first; none where there is nothing to choose."""

    tensor: str
    rated: tuple[Rated, ...]

    @property
    def taken(self) -> str | None:
        return self.rated[0].program if self.rated else None


class Plan(NamedTuple):
    """The loops of a kernel.

    `programs` has one for each definition of the request, None for the compiler's own order of loops. `may_be_beaten`
    says that another plan may be better for large operands. `ratings` are the programs that were compared. `note` says
    why planning failed, if it did. `draft` and `lowered` are the request after those stages that planning has already
    lowered it through; lowering goes on from there, once.
    """

    request: Request
    programs: tuple[str | None, ...] = ()
    may_be_beaten: bool = False
    ratings: tuple[Rating, ...] = ()
    note: str | None = None
    draft: Draft | None = None
    lowered: Lowered | None = None

    @staticmethod
    def of(request: Request, programs: Sequence[str | None], **facts: Any) -> Plan:
        """The plan that gives a request these programs, in place of the schedule or search that it asks for."""
        return Plan(replace(request, schedule=schedule_of(programs)), tuple(programs), **facts)

    def lower(self, settings: Options) -> Lowered:
        """The request in the llvm dialect; what planning has lowered is used up. Raises UserError."""
        from irtensor.compiler.compilation.lower_request import lower_request

        return self.lowered or lower_request(self.request, settings, self.draft)
