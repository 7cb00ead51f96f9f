"""The one door of planning: which loops a request is compiled as."""

from __future__ import annotations

import traceback
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from irtensor.api.schedule import UNASKED
from irtensor.core.diagnostics import UserError
from irtensor.planning.plan import Plan

if TYPE_CHECKING:
    from irtensor.compiler.compilation.request import Request
    from irtensor.options import Options


class Planner(Protocol):
    """Chooses the loops of kernels. Another one takes effect inside of `planner_of`."""

    def plan(
        self, request: Request, settings: Options, operands: Sequence[Any] | None = None, by: str | None = None
    ) -> Plan:
        """The plan for a request.

        Without `operands`, the plan is for operands of any size. With them, `by` says how to choose: by one of
        `TUNED_ON` measured times, by AUTO or UNASKED the expected work. UNASKED means that nobody has asked for a
        schedule. Raises UserError for a request that cannot be compiled.
        """
        ...


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
    """The plan of a request for operands of any size.

    If planning fails, compilation goes on: the loops have their default order, and the plan says so.
    """
    chosen = request.schedule is not None or request.start != "index_notation"
    if chosen or not request.convert or settings.strict_fp:
        # The order of loops or sums is not the compiler's choice, or operands may not be converted.
        return Plan(request)
    return _guarded(request, settings, None, None)


def plan_for_call(request: Request, operands: Sequence[Any], by: str, settings: Options) -> Plan:
    """The plan of a request for the operands of a call; `by` as in `Planner.plan`.

    Raises UserError, [planning-failed] where a schedule was asked for and the planner failed.
    """
    if by == UNASKED:
        return _guarded(request, settings, operands, by)
    try:
        return current_planner().plan(request, settings, operands, by)
    except (UserError, MemoryError):
        raise
    except Exception as error:
        raise UserError(
            "planning-failed",
            f"the search for a schedule ended in {_described(error)}",
            help="omit schedule='auto' and tune= to compile without a search; this is a fault of the planner: please "
            f"report it with {request.reproducer}",
        ) from error


def _guarded(request: Request, settings: Options, operands: Sequence[Any] | None, by: str | None) -> Plan:
    try:
        return current_planner().plan(request, settings, operands, by)
    except MemoryError:
        raise
    except Exception as error:
        # An error in the request itself is found again when it is compiled.
        return Plan(request, note=f"planning failed: {_described(error)}; loops have their default order")


def _described(error: Exception) -> str:
    """The kind of an exception, its text, and the function that raised it."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    text = str(error).partition("\n")[0]
    return f"{type(error).__name__}{f' ({text})' if text else ''} in '{frame.name}' of {Path(frame.filename).name}"
