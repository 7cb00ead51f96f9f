"""Steps of a schedule whose errors say what else may be said of the loops; each way out has been tried."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from irtensor.core.diagnostics import UserError
from irtensor.dialects.support.create_operation import copy_of
from irtensor.passes import get_all_passes
from irtensor.passes.pipelines import SCHEDULED_AFTER, passes_between
from irtensor.passes.support.pass_base import TensorPass

# Up to this stage, passes may refuse what a step asks for.
_LAST_STAGE = "parallel"


@dataclass(frozen=True)
class AdvisedPass(TensorPass):
    """A step that is tried in other forms where it is refused.

    A subclass gives `take`, which is the step, and `ways_out`.
    """

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        try:
            self.take(ctx, op)
        except UserError as error:
            error.help = self.ways_out(ctx, op, error)
            raise

    @abstractmethod
    def take(self, ctx: Context, op: ModuleOp) -> None:
        """Do the step, or raise a UserError whose help is only what holds in all cases, with the loops as they were."""

    @abstractmethod
    def ways_out(self, ctx: Context, module: ModuleOp, error: UserError) -> str | None:
        """The help for a refused step."""


def is_allowed(ctx: Context, module: ModuleOp, steps: Sequence[TensorPass]) -> bool:
    """Whether steps are accepted one after another, and later passes accept the loops that result."""
    copy = copy_of(module)
    try:
        for step in steps:
            step.take(ctx, copy) if isinstance(step, AdvisedPass) else step.apply(ctx, copy)
    except UserError:
        return False
    return refusal_of_later_passes(ctx, copy, _LAST_STAGE) is None


def refusal_of_later_passes(ctx: Context, module: ModuleOp, stage: str) -> UserError | None:
    """What refuses a module, in which it leaves its traces, on the way to a stage."""
    try:
        for later in _later_passes(stage):
            later.apply(ctx, module)
    except UserError as error:
        return error
    return None


def _later_passes(stage: str) -> Sequence[ModulePass]:
    names = passes_between("index_notation", stage)
    makers = get_all_passes()
    return [makers[name]()() for name in names[names.index(SCHEDULED_AFTER) + 1 :]]
