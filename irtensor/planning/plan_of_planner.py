"""The interface of planners, and the plan of one for a request. If planning fails, compilation goes on."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from irtensor.planning.plan import Plan

if TYPE_CHECKING:
    from irtensor.compiler.compilation.request import Request
    from irtensor.compiler.kernel.kernel import Kernel
    from irtensor.options import Options

    # Compiles a request, for planners that measure.
    Load = Callable[[Request, Options], Kernel]


class Planner(Protocol):
    """Chooses the loops of kernels. Another one takes effect inside of `planner_of`."""

    def plan(
        self,
        request: Request,
        settings: Options,
        operands: Sequence[Any] | None = None,
        by: str | None = None,
        load: Load | None = None,
    ) -> Plan:
        """The plan for a request.

        Without `operands`, the plan is for operands of any size. With them, `by` says how to choose: by one of
        `TUNED_ON` measured times, by AUTO or UNASKED the expected work. UNASKED means that nobody has asked for a
        schedule. Measured kernels are compiled by `load`. Raises UserError for a request that cannot be compiled.
        """
        ...


def plan_of(planner: Planner, request: Request, settings: Options) -> Plan:
    """The plan that a planner has of a request for operands of any size.

    If planning fails, compilation goes on: the loops have their default order, and the plan says so.
    """
    chosen = request.schedule is not None or request.start != "index_notation"
    if chosen or not request.convert or settings.strict_fp:
        # The order of loops or sums is not the compiler's choice, or operands may not be converted.
        return Plan(request)
    return guarded(planner, request, settings)


def guarded(
    planner: Planner,
    request: Request,
    settings: Options,
    operands: Sequence[Any] | None = None,
    by: str | None = None,
    load: Load | None = None,
) -> Plan:
    """The plan that a planner has of a request; where it fails, one that says so and leaves loops as they are."""
    try:
        return planner.plan(request, settings, operands, by, load)
    except MemoryError:
        raise
    except Exception as error:
        # An error in the request itself is found again when it is compiled.
        return Plan(request, note=f"planning failed: {described(error)}; loops have their default order")


def described(error: Exception) -> str:
    """The kind of an exception, its text, and the function that raised it."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    text = str(error).partition("\n")[0]
    return f"{type(error).__name__}{f' ({text})' if text else ''} in '{frame.name}' of {Path(frame.filename).name}"
