"""What a call of `einsum` asks for: its arguments, checked, what compiles its kernels, and its plan."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.frontend.arguments import as_flag
from irtensor.frontend.einsum.einsum_parser import Subscripts, parse_subscripts, split_arguments
from irtensor.frontend.einsum.einsum_plan import EinsumPlan, EinsumRequest, make_plan
from irtensor.frontend.einsum.einsum_types import check_casting, read_dtype
from irtensor.frontend.einsum.operand_names import rename_operands, renamed
from irtensor.frontend.einsum.result_layout import normalize_order
from irtensor.frontend.kernel_request import CompileStatement
from irtensor.frontend.notation.notation_errors import UserTypeError
from irtensor.late_imports import load_for
from irtensor.options import check_names, current_options

if TYPE_CHECKING:
    from irtensor.api.schedule import Schedule
    from irtensor.semirings import Semiring

# The keywords of einsum that say how a result is computed and what it is like, and all of them, beside the settings.
CHOICES = ("dtype", "order", "casting", "optimize", "format", "semiring", "convert", "schedule", "tune", "exact")
KEYWORDS = ("out", *CHOICES)


def split_operands(operands: Sequence[Any]) -> tuple[Any, Sequence[Any]]:
    """The subscripts of a call, and the operands."""
    return (operands[0], operands[1:]) if operands and isinstance(operands[0], str) else split_arguments(operands)


def plan_einsum(request: EinsumRequest, operands: Sequence[Any], compiler: CompileStatement) -> EinsumPlan:
    """The plan of a call; of its operands the kinds, shapes and strides matter. Raises UserError, and warns."""
    if request.format is not None or any(type(operand) is not np.ndarray for operand in operands):
        load_for("calls")
    try:
        plan = make_plan(request, operands, compiler)
    except UserError as error:
        rename_operands(error)
        raise
    if warnings := [renamed(warning) for step in plan.steps for warning in step.kernel.warnings]:
        from irtensor.compiler.compilation.warn_user import warn_user

        warn_user(warnings)
    return plan


def einsum_request(
    subscripts: str | Subscripts,
    out: np.ndarray | None,
    dtype: Any,
    order: str | None,
    casting: str,
    optimize: Any,
    format: Any,
    semiring: Semiring | None,
    exact: bool,
    gives_view: bool = True,
    may_split: bool = False,
) -> EinsumRequest:
    """The arguments of a call, checked. Raises UserError."""
    if out is not None and format is not None:
        raise UserError("bad-argument", "out= is a dense array, format= asks for a tensor: give one of them")
    if semiring is not None and not _is_semiring(semiring):
        raise UserTypeError("bad-argument", f"semiring= is an irtensor.Semiring, not {type(semiring).__name__}")
    return EinsumRequest(
        parse_subscripts(subscripts) if isinstance(subscripts, str) else subscripts,
        None if dtype is None else read_dtype(dtype),
        None if out is None else out.dtype,
        normalize_order(order),
        check_casting(casting),
        optimize,
        format,
        semiring,
        as_flag("exact=", exact),
        gives_view,
        may_split,
    )


def _is_semiring(given: Any) -> bool:
    from irtensor.frontend.user_operator import UserOperator

    return isinstance(getattr(given, "addition", None), str | UserOperator)


def may_split_up(schedule: Any, tune: Any, convert: bool, options: dict[str, Any]) -> bool:
    """Whether a call that does not say how may be computed by several kernels, with sums in another order."""
    if schedule is not None or tune is not None or not convert:
        return False
    check_options(options)
    return current_options(**options).may_regroup


def choose_compiler(
    schedule: Any, tune: Any, convert: bool, options: dict[str, Any], in_pairs: bool
) -> tuple[CompileStatement, Schedule | None]:
    """What compiles the kernels of a call, and the schedule that they get; `in_pairs` if there is one for each pair."""
    compiler = _load_compiler()
    if not options and convert and schedule is None and tune is None:
        return compiler, None
    load_for("calls")
    check_options(options)
    schedule, tuning = _as_schedule(schedule, tune)
    if schedule is not None and in_pairs:
        message = "a schedule is for one kernel, and optimize= asks for one per pair of operands"
        raise UserError("bad-schedule", message, help="omit optimize=")
    return _with_choices(compiler, schedule, tuning, convert=convert, options=options), schedule


def check_scheduled(schedule: Schedule | None, plan: EinsumPlan) -> None:
    """Raise UserError [bad-schedule] where no kernel has the schedule."""
    if schedule is not None and plan.view is not None:
        help = "omit schedule="
        raise UserError("bad-schedule", "no kernel is made: this einsum gives a view of its operand", help=help)


def check_options(options: dict[str, Any]) -> None:
    """An unknown keyword is a TypeError, as for any function."""
    try:
        check_names(options, KEYWORDS)
        current_options(**options)
    except UserError as error:
        raise UserTypeError(error.slug, f"einsum: {error.message}", help=error.help) from None


def _as_schedule(given: Any, tune: Any) -> tuple[Schedule | None, str | None]:
    # Loaded only where there is something to check: most calls have no schedule.
    if given is None and tune is None:
        return None, None
    from irtensor.api.schedule import as_schedule, as_tuning

    tuning = as_tuning(tune, given)
    return as_schedule(None if tune else given), tuning


def _with_choices(compiler: Any, schedule: Any, by: str | None, **choices: Any) -> CompileStatement:
    own = {"schedule": schedule} if by is None else {"by": by}
    return partial(compiler, **own, **choices)


def _load_compiler() -> CompileStatement:
    # Importing irtensor.einsum must not import xDSL: this loads the compiler with the first kernel.
    from irtensor.compiler.kernel.dense_product import compile_product

    return compile_product
