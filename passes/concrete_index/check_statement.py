"""What is checked once, of the final statement: passes before may leave it illegal on the way."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import ReturnOp

from irtensor.dialects.argument_layout import KernelKind
from irtensor.dialects.concrete_index import AccessOp, AssignOp, ComputeOp, ForallOp
from irtensor.dialects.diagnostics import UserError
from irtensor.dialects.storage import ResultOp, format_of
from irtensor.passes.analysis.iteration_graph import (
    accesses_in,
    can_locate,
    level_variables,
    name_of,
)
from irtensor.passes.analysis.races import AUTOMATIC, PARALLEL, check_races
from irtensor.passes.analysis.ranges import covered_by


def check_statement(compute: ComputeOp, kind: KernelKind) -> None:
    """Raise UserError if what a statement stores, reads or does in parallel cannot be lowered."""
    _check_writable(compute)
    _check_parallel(compute, kind)
    for access in accesses_in(compute.body.block):
        _check_stored(access)


def _check_parallel(compute: ComputeOp, kind: KernelKind) -> None:
    """Loops that a schedule marked as parallel still are, with the workspaces that were inserted since."""
    for op in compute.walk():
        if isinstance(op, ForallOp) and (strategy := op.attributes.get(PARALLEL)) not in (None, AUTOMATIC):
            assert isinstance(strategy, StringAttr)
            check_races(op, strategy.data)
            if kind == "compute":
                _check_counts(op)


def _check_counts(loop: ForallOp) -> None:
    """Of an index that exists, only segments are found without counting the entries before them."""
    for store in accesses_in(loop.body.block):
        if not isinstance(store, AssignOp):
            continue
        format = format_of(store.tensor.type)
        counted = False
        for number, index in enumerate(level_variables(store)):
            counted = counted or not can_locate(format, number)
            if counted and loop.variable in covered_by((index,)):
                text = f"level {number} ({format.level_text(number)}) of '{name_of(store.tensor)}'"
                raise UserError(
                    "parallel-dependence",
                    f"the loop over {name_of(loop.variable)} cannot be parallel where values are computed for an index "
                    f"that exists: entries of {text} are counted from the first one on",
                    op=store,
                    help="compute index and values in one call, or leave the step out of the schedule",
                )


def _check_writable(compute: ComputeOp) -> None:
    format = format_of(compute.result.type)
    for number, level in enumerate(format.levels):
        if level.format.properties.equal_segments:
            problem = "has as many slots for each parent, a number that is known when all entries are"
        elif level.expression.kind == "minus":
            problem = "stores diagonals, which loops over rows and columns reach in no order"
        else:
            continue
        raise UserError(
            "unwritable-level",
            f"level {number} ({format.level_text(number)}) of result '{name_of(compute.result)}' {problem}",
            op=compute,
            help=f"compute it as {format.writable}, and convert that",
        )


def _check_stored(access: AccessOp | AssignOp) -> None:
    """A tensor that the function computes itself is only there to read if it is dense, and a result."""
    tensor = access.tensor
    if not isinstance(tensor.owner, ResultOp):
        return
    if not any(isinstance(use.operation, ReturnOp) for use in tensor.uses):
        message = f"'{name_of(tensor)}' is computed by this function and not returned, so nothing stores it"
        help = "return it as well, or compute it in a function of its own"
    elif not format_of(tensor.type).is_dense:
        message = f"'{name_of(tensor)}' is read in the function that computes it, and stored {format_of(tensor.type)}"
        help = "store it dense, or compute it in a function of its own"
    else:
        return
    raise UserError("unsupported-workspace", message, op=access, help=help)
