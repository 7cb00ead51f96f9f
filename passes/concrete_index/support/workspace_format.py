"""How the workspace of a precomputed expression is stored: dense, or as a set of entries."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import replace
from itertools import takewhile

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, SSAValue

from irtensor.core.diagnostics import UserError
from irtensor.core.fill_values import FillValue
from irtensor.core.level_format import LevelFormat
from irtensor.core.operators import Scalar
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.algebra.algebra import ApplyOp, identity_of
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ComputeOp, IfOp, LetOp, WhereOp
from irtensor.dialects.storage.storage import FormatAttr, fill_of, format_of
from irtensor.dialects.support.constant_index import constant_index
from irtensor.passes.analysis.absence import evaluate, value_applied
from irtensor.passes.analysis.find_expression import values_behind
from irtensor.passes.analysis.iteration_graph import (
    accesses_in,
    can_locate,
    enclosing_variables,
    first_store_of,
    level_variables,
    name_of,
    needs_splitting,
)
from irtensor.passes.analysis.lattice_points import acts_without
from irtensor.passes.analysis.ranges import counts_blocks, forall_of, foralls_in, range_sources, sources
from irtensor.passes.analysis.windows import block_size
from irtensor.passes.concrete_index.support.where_laws import uses_within
from irtensor.passes.concrete_index.support.workspace_levels import recording_level, workspace_levels
from irtensor.passes.support.operations_in import operations_in


def workspace_format(
    assign: AssignOp,
    value: SSAValue,
    over: Sequence[SSAValue],
    around: Collection[SSAValue],
    asked: str | None,
    listed: Collection[SSAValue] = (),
    slotted: Collection[SSAValue] = (),
    by_blocks: bool = False,
) -> FormatAttr | None:
    """The format of a workspace for a value over some index variables; None for a dense one with fill 0.

    `around`: the variables of the loops that stay around the statement, so that one workspace is for one value of each.
    `listed`: those whose loops iterate over stored entries; `slotted`: those along which there is to be a slot for each
    coordinate. `by_blocks`: whether a dimension has room for a block where its loop iterates over one. Elements that
    the loops over sparse operands do not visit have to read as the values stored there otherwise: the identity of the
    assignment's operator, or the value that the operands' fills give.
    """
    fills = _fills_along(value, over, around)
    fill = _first(fills)
    if assign.operator is not None:
        fill = identity_of(assign.operator, assign, value.type)
    if asked is not None:
        format = _requested(asked, fill, over, assign)
    elif not over:
        return None
    else:
        partial = (
            found is not None or _has_range(v, by_blocks) or v in listed for found, v in zip(fills, over, strict=True)
        )
        format = _format_of([found and v not in slotted for found, v in zip(partial, over, strict=True)], fill)
    return None if format.is_row_major and format.fill is None else FormatAttr(format)


def _format_of(sparse: Sequence[bool], fill: FillValue) -> TensorFormat:
    """Levels for dimensions; where `sparse` says so, only a part of the dimension is visited."""
    return TensorFormat.of(workspace_levels(sparse), fill=fill)


def expanded_format(where: WhereOp, variables: Sequence[SSAValue]) -> FormatAttr | None:
    """The format of a temporary that gets dimensions for variables around its statement, outermost.

    They are dense where the result holds every coordinate anyway, so that emptying costs no more than the result does:
    a result by rows holds every row, but not in each of its columns. So they are where every coordinate is written if
    one is, as along the rows of dense operands: see `_written_along`. Elements that are not written read as the initial
    value of the temporary. A result that tells entries apart is told which of them are there.
    """
    temporary, around = where.producer.block.args[0], {*enclosing_variables(where)}.difference(variables)
    format, first = format_of(temporary.type), first_store_of(where)
    if first.operator is not None:
        fill: FillValue = identity_of(first.operator, first, first.value.type)
    elif format.fill is not None:
        fill = format.fill
    else:
        fill = _first(_fills_along(first.value, variables, around))
    results = [
        store for store in accesses_in(where.consumer.block) if isinstance(store, AssignOp) and _is_result(store)
    ]
    held = set[SSAValue]().union(*[_held(store, around) for store in results])
    partial = {level.expression.dimension for level in format.levels if not level.format.pattern.full}
    written = _written_along(where, first.value, variables, around)
    told_apart = any(format_of(store.tensor.type).records_entries for store in results)
    if not told_apart:
        held |= {one for one in variables if (loop := forall_of(one)) and reaches_all(loop.body.block, [one])}
    if told_apart and _entries_by_value(first.value):
        written = set[SSAValue]()
    sparse = [variable not in held | written or _has_range(variable) for variable in variables]
    if told_apart and not partial:
        _tell_entries_apart(sparse, variables, written)
    new = _format_of([*sparse, *(dimension in partial for dimension in range(format.rank))], fill)
    return None if new.is_row_major and new.fill is None else FormatAttr(new)


def _tell_entries_apart(sparse: list[bool], variables: Sequence[SSAValue], written: Collection[SSAValue]) -> None:
    """Let one level record entries, below which all coordinates are `written` if one is."""
    for number, variable in reversed(list(enumerate(variables))):
        if variable not in written:
            sparse[number] = True
        if sparse[number]:
            return


def _entries_by_value(value: SSAValue) -> bool:
    """Whether a stored element may not be an entry though a loop visits it: elements beside the entries of an
    operand."""
    read = [one.owner for one in values_behind(value) if isinstance(one.owner, AccessOp)]
    return any(format_of(access.tensor.type).stores_absent for access in read)


def _written_along(
    where: WhereOp, value: SSAValue, variables: Sequence[SSAValue], around: Collection[SSAValue]
) -> set[SSAValue]:
    """The outermost variables along which a producer stores a value at all coordinates if it does at one.

    None where loops inside of each other come to coordinates for which it stores nothing: each would empty the
    temporary. A single one, over the rows of a matrix, has as many iterations as there are rows.
    """
    producer = where.producer.block
    loops = {*around, *variables, *(loop.variable for loop in foralls_in(producer))}
    used = [variable for variable in around if uses_within(variable, producer)]
    # Neither a list of coordinates with a value each, nor an operand that has all.
    unsure = [one for one in used if fill_along(value, one, ()) is None and fill_along(value, one, loops) is not None]
    if len(unsure) > 1:
        return set()
    return set(takewhile(lambda variable: fill_along(value, variable, loops) is None, variables))


def _held(store: AssignOp, around: Set[SSAValue]) -> set[SSAValue]:
    """The variables for which a result holds every coordinate, inside of loops over others."""
    if needs_splitting(store):
        return set()
    format = format_of(store.tensor.type)
    levels = [(sources(index), level) for level, index in enumerate(level_variables(store))]
    if any(indices & around and not can_locate(format, level) for indices, level in levels):
        return set()
    full = (indices for indices, level in levels if format.levels[level].format.pattern.full)
    return set().union(*full)


def reaches_all(body: Block, variables: Sequence[SSAValue]) -> bool:
    """Whether a statement has a value at each coordinate of some loops, whatever operands store along these."""
    if operations_in(body, IfOp) or any(isinstance(variable.owner.parent_op(), LetOp) for variable in variables):
        return False
    reads = operations_in(body, AccessOp)
    along = {access.tensor for access in reads if not set(variables).isdisjoint(access.indices)}
    return acts_without(body, {tensor for tensor in along if not format_of(tensor.type).is_full})


def _fills_along(value: SSAValue, over: Sequence[SSAValue], around: Collection[SSAValue]) -> list[Scalar | None]:
    """What a value is wherever operands have no entry, along each variable of loops inside those over `around`."""
    return [fill_along(value, variable, {*around, *over[:number]}) for number, variable in enumerate(over)]


def _first(fills: Sequence[Scalar | None]) -> Scalar | None:
    return next((found for found in fills if found is not None), None)


def store_by_levels(block: Block, levels: Mapping[int, LevelFormat]) -> None:
    """Let the temporary that a block of a where binds be stored by other levels, given by their numbers."""
    workspace = block.args[0]
    type = workspace.type
    assert isinstance(type, TensorType)
    format = format_of(type)
    changed = [replace(one, format=levels.get(number, one.format)) for number, one in enumerate(format.levels)]
    store_as(block, TensorType(type.element_type, type.shape, FormatAttr(replace(format, levels=tuple(changed)))))


def store_as(block: Block, type: TensorType[Attribute]) -> None:
    """Let the temporary that a block of a where binds have another type."""
    workspace = block.args[0]
    stored = block.insert_arg(type, 0)
    stored.name_hint = workspace.name_hint
    workspace.replace_all_uses_with(stored)
    block.erase_arg(workspace)


def _is_result(store: AssignOp) -> bool:
    return isinstance(store.tensor.owner, Block) and isinstance(store.tensor.owner.parent_op(), ComputeOp)


def _requested(text: str, fill: Scalar | None, over: Sequence[SSAValue], assign: AssignOp) -> TensorFormat:
    format = TensorFormat.parse(text)
    names = ", ".join(map(name_of, over)) or "no variables"
    if format.rank != len(over):
        message = f"precompute: the format '{text}' has rank {format.rank}, the workspace is over {names}"
        raise UserError("illegal-precompute", message, op=assign, help="give one level for each variable")
    for number, level in enumerate(format.levels):
        text, properties = f"level {number} ({format.level_text(number)})", level.format.properties
        help = "store it dense, or as a bitmap or a hashed level"
        if not properties.access.inserts:
            message = f"precompute: {text} of the workspace is only appended to, and it is written in any order"
            raise UserError("illegal-precompute", message, op=assign, help=help)
        if properties.pattern.along_diagonals:
            message = f"precompute: {text} of the workspace is found along diagonals only, and loops run over {names}"
            raise UserError("illegal-precompute", message, op=assign, help=help)
    recording = [_recording(format, number) for number in range(format.rank)]
    pairs = zip(format.levels, recording, strict=True)
    format = replace(format, levels=tuple(replace(level, format=level_format) for level, level_format in pairs))
    return format if format.fill is not None else format.with_fill(fill)


def _recording(format: TensorFormat, number: int) -> LevelFormat:
    """The level of a workspace for one that a schedule names."""
    grows = any(not one.format.access.positional for one in format.levels[:number])
    return recording_level(format.levels[number].format, grows)


def _has_range(variable: SSAValue, by_blocks: bool = False) -> bool:
    """Whether the loop over a variable visits a part of its coordinates: emptying a dense workspace would cost all.

    Not if it is `by_blocks`, with room for one block.
    """
    loop = forall_of(variable)
    if loop is None or not loop.bounds:
        return False
    counts_all = counts_blocks(variable) and constant_index(loop.bounds[0]) == 0 and not range_sources(variable)
    return not counts_all and (not by_blocks or block_size(variable) is None)


def fill_along(value: SSAValue, variable: SSAValue, known: Collection[SSAValue]) -> Scalar | None:
    """What a value is wherever no operand has an entry for a coordinate of the variable; None if that takes data.

    A choice that decides whether an entry exists has its value without one, since the positions are not known before.
    Entries are those that operands have where the variables `known` have a value each: in a matrix stored by columns,
    with all columns there, a row has an entry in some.
    """

    def read(access: AccessOp) -> Scalar | None:
        return fill_of(access.tensor.type) if _is_sparse_along(access, variable, known) else None

    def apply(op: ApplyOp, arguments: Sequence[Scalar | None]) -> Scalar | None:
        value = value_applied(op, arguments)
        return arguments[2] if value is None and op.entry is not None else value

    def of(one: SSAValue) -> Scalar | None:
        return evaluate(one.owner, read, of, apply)

    return of(value)


def _is_sparse_along(access: AccessOp, variable: SSAValue, known: Collection[SSAValue]) -> bool:
    """Whether a level stores only some coordinates of the variable, or of a known variable below it."""
    levels = format_of(access.tensor.type).levels
    indices = [access.indices[level.expression.dimension] for level in levels]
    if variable not in indices:
        return False
    below = zip(indices[indices.index(variable) :], levels[indices.index(variable) :], strict=True)
    return any(not level.format.pattern.full and (index is variable or index in known) for index, level in below)
