"""How `Kernel.explain()` tells, level by level, how a result is written and why so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ComputeOp, ForallOp, WhereOp
from irtensor.dialects.storage.storage import format_of
from irtensor.passes.analysis.iteration_graph import (
    accesses_in,
    can_locate,
    last_append_level,
    level_variables,
    loops_named,
    name_of,
    stores_into,
)
from irtensor.passes.analysis.lattice_points import acts_without
from irtensor.passes.analysis.ranges import forall_of, is_whole, sources
from irtensor.passes.schedule.assemble import APPEND, INSERT

if TYPE_CHECKING:
    from irtensor.compiler.explain.final_plan import FinalPlan

# How the memory for entries is found, by the strategy of `assemble`.
_ASSEMBLY = {
    APPEND: "appended to lists, which grow where their length is not known before",
    INSERT: "counted by a first run of the loops, without values; then there is memory for exactly as many",
}

_JOINED = "neighbouring runs of {} with equal values are joined afterwards; a run of the fill value is not stored"

_TRUE_ALONE = "{} has no values: an entry that would be false is not stored"


def result_levels(plan: FinalPlan) -> list[str]:
    """A line per level of each result: insert, append, or workspace; then how it is assembled."""
    lines: list[str] = []
    for compute in [op for op in plan.function.body.block.ops if isinstance(op, ComputeOp)]:
        target = compute.target
        store = next(stores_into(compute.body.block, target), None)
        if store is not None:
            lines += _levels(store, plan)
            if format_of(target.type).is_pattern:
                lines.append(_TRUE_ALONE.format(name_of(store.tensor)))
            if plan.purpose != "compute" and last_append_level(format_of(target.type)) is not None:
                lines.append(f"entries of {name_of(store.tensor)} are {_ASSEMBLY[compute.assemble or APPEND]}")
                if plan.purpose == "fused" and format_of(target.type).levels[-1].format.properties.takes_ranges:
                    lines.append(_JOINED.format(name_of(store.tensor)))
    return lines


def _levels(store: AssignOp, plan: FinalPlan) -> Iterator[str]:
    format, name = format_of(store.tensor.type), name_of(store.tensor)
    for level, variable in enumerate(level_variables(store)):
        where = _workspace(store, variable)
        if can_locate(format, level):
            how = "insert: its position follows from its coordinate"
        elif (name, level) in plan.walks and where is not None:
            temporary = name_of(where.consumer.block.args[0])
            how = f"index: its entries are taken out of the workspace {temporary}, which has to hold no others"
        elif plan.purpose == "compute":
            how = "index: the entries to append, in this order, have to be those that it stores"
        elif where is None and level in format.tuples:
            how = "append: its entries are in no order, so that the loops may reach them in any"
        elif where is None:
            # Further out, entries are only those with entries below.
            growth = _growth(variable, plan) if level == last_append_level(format) else ""
            how = f"append: the loops reach its entries in order{growth}"
        else:
            how = f"workspace {name_of(where.consumer.block.args[0])}: {_disorder(where, store)}"
        yield f"level {level} of {name} ({format.level_text(level)})  {how}"


def _growth(variable: SSAValue, plan: FinalPlan) -> str:
    """That a level of the result which stores entries only has one at every coordinate, and what for."""
    loop = forall_of(variable)
    if loop is None or not is_whole(loop) or not acts_without(loop.body.block, partial := plan.partial_operands(loop)):
        return ""
    read = dict.fromkeys(access.tensor for access in accesses_in(loop.body.block) if isinstance(access, AccessOp))
    others = " and ".join(dict.fromkeys(name_of(tensor) for tensor in read if tensor not in partial))
    beside = f", not just those of {' and '.join(map(name_of, partial))}" if partial else ""
    return f"; each coordinate becomes one{beside}{f', because of {others}' if others else ''}"


def _workspace(store: AssignOp, variable: SSAValue) -> WhereOp | None:
    """The statement around a store whose temporary is read at the variable, which lists what the producer stored."""
    parent = store.parent_op()
    while parent is not None:
        if isinstance(parent, WhereOp):
            uses = parent.consumer.block.args[0].uses
            if any(_lists(use.operation, variable) for use in uses):
                return parent
        parent = parent.parent_op()
    return None


def _lists(access: Operation, variable: SSAValue) -> bool:
    if not isinstance(access, AccessOp) or variable not in access.indices:
        return False
    level = level_variables(access).index(variable)
    return format_of(access.tensor.type).levels[level].format.workspace is not None


def _disorder(where: WhereOp, target: AssignOp) -> str:
    """Why the producer does not append: a loop that comes back to the same entries, or an order that is another."""
    produced = where.producer.block.args[0]
    stores = list(stores_into(where.producer.block, produced))
    if len(stores) > 1:
        return f"{len(stores)} statements after each other reach its entries"
    store, loops = stores[0], list(_loops_inside(stores[0], where.producer.block))
    its = [sources(index) for index in store.indices]
    again = [loop.variable for loop in loops if not any(loop.variable in one for one in its)]
    if again:
        return f"{loops_named(again)} come{'s' if len(again) == 1 else ''} back to its entries"
    reached = [next(number for number, one in enumerate(its) if loop.variable in one) for loop in loops]
    if reached != _stored_order(where, target):
        return f"the loops reach its entries in the order {', '.join(name_of(loop.variable) for loop in loops)}"
    return "asked for, though the loops reach its entries in order"


def _stored_order(where: WhereOp, target: AssignOp) -> list[int]:
    """The dimensions of a temporary in the order in which the result that is made of it stores them."""
    reads = [use.operation for use in where.consumer.block.args[0].uses if isinstance(use.operation, AccessOp)]
    indices = list(reads[0].indices)
    return [indices.index(variable) for variable in level_variables(target) if variable in indices]


def _loops_inside(op: Operation, block: Block) -> list[ForallOp]:
    """The loops between a block and an operation in it, outermost first."""
    loops: list[ForallOp] = []
    parent = op.parent_op()
    while parent is not None and parent is not block.parent_op():
        if isinstance(parent, ForallOp):
            loops.append(parent)
        parent = parent.parent_op()
    return loops[::-1]
