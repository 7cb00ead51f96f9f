"""`expand-temporaries`: a scalar temporary gets the dimensions of loops that cannot stay around its producer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue

from irtensor.dialects.concrete_index import AccessOp, AssignOp, ComputeOp, ForallOp, WhereOp
from irtensor.dialects.diagnostics import remark
from irtensor.dialects.storage import format_of
from irtensor.dialects.tensor_format import LevelFormat
from irtensor.passes.analysis.iteration_graph import (
    Edge,
    accesses_in,
    can_locate,
    chain_edges,
    enclosing_variables,
    find_order,
    level_variables,
    name_of,
    stores_into,
)
from irtensor.passes.concrete_index.reorder import forall_chains, loops_around, permute_foralls
from irtensor.passes.concrete_index.workspace_statement import nest_loops, workspace_type
from irtensor.passes.pass_base import TensorPass


@dataclass(frozen=True)
class ExpandTemporariesPass(TensorPass):
    """Distribute loops over a where whose producer must be traversed in another order than these loops allow.

    Before: `forall %i { forall %j { where produce (%t) { forall %k { assign add %p into %t[] } }
             consume (%u) { ... } } }`
    After:  `forall %i { where produce (%w) { forall %j { forall %k { assign add %p into %w[%j] } } }
             consume (%v) { forall %j { ... } } }`, where %k may now go outside of %j
    Source: law L3 of Kjolstad et al. 2019 (workspaces, section 3.3), from right to left, with a plain store of %t.
    """

    name = "expand-temporaries"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        changed = True
        while changed:
            changed = any(_expand(chain) for chain in forall_chains(op))


def _expand(chain: list[ForallOp]) -> bool:
    inner = chain[-1].body.block
    where = inner.first_op
    if not isinstance(where, WhereOp) or where is not inner.last_op:
        return False
    variables = [forall.variable for forall in chain]
    edges = chain_edges(chain)
    inside = _variables_inside(variables, edges, list(enclosing_variables(chain[0])))
    store = _final_store(where)
    if any(loop.bounds and loop.variable in inside for loop in chain):
        return False  # the temporary's dimension would be that of a part of the coordinates
    if not inside or where.producer.block.args[0].type.shape.data or store is None:  # pyright: ignore
        return False
    outside = [variable for variable in variables if variable not in inside]
    outer, inner_order = find_order(outside, edges), find_order(inside, edges)
    if outer is None or inner_order is None:
        return False
    order = [*outer, *inner_order]
    levels = _levels(store, inside)
    if any(level.properties.workspace_only for level in levels[1:]):
        return False
    remark(
        f"expand-temporaries: the loops over {', '.join(map(name_of, inside))} go inside those of a reduction, "
        f"whose values are collected in a workspace over {', '.join(map(name_of, inside))}",
        where,
    )
    dimensions = [order.index(variable) for variable in inside]
    permute_foralls(chain, order)
    _distribute(where, [binder.variable for binder in loops_around(where)[-len(order) :]], dimensions, levels)
    return True


def _variables_inside(
    variables: Sequence[SSAValue], edges: Sequence[Edge], outer: Sequence[SSAValue]
) -> list[SSAValue]:
    """The variables of a chain that must be bound after one that is bound further inside."""
    hard = [edge for edge in edges if edge.hard]
    inside = {edge.after for edge in hard if edge.after in variables and edge.before not in (*variables, *outer)}
    grown = True
    while grown:
        more = {edge.after for edge in hard if edge.before in inside and edge.after in variables} - inside
        inside |= more
        grown = bool(more)
    return [variable for variable in variables if variable in inside]


def _final_store(where: WhereOp) -> AssignOp | None:
    """The one assignment, among the consumers, into the result."""
    stores = [a for a in accesses_in(where.consumer.block) if isinstance(a, AssignOp) and _is_result(a.tensor)]
    return stores[0] if len(stores) == 1 else None


def _is_result(tensor: SSAValue) -> bool:
    return isinstance(tensor.owner, Block) and isinstance(tensor.owner.parent_op(), ComputeOp)


def _levels(store: AssignOp, variables: Sequence[SSAValue]) -> list[LevelFormat]:
    """Dense where the result holds every coordinate anyway, so that emptying costs no more than the result does."""
    format = format_of(store.tensor.type)
    located = [v for number, v in enumerate(level_variables(store)) if can_locate(format, number)]
    return [LevelFormat("dense" if variable in located else "accumulator") for variable in variables]


def _distribute(
    where: WhereOp, order: Sequence[SSAValue], dimensions: Sequence[int], levels: Sequence[LevelFormat]
) -> None:
    """Put the loops of `dimensions`, the innermost, around producer and consumer each instead of around both."""
    variables = [order[dimension] for dimension in dimensions]
    loops = loops_around(where)[-len(order) :]
    outermost = loops[len(order) - len(variables)]
    produced, consumed = where.producer.block.args[0], where.consumer.block.args[0]
    store = next(stores_into(where.producer.block, produced))
    type = workspace_type(store, levels)
    apart = WhereOp.of(type, "w")
    producer, consumer = apart.producer.block, apart.consumer.block
    for old, temporary, new in ((where.producer.block, produced, producer), (where.consumer.block, consumed, consumer)):
        _move_under_loops(old, temporary, new, variables)
    parent = outermost.parent
    assert parent is not None
    parent.insert_op_before(apart, outermost)
    outermost.detach()
    outermost.erase()


def _move_under_loops(source: Block, temporary: SSAValue, target: Block, variables: Sequence[SSAValue]) -> None:
    """Move one side of a where into loops of its own, in which the temporary is the workspace's component."""
    workspace = target.args[0]
    block, renamed = nest_loops(target, variables)
    for op in list(source.ops):
        op.detach()
        block.add_op(op)
        for nested in op.walk():
            nested.operands = [renamed.get(operand, operand) for operand in nested.operands]
    for use in list(temporary.uses):
        access = use.operation
        assert isinstance(access, AccessOp | AssignOp) and access.parent is not None
        indices = list(renamed.values())
        if isinstance(access, AssignOp):
            new: AccessOp | AssignOp = AssignOp.of(access.value, workspace, indices, access.operator)
        else:
            new = AccessOp.of(workspace, indices)
            access.result.replace_all_uses_with(new.result)
        new.location = access.location
        access.parent.insert_op_before(new, access)
        access.detach()
        access.erase()
