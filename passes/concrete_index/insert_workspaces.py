"""`insert-workspaces`: results that no loop order can append to are computed through a workspace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from irtensor.dialects.concrete_index import AccessOp, AssignOp, ForallOp, LetOp
from irtensor.dialects.diagnostics import remark
from irtensor.dialects.storage import format_of
from irtensor.dialects.tensor_format import LevelFormat, TensorFormat
from irtensor.passes.analysis.iteration_graph import (
    accesses_in,
    chain_edges,
    find_order,
    last_append_level,
    level_variables,
    name_of,
    workspace_edges,
)
from irtensor.passes.analysis.ranges import covered_by
from irtensor.passes.concrete_index.reorder import check_interchange, forall_chains, loops_around, permute_foralls
from irtensor.passes.concrete_index.workspace_statement import store_through_workspace
from irtensor.passes.pass_base import TensorPass


@dataclass(frozen=True)
class InsertWorkspacesPass(TensorPass):
    """Where a result's levels would be appended to out of order, scatter into a workspace and append that in order.

    The outer levels of the result that can be appended to directly keep their loops around the workspace, as many as
    the operands' storage orders allow: with rows in order, only a row is held at a time (Gustavson 1978).
    Before: `forall %i { forall %k { forall %j { assign add %p into %C[%i, %j] } } }`, %C stored by rows
    After:  `forall %i { where produce (%w) { forall %k { forall %j { assign add %p into %w[%j] } } }
             consume (%v) { forall %j { assign %v[%j] into %C[%i, %j] } } }`
    """

    name = "insert-workspaces"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for chain in forall_chains(op):
            _insert(chain)


def _insert(chain: list[ForallOp]) -> None:
    inner = chain[-1].body.block
    assigns = list(_assigns(inner))
    if len(assigns) != 1:
        return
    (assign,) = assigns
    format = format_of(assign.tensor.type)
    last = last_append_level(format)
    variables = [forall.variable for forall in chain]
    if last is None or len(set(assign.indices)) < len(assign.indices):
        return
    edges = chain_edges(chain)
    if find_order(variables, edges) is not None:
        return
    others = [edge for edge in edges if edge.access is not assign]
    levels = level_variables(assign)
    # As many levels of the result as possible stay outside: the workspace holds little at a time.
    plans = ((n, find_order(variables, [*others, *workspace_edges(assign, variables, n)])) for n in range(last, -1, -1))
    outside, order = next(((n, order) for n, order in plans if order is not None), (0, None))
    if order is None:
        return
    held = levels[outside:]
    remark(
        f"insert-workspaces: '{name_of(assign.tensor)}' is appended in order of {name_of(levels[last])}, but the loops "
        f"reach it in the order {', '.join(map(name_of, order))}: entries over {', '.join(map(name_of, held))} are "
        "collected in a workspace first",
        assign,
    )
    compact = not any(_has_full_level(access) for access in accesses_in(inner))
    check_interchange(chain, order)
    permute_foralls(chain, order)
    around = covered_by(level_variables(assign)[:outside])
    loop = next(loop for loop in loops_around(_statement(assign)) if loop.variable not in around)
    store_through_workspace(assign, loop, level_variables(assign)[outside:], _levels(format, outside, compact))


def _has_full_level(access: AccessOp | AssignOp) -> bool:
    return any(level.format.properties.full for level in format_of(access.tensor.type).levels)


def _levels(format: TensorFormat, outside: int, compact: bool) -> list[LevelFormat]:
    """What a workspace stores the result's levels in that it holds.

    Dense ones as the result does. A single sparse one, outermost, has a place for each coordinate, which is reached
    directly; others are maps, whose memory is that of what is stored. So is every one where the statement is `compact`:
    where no tensor in it takes memory for an extent, the extents may be of any size.
    """
    held = range(outside, len(format.levels))
    sparse = [number for number in held if not format.levels[number].format.properties.full]
    kind = "accumulator" if sparse == [outside] and not compact else "map"
    return [LevelFormat(kind if number in sparse else "dense") for number in held]


def _assigns(block: Block) -> Iterator[AssignOp]:
    """The assignments of a block, those below variables that it binds to single coordinates included."""
    for op in block.ops:
        if isinstance(op, AssignOp):
            yield op
        elif isinstance(op, LetOp):
            yield from _assigns(op.body.block)


def _statement(op: Operation) -> Operation:
    """The statement of a loop's body that an operation is, or is inside of."""
    parent = op.parent_op()
    return op if parent is None or isinstance(parent, ForallOp) else _statement(parent)
