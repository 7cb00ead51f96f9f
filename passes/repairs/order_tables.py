"""`order-tables`: operands in hash tables that a statement needs in order, or merged with others, are listed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from irtensor.core.diagnostics import remark
from irtensor.core.wide_formats import for_all_sizes
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp
from irtensor.dialects.concrete_index.protocols import LOCATE
from irtensor.dialects.storage.storage import format_of
from irtensor.passes.analysis.absence import reduces_fills, stores_out_of, value_without
from irtensor.passes.analysis.iteration_graph import (
    accesses_in,
    can_locate,
    last_append_level,
    level_protocols,
    level_variables,
    name_of,
)
from irtensor.passes.analysis.ranges import forall_of
from irtensor.passes.concrete_index.support.operand_formats import supporting_access
from irtensor.passes.repairs.insert_conversions import converted_argument
from irtensor.passes.support.pass_base import TensorPass


class OrderTablesPass(TensorPass):
    """Ask for operands with lists in place of levels without order, where these would be merged or appended.

    Before: `func @f(%a: tensor<?xf64, #hashed>, %b: tensor<?xf64, #compressed>)` adding %a[%i] and %b[%i]
    After:  `func @f(%a: tensor<?xf64, #compressed> {storage.converts = 0 : index}, %b: tensor<?xf64, #compressed>)`
    So are those whose fill value a reduction combines, so that its work does not depend on extents. A table that is
    only looked up, or walked alone into a result that is written in any order, stays as it is.
    """

    name = "order-tables"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    before = {"insert-conversions": "tables that become lists take part in conversions as lists"}
    needs = "conversions"

    def on_function(self, function: FuncOp) -> None:
        accesses = [access for access in accesses_in(function.body.block) if _is_operand(access, function)]
        # All are found before any is converted: one that becomes a list might only seem to lead the others.
        for access, variable in [found for access in accesses if (found := _to_order(access)) is not None]:
            before, name = format_of(access.tensor.type), name_of(access.tensor)
            after = supporting_access(before.listed, access)
            access.operands[0] = converted_argument(function, access, after)
            reason = f"its entries over {name_of(variable)} are needed in order"
            remark(
                f"'{name}', stored {before}, is converted to {for_all_sizes(after)}: {reason}",
                access,
                by="order-tables",
                about=[name],
            )


def _is_operand(access: AccessOp | AssignOp, function: FuncOp) -> TypeGuard[AccessOp]:
    return isinstance(access, AccessOp) and access.tensor in function.body.block.args


def _to_order(access: AccessOp) -> tuple[AccessOp, SSAValue] | None:
    """An access with the first variable in whose order it is needed, if there is one."""
    levels = format_of(access.tensor.type).levels
    for level, variable, asked in zip(levels, level_variables(access), level_protocols(access), strict=True):
        if level.format.pattern.unordered and asked != LOCATE and _needs_order(access, variable):
            return access, variable
    return None


def _needs_order(access: AccessOp, variable: SSAValue) -> bool:
    """Whether a loop visits the entries of a table together with others, or appends in their order."""
    loop = forall_of(variable)
    if loop is None:
        return False
    if reduces_fills(access, variable):
        return True
    reads = [other for other in accesses_in(loop.body.block) if isinstance(other, AccessOp) and other is not access]
    beside = [other for other in reads if variable in level_variables(other)]
    lists = [other for other in beside if not _is_looked_up(other, variable)]
    partial = [other for other in beside if not format_of(other.tensor.type).is_dense]
    for store in stores_out_of(loop):
        if not _decides(store.value, [access]):
            # Something is done where it has no entry: only a loop over everything looks it up.
            if _decides(store.value, [access, *partial]):
                return True
        elif not any(_decides(store.value, leading) for leading in (*([other] for other in lists), lists)):
            # No list leads the loop, nor do all of them, so it does: past what it has to meet, or to append.
            appends = variable in store.indices and last_append_level(format_of(store.tensor.type)) is not None
            if lists or appends:
                return True
    return False


def _decides(value: SSAValue, absent: Sequence[AccessOp]) -> bool:
    """Whether a value is known where none of some accesses has an entry."""
    return value_without(value, lambda read: read in absent) is not None


def _is_looked_up(access: AccessOp, variable: SSAValue) -> bool:
    """Whether each level that a variable indexes is found by its coordinate."""
    format = format_of(access.tensor.type)
    return all(can_locate(format, n) for n, index in enumerate(level_variables(access)) if index is variable)
