"""A workspace over the entries of a block has room for as many as a block has: it is indexed by their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, StringAttr, TensorType, UnitAttr, i1
from xdsl.ir import Attribute, SSAValue

from irtensor.core.operators import STORED, same_value
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.algebra.algebra import ApplyOp, ConstantOp, identity_of
from irtensor.dialects.concrete_index.blocks import block_of
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, LetOp, WhereOp
from irtensor.dialects.concrete_index.index_ranges import EntryNumberOp, EntryOp
from irtensor.dialects.storage.storage import FormatAttr, fill_of, format_of
from irtensor.dialects.support.create_operation import create_block, create_region
from irtensor.passes.analysis.absence import value_without
from irtensor.passes.analysis.iteration_graph import accesses_in, level_variables, name_of
from irtensor.passes.analysis.ranges import computes_range, forall_of, sources
from irtensor.passes.concrete_index.support.earlier_cut import earlier_cut
from irtensor.passes.concrete_index.support.loop_ranges import fused_name
from irtensor.passes.concrete_index.support.where_laws import sides
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.operations_in import computed_from, is_argument, operations_of


class EntryBlock(NamedTuple):
    """Entries of a tensor that loops visit: how many there are at most from a first one on, counted below a prefix."""

    tensor: SSAValue
    prefix: tuple[SSAValue, ...]
    first: SSAValue
    size: SSAValue


def entry_block(variables: Sequence[SSAValue]) -> EntryBlock | None:
    """The block of entries that nested loops over variables iterate over, if it ends at the last level of an operand
    and is of a size that no loop has a say in."""
    nest = [forall_of(variable) for variable in variables]
    part = earlier_cut([loop for loop in nest if loop is not None]) if None not in nest else None
    entry = None if part is None else part.coordinates[0].owner
    if part is None or not isinstance(entry, EntryOp) or not is_argument(entry.tensor):
        return None
    if entry.by_dimension is not None:
        # A workspace over offsets of blocks would be stored in their order.
        return None
    levels, found = format_of(entry.tensor.type).levels, block_of(part.first, part.end)
    if found is None or sources(found[1]) or len(entry.prefix) + len(variables) != len(levels):
        return None
    return EntryBlock(entry.tensor, tuple(entry.prefix), *found) if levels[-1].format.unique else None


def entry_groups(assign: AssignOp, value: SSAValue, over: Sequence[SSAValue]) -> list[range]:
    """Which of some variables, by their positions among them, belong to nests that iterate over a block of entries
    each, so that a workspace for a value of an assignment may be indexed by the numbers of these.

    Outside of the entries the value has to be what the workspace has where nothing is stored. No other operand lacks
    entries, unless all components of the result are there anyway: a sparse one has those that the workspace has.
    """
    found: list[range] = []
    for first, variable in enumerate(over):
        if any(first in group for group in found):
            continue
        loop = forall_of(variable)
        name = None if loop is None else fused_name(loop)
        count = 1 if name is None else sum(_is_fused_as(one, name) for one in over[first:])
        block = entry_block(over[first : first + count])
        if block is not None and _is_absent_elsewhere(assign, value, block, over[first : first + count]):
            found.append(range(first, first + count))
    return found


def _is_fused_as(variable: SSAValue, name: str) -> bool:
    loop = forall_of(variable)
    return loop is not None and fused_name(loop) == name


def _is_absent_elsewhere(assign: AssignOp, value: SSAValue, block: EntryBlock, variables: Sequence[SSAValue]) -> bool:
    """Whether a value is what a workspace starts from wherever the operand has no entry."""

    def is_counted(access: AccessOp) -> bool:
        return access.tensor is block.tensor and level_variables(access) == [*block.prefix, *variables]

    absent, element = value_without(value, is_counted), value.type
    if absent is None or (
        assign.operator is not None and not same_value(absent, identity_of(assign.operator, assign, element))
    ):
        return False
    others = [access for access in computed_from([value], AccessOp) if not is_counted(access)]
    return format_of(assign.tensor.type).is_dense or all(format_of(one.tensor.type).is_dense for one in others)


def make_room_for_entries(where: WhereOp, groups: Sequence[range]) -> None:
    """Index a workspace by the numbers of entries in place of the coordinates of each group.

    Before: `forall %i from ... { forall %j from ... { assign %x into %w[%i, %j] } }`, along 16 entries of %A
    After:  `forall %i from ... { forall %j from ... { let %p = entry_number %A[%i, %j] from %first past %c16 {
            assign %x into %w[%p] } } }`
    A workspace has one more component, for coordinates without an entry. It holds only the initial value, and where it
    is read, it stands for an absent entry.
    """
    if not groups:
        return
    for side in sides(where):
        old = side.args[0]
        new = side.insert_arg(_type_by_entries(old, groups), 0)
        new.name_hint = old.name_hint
        for access in [access for access in accesses_in(side) if access.tensor is old]:
            _index_by_number(access, new, groups)
        side.erase_arg(old)


def _type_by_entries(tensor: SSAValue, groups: Sequence[range]) -> TensorType[Attribute]:
    """The type of a workspace with one dense dimension in place of those of each group."""
    assert isinstance(tensor.type, TensorType)
    format = format_of(tensor.type)
    kept = _kept(format.rank, groups)
    levels = [format.levels[dimension].format for dimension in kept]
    new = TensorFormat.of(levels, fill=format.fill)
    formats = [] if new.is_row_major and new.fill is None else [FormatAttr(new)]
    return TensorType(tensor.type.element_type, [DYNAMIC_INDEX] * len(kept), *formats)


def _kept(rank: int, groups: Sequence[range]) -> list[int]:
    """The dimensions that remain: of each group, the first one."""
    gone = {dimension for group in groups for dimension in group[1:]}
    return [dimension for dimension in range(rank) if dimension not in gone]


def _index_by_number(access: AccessOp | AssignOp, tensor: SSAValue, groups: Sequence[range]) -> None:
    """Put the statements around an access into lets that bind the numbers of entries, which it is indexed by."""
    around = access.parent
    assert around is not None
    statements = [op for op in operations_of(around) if not computes_range(op)]
    indices, counted = list(access.indices), list[EntryNumberOp]()
    for group in groups:
        variables = indices[group.start : group.stop]
        block = entry_block(variables)
        assert block is not None, "where a workspace is made, each side iterates over the block"
        number = EntryNumberOp.of(block.tensor, [*block.prefix, *variables], block.first, block.size, len(variables))
        body = create_block((IndexType(),), (_name_of(variables),))
        Emitter(body).take(statements)
        let = LetOp.of(number.result, create_region(body))
        let.location = access.location
        around.add_ops((number, let))
        indices[group.start] = body.args[0]
        counted.append(number)
        around, statements = body, operations_of(body)
    kept = [indices[dimension] for dimension in _kept(len(indices), groups)]
    access.operands = [*access.operands[: len(access.operands) - len(indices) - 1], tensor, *kept]
    if isinstance(access, AccessOp):
        for number in counted:
            _read_if_stored(access, number)


def _name_of(variables: Sequence[SSAValue]) -> str:
    loop = forall_of(variables[0])
    return (None if loop is None else fused_name(loop)) or name_of(variables[0])


def _read_if_stored(read: AccessOp, number: EntryNumberOp) -> None:
    """Let a read be absent where the operand has no entry, so that loops iterate over its entries."""
    format, block = format_of(number.tensor.type), read.parent
    assert block is not None
    by_dimension = sorted(zip(format.dimension_order, number.indices, strict=True), key=lambda pair: pair[0])
    entry = AccessOp.of(number.tensor, [index for _, index in by_dimension])
    stored = ApplyOp.of(StringAttr(STORED), (entry.result,), i1)
    absent = ConstantOp.of(fill_of(read.tensor.type), read.result.type)
    absent.absent = UnitAttr()
    where = ApplyOp.of(StringAttr("where"), (stored.result, read.result, absent.result), read.result.type)
    for use in [use for use in read.result.uses if use.operation is not where]:
        use.operation.operands[use.index] = where.result
    block.insert_ops_after((entry, stored, absent, where), read)
