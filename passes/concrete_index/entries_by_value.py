"""Entries of results and workspaces where only values say which elements of an operand are entries."""

from __future__ import annotations

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import SSAValue

from irtensor.dialects.algebra import ApplyOp
from irtensor.dialects.concrete_index import AccessOp, AssignOp
from irtensor.dialects.operators import convert
from irtensor.dialects.scalar_types import element_name
from irtensor.dialects.storage import format_of
from irtensor.passes.analysis.entry_conditions import EntryConditions
from irtensor.passes.analysis.find_expression import values_of
from irtensor.passes.insertion import Insertion


def store_entries_by_value(assign: AssignOp) -> None:
    """Say when a value is an entry, if that takes the values of blocks or diagonals, and its tensor records entries.

    A tensor that is stored in blocks itself has elements beside its entries, too.
    """
    if not format_of(assign.tensor.type).records_entries or not any(map(_stores_fill, values_of(assign))):
        return
    conditions, emit = EntryConditions(), Insertion(assign)
    absent, stored = conditions.absent(assign.value), conditions.of(assign.value, emit)
    if absent is None or isinstance(stored, bool):
        return
    type = assign.value.type
    chosen = emit.apply("where", (stored, assign.value, emit.constant(convert(absent, element_name(type)), type)), type)
    assert isinstance(chosen.owner, ApplyOp)
    chosen.owner.entry = UnitAttr()
    chosen.owner.location = assign.location
    assign.operands[0] = chosen


def _stores_fill(value: SSAValue) -> bool:
    if not isinstance(value.owner, AccessOp):
        return False
    format = format_of(value.owner.tensor.type)
    return format.stores_fill and not format.is_dense
