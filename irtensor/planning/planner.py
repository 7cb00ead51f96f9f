"""The only entry to planning: which loops the kernel of a request has."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from irtensor.api.schedule import UNASKED
from irtensor.core.diagnostics import UserError
from irtensor.planning.plan import Plan
from irtensor.planning.plan_of_planner import Planner, described, guarded, plan_of

if TYPE_CHECKING:
    from irtensor.compiler.compilation.request import Request
    from irtensor.options import Options
    from irtensor.planning.plan_of_planner import Load


_planner: ContextVar[Planner | None] = ContextVar("planner", default=None)


def current_planner() -> Planner:
    """The planner that is asked: the default one, unless `planner_of` has set another."""
    found = _planner.get()
    if found is not None:
        return found
    # Loaded with the first kernel that is compiled.
    from irtensor.planning.default_planner import DEFAULT_PLANNER

    return DEFAULT_PLANNER


@contextmanager
def planner_of(planner: Planner) -> Generator[None]:
    """Let a planner choose the loops of kernels that are compiled inside a `with` block.

    Kernels that the caches have keep the loops that they were compiled with.
    """
    token = _planner.set(planner)
    try:
        yield
    finally:
        _planner.reset(token)


def plan_for(request: Request, settings: Options) -> Plan:
    """The plan of a request for operands of any size; see `plan_of`."""
    return plan_of(current_planner(), request, settings)


def plan_for_call(request: Request, operands: Sequence[Any], by: str, settings: Options, load: Load) -> Plan:
    """The plan of a request for the operands of a call; `by` and `load` as in `Planner.plan`.

    Raises UserError, [planning-failed] where a schedule was asked for and the planner failed.
    """
    if by == UNASKED:
        return guarded(current_planner(), request, settings, operands, by, load)
    try:
        return current_planner().plan(request, settings, operands, by, load)
    except (UserError, MemoryError):
        raise
    except Exception as error:
        raise UserError(
            "planning-failed",
            f"the search for a schedule ended in {described(error)}",
            help="omit schedule='auto' and tune= to compile without a search; this is a fault of the planner: please "
            f"report it with {request.reproducer}",
        ) from error
