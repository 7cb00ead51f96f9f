"""Checks of the final statement, done once: passes before may leave it illegal on the way."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import ReturnOp
from xdsl.ir import OpResult, SSAValue

from irtensor.core.argument_layout import KernelPurpose
from irtensor.core.diagnostics import Note, UserError
from irtensor.dialects.algebra.algebra import ApplyOp
from irtensor.dialects.algebra.asks_if_stored import asks_if_stored
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ComputeOp, ForallOp
from irtensor.dialects.concrete_index.protocols import INSERT, LOCATE, STEP, supports
from irtensor.dialects.storage.storage import ResultOp, format_of
from irtensor.passes.analysis.iteration_graph import (
    accesses_in,
    can_locate,
    last_append_level,
    level_protocols,
    level_variables,
    loop_name,
    name_of,
    stores_into,
)
from irtensor.passes.analysis.loop_order import check_appended
from irtensor.passes.analysis.merges import check_lists
from irtensor.passes.analysis.races import AUTOMATIC, PARALLEL, check_races
from irtensor.passes.analysis.ranges import covered_by, forall_of, is_whole
from irtensor.passes.analysis.replayed_levels import levels_found_by_segment
from irtensor.passes.concrete_index.support.loop_ranges import FUSED
from irtensor.passes.support.operations_in import operations_in

# By what a level cannot be accessed: why not, and the way out.
_UNSUPPORTED = {
    STEP: ("it has no list of the coordinates that it stores", "locate instead, or store them in a compressed level"),
    LOCATE: ("its coordinates are only found by stepping to them", "step instead, or store them in a hashed level"),
    INSERT: ("it is only appended to", "append instead, to a workspace where the loops have another order"),
}


def check_statement(compute: ComputeOp, purpose: KernelPurpose) -> None:
    """Raise UserError if what a statement stores, reads or does in parallel cannot be lowered."""
    for tensor, target in zip(compute.results, compute.body.block.args, strict=True):
        _check_writable(tensor)
        _check_stored_once(target, compute)
    _check_parallel(compute, purpose)
    check_lists(compute)
    _check_asked(compute)
    for access in accesses_in(compute.body.block):
        _check_stored(access)
        _check_protocols(access)
        if isinstance(access, AssignOp):
            check_appended(access)
            if purpose == "compute":
                _check_replayed(access)
                _check_segments(access)


def _check_asked(compute: ComputeOp) -> None:
    """Tensors say whether an entry is stored; for computed values, index notation knows it."""
    for op in operations_in(compute, ApplyOp):
        if asks_if_stored(op) and not isinstance(op.arguments[0].owner, AccessOp):
            help = "run expand-regions on index notation, or ask for the entries that the value is computed from"
            raise UserError("wrong-stage", "the argument of 'stored' is not an access to a tensor", op=op, help=help)


def _check_parallel(compute: ComputeOp, purpose: KernelPurpose) -> None:
    """Loops that a schedule marked as parallel still are, with the workspaces that were inserted since."""
    for op in compute.walk():
        if isinstance(op, ForallOp) and (strategy := op.attributes.get(PARALLEL)) not in (None, AUTOMATIC):
            assert isinstance(strategy, StringAttr)
            check_races(op, strategy.data)
            if purpose == "compute":
                _check_counts(op)


def _check_counts(loop: ForallOp) -> None:
    """Of an index that exists, only segments are found without counting the entries before them."""
    for store in accesses_in(loop.body.block):
        if not isinstance(store, AssignOp):
            continue
        format = format_of(store.tensor.type)
        found, counted = levels_found_by_segment(format), False
        for number, index in enumerate(level_variables(store)):
            lists = not can_locate(format, number)
            counted = counted or lists
            inside = lists and number not in found and loop.is_ancestor(index.owner)
            if inside or (counted and loop.variable in covered_by((index,))):
                text = f"level {number} ({format.level_text(number)}) of '{name_of(store.tensor)}'"
                raise _illegal_replay(
                    store,
                    f"the loop over {name_of(loop.variable)} cannot be parallel where values are computed for an index "
                    f"that exists: entries of {text} are counted from the first one on",
                )


def _check_replayed(store: AssignOp) -> None:
    """Of an index that exists, entries are found through the array that says where the segments of parents begin."""
    format = format_of(store.tensor.type)
    for number, level in enumerate(format.levels):
        properties = level.format.properties
        lists = properties.has_segments and properties.entry_coordinates is not None
        if not (properties.access.inserts or properties.pattern.branchless or lists):
            text = f"level {number} ({format.level_text(number)}) of '{name_of(store.tensor)}'"
            raise _illegal_replay(store, f"no array says where the entries of the parents of {text} begin", "")


def _check_segments(store: AssignOp) -> None:
    """Of an index that exists, a segment is replayed from its beginning: two blocks of fused loops cannot share it."""
    format = format_of(store.tensor.type)
    for number, index in enumerate(level_variables(store)):
        loop = forall_of(index)
        if loop is None or can_locate(format, number) or is_whole(loop) or FUSED not in loop.attributes:
            continue
        text = f"level {number} ({format.level_text(number)}) of '{name_of(store.tensor)}'"
        raise _illegal_replay(
            store,
            f"blocks of the loops fused over {name_of(index)} begin and end within the segments of {text}, which are "
            f"traversed as a whole where values are computed for an index that exists",
        )


def _illegal_replay(store: AssignOp, message: str, otherwise: str = ", or omit the step") -> UserError:
    help = f"compute index and values in one call{otherwise}"
    return UserError("illegal-replay", message, op=store, help=help)


def _check_writable(tensor: OpResult) -> None:
    format = format_of(tensor.type)
    for number, level in enumerate(format.levels):
        if level.format.properties.equal_segments:
            problem = "has as many slots for each parent, a number that is known when all entries are"
        elif level.expression.form == "minus":
            problem = "stores diagonals, which loops over rows and columns reach in no order"
        elif not level.format.properties.is_written:
            problem = "is of a format that loops read, and do not write"
        else:
            continue
        raise UserError(
            "unwritable-level",
            f"level {number} ({format.level_text(number)}) of result '{name_of(tensor)}' {problem}",
            op=tensor.op,
            help=f"compute it as {format.writable}, and convert that",
        )


def _check_stored_once(target: SSAValue, compute: ComputeOp) -> None:
    """A result that is appended to is stored into once: a second statement would append the coordinates of the first
    again."""
    format = format_of(target.type)
    level = last_append_level(format)
    if level is None:
        return
    stores = list(stores_into(compute.body.block, target))
    if len(stores) < 2:
        return
    raise UserError(
        "output-needs-workspace",
        f"'{name_of(target)}' is stored into by {len(stores)} statements, but level {level} "
        f"({format.level_text(level)}) is appended to by one",
        op=stores[1],
        notes=[Note("the first store is here", op=stores[0])],
        help=f"let the statements store into a workspace that one more copies into '{name_of(target)}'",
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


def _check_protocols(access: AccessOp | AssignOp) -> None:
    """A level can be accessed as was asked for."""
    if access.protocols is None:
        return
    format, variables = format_of(access.tensor.type), level_variables(access)
    for number, protocol in enumerate(level_protocols(access)):
        if protocol is None or supports(format.levels[number].format.properties, protocol):
            continue
        text = f"level {number} ({format.level_text(number)}) of '{name_of(access.tensor)}'"
        why, help = _UNSUPPORTED[protocol]
        message = f"{text} is to be accessed by '{protocol}' over {loop_name(variables[number])}, but {why}"
        raise UserError("unsupported-protocol", message, op=access, help=help)
