"""What is checked once, of the final statement: passes before may leave it illegal on the way."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import ReturnOp

from irtensor.dialects.concrete_index import AccessOp, AssignOp, ComputeOp, ForallOp
from irtensor.dialects.diagnostics import UserError
from irtensor.dialects.storage import ResultOp, format_of
from irtensor.passes.analysis.iteration_graph import accesses_in, name_of
from irtensor.passes.analysis.races import AUTOMATIC, PARALLEL, check_races


def check_statement(compute: ComputeOp) -> None:
    """Raise UserError if what a statement stores, reads or does in parallel cannot be lowered."""
    _check_writable(compute)
    _check_parallel(compute)
    for access in accesses_in(compute.body.block):
        _check_stored(access)


def _check_parallel(compute: ComputeOp) -> None:
    """Loops that a schedule marked as parallel still are, with the workspaces that were inserted since."""
    for op in compute.walk():
        if isinstance(op, ForallOp) and (strategy := op.attributes.get(PARALLEL)) not in (None, AUTOMATIC):
            assert isinstance(strategy, StringAttr)
            check_races(op, strategy.data)


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
