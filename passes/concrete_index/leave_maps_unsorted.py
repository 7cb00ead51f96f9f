"""`leave-maps-unsorted`: hash tables are listed as they were filled where nothing needs their entries in order."""

from __future__ import annotations

from dataclasses import replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from irtensor.core.operators import same_value
from irtensor.dialects.algebra.algebra import identity_of
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ForallOp, WhereOp
from irtensor.dialects.concrete_index.protocols import LOCATE
from irtensor.dialects.storage.storage import fill_of, format_of
from irtensor.dialects.support.is_inside import is_inside
from irtensor.passes.analysis.absence import stores_out_of, value_without
from irtensor.passes.analysis.iteration_graph import accesses_in, level_protocols, level_variables
from irtensor.passes.analysis.ranges import forall_of, sources
from irtensor.passes.concrete_index.support.workspace_format import store_by_levels
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass


class LeaveMapsUnsortedPass(TensorPass):
    """List the entries of a temporary's hash tables in order of insertion, if all they go to is written in any order.

    Before: `where produce (%w : tensor<?xf64, (j : map)>) { ... }`, stored into (i : dense, j : compressed(nonordered))
    After:  `where produce (%w : tensor<?xf64, (j : map(nonordered))>) { ... }`
    Workspaces that are merged with others or added up stay in order, and where results have something to store between
    the entries; so do entries of a result that is stored in order. Entries that are located need no order.
    """

    name = "leave-maps-unsorted"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    after = {"map-wide-workspaces": "every hash table has to be there"}

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for where in operations_in(op, WhereOp):
            consumed = where.consumer.block.args[0]
            levels = [level.format for level in format_of(consumed.type).levels]
            relaxed = {
                number: replace(level, ordered=False)
                for number, level in enumerate(levels)
                if level.workspace == "map" and level.ordered and _in_any_order(consumed, number)
            }
            for region in where.regions if relaxed else ():
                store_by_levels(region.block, relaxed)


def _in_any_order(temporary: SSAValue, level: int) -> bool:
    """Whether each loop along a level of a temporary may visit its entries in any order."""
    for use in temporary.uses:
        assert isinstance(use.operation, AccessOp)
        if level_protocols(use.operation)[level] == LOCATE:
            continue
        loop = forall_of(level_variables(use.operation)[level])
        if loop is None or loop.bounds or not _is_idle_without(use.operation, loop):
            return False
        others = (access for access in accesses_in(loop.body.block) if access is not use.operation)
        if not all(_suits(one, loop, temporary) for one in others):
            return False
    return True


def _is_idle_without(read: AccessOp, loop: ForallOp) -> bool:
    """Whether a loop leaves results as they are where the temporary has no entry: gaps are visited in order."""
    for store in stores_out_of(loop):
        value = value_without(store.value, lambda access: access is read)
        idle = (
            fill_of(store.tensor.type)
            if store.operator is None
            else identity_of(store.operator, store, read.result.type)
        )
        if value is None or not same_value(value, idle):
            return False
    return True


def _suits(access: AccessOp | AssignOp, loop: ForallOp, temporary: SSAValue) -> bool:
    levels = [level.format for level in format_of(access.tensor.type).levels]
    variables = level_variables(access)
    if isinstance(access, AccessOp):
        # A list of another tensor over the same variable is merged, unless it is looked up.
        words = level_protocols(access)
        lists = (
            one
            for one, variable, word in zip(levels, variables, words, strict=True)
            if variable is loop.variable and word != LOCATE
        )
        return access.tensor is temporary or all(one.access.inserts and one.workspace != "map" for one in lists)
    if is_inside(access.tensor, loop):
        return True
    if not any(loop.variable in sources(index) for index in access.indices):
        # A sum would be added up in another order.
        return False
    inner = [(one, variable) for one, variable in zip(levels, variables, strict=True) if is_inside(variable, loop)]
    appended = next(((one, variable) for one, variable in inner if not one.access.inserts), None)
    return appended is None or (appended[1] is loop.variable and not appended[0].ordered)
