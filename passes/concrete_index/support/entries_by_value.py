"""Entries of results and workspaces where only values say which elements of an operand are entries."""

from __future__ import annotations

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.operators import Scalar, convert
from irtensor.dialects.algebra.algebra import ApplyOp, CastOp, ConstantOp
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, WhereOp
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.create_operation import clone_operation
from irtensor.passes.analysis.entry_conditions import EntryConditions
from irtensor.passes.analysis.find_expression import values_behind
from irtensor.passes.support.erase_unused import erase_unused
from irtensor.passes.support.insertion import Insertion


def store_entries_by_value(assign: AssignOp) -> None:
    """Say when a value is an entry, if that takes the values of blocks or diagonals, and its tensor records entries.

    A tensor that is stored in blocks itself has elements beside its entries, too. Of runs, those that have the bits of
    the fill value are removed when runs are joined: -0.0 is not the same as a fill of 0.0.
    """
    format = format_of(assign.tensor.type)
    if not format.records_entries or format.levels[-1].format.properties.takes_ranges:
        return
    conditions, emit = EntryConditions(), Insertion(assign)
    made: list[Operation] = []
    value = _written_out(assign.value, emit, made)
    read = [one.owner for one in values_behind(value) if isinstance(one.owner, AccessOp)]
    if any(format_of(access.tensor.type).stores_absent for access in read):
        absent = conditions.absent(value)
        stored = True if absent is None else conditions.of(value, emit)
        if absent is not None and not isinstance(stored, bool):
            _store(assign, stored, absent, emit)
    erase_unused(made)


def _store(assign: AssignOp, stored: SSAValue, absent: Scalar, emit: Insertion) -> None:
    type = assign.value.type
    chosen = emit.apply("where", (stored, assign.value, emit.constant(convert(absent, element_name(type)), type)), type)
    assert isinstance(chosen.owner, ApplyOp)
    chosen.owner.entry = UnitAttr()
    chosen.owner.location = assign.location
    assign.operands[0] = chosen


def _written_out(value: SSAValue, emit: Insertion, made: list[Operation]) -> SSAValue:
    """A value without the temporaries of one number that it is computed from, which do not tell which elements are
    entries.

    Operations that it takes are `made` in front of the assignment.
    """
    op = value.owner
    if isinstance(op, AccessOp):
        store = _number_in(op)
        if store is None or store.parent is None:
            return value
        return _written_out(_copied(store.value, emit, made, store.parent), emit, made)
    if not isinstance(op, ApplyOp | CastOp):
        return value
    operands = {operand: _written_out(operand, emit, made) for operand in op.operands}
    return value if all(new is old for old, new in operands.items()) else _clone(op, operands, emit, made)


def _copied(value: SSAValue, emit: Insertion, made: list[Operation], producer: Block) -> SSAValue:
    """The same value, computed here: what it is computed from stands in the producer of a temporary."""
    op = value.owner
    if not isinstance(op, Operation) or op.parent is not producer:
        return value
    operands = [] if isinstance(op, AccessOp) else op.operands
    return _clone(op, {operand: _copied(operand, emit, made, producer) for operand in operands}, emit, made)


def _clone(op: Operation, operands: dict[SSAValue, SSAValue], emit: Insertion, made: list[Operation]) -> SSAValue:
    copy = clone_operation(op, operands)
    made.append(copy)
    return emit.insert(copy)


def _number_in(access: AccessOp) -> AssignOp | None:
    """The store into a temporary of one number, if that is one value of the iteration that reads it."""
    block = access.tensor.owner
    where = block.parent_op() if isinstance(block, Block) else None
    if access.indices or not isinstance(where, WhereOp) or block is not where.consumer.block:
        return None
    *others, store = where.producer.block.ops
    is_whole = isinstance(store, AssignOp) and store.operator is None and store.tensor is where.producer.block.args[0]
    is_plain = all(isinstance(op, AccessOp | ApplyOp | CastOp | ConstantOp) for op in others)
    return store if isinstance(store, AssignOp) and is_whole and is_plain else None
