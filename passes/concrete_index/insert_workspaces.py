"""`insert-workspaces`: results that no loop order can append to are computed through a workspace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue

from irtensor.dialects.concrete_index import AssignOp, ForallOp
from irtensor.dialects.diagnostics import remark
from irtensor.dialects.storage import format_of
from irtensor.dialects.tensor_format import LevelFormat, TensorFormat
from irtensor.passes.analysis.iteration_graph import (
    Edge,
    accesses_in,
    chain_edges,
    last_append_level,
    level_variables,
    name_of,
    suitable_order,
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
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    before = {"choose-loop-order": "results that no order of the loops can append to are refused without a workspace"}

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for chain in forall_chains(op):
            _insert(chain)


def _insert(chain: list[ForallOp]) -> None:
    inner = chain[-1].body.block
    appending = list(_appending(inner))
    if len(appending) != 1:
        return
    (assign,) = appending
    format = format_of(assign.tensor.type)
    last = last_append_level(format)
    edges = chain_edges(chain)
    if last is None or len(set(assign.indices)) < len(assign.indices) or suitable_order(chain, edges) is not None:
        return
    others = [edge for edge in edges if edge.access is not assign]
    levels, variables = level_variables(assign), [forall.variable for forall in chain]
    # As many levels of the result as possible stay outside: the workspace holds little at a time.
    needed = [edge for edge in others if edge.hard and edge.before in variables]
    for held in _choices(format, last, levels, needed):
        order = suitable_order(chain, [*others, *workspace_edges(assign, variables, _others(levels, held))])
        if order is not None:
            break
    else:
        return
    names = ", ".join(name_of(levels[number]) for number in held)
    remark(
        f"insert-workspaces: '{name_of(assign.tensor)}' is appended in order of {name_of(levels[last])}, but the loops "
        f"reach it in the order {', '.join(map(name_of, order))}: entries over {names} are collected in a workspace "
        "first",
        assign,
    )
    check_interchange(chain, order)
    statement = inner.last_op
    assert statement is not None
    permute_foralls(chain, order)
    levels = level_variables(assign)
    around = covered_by(_others(levels, held))
    loop = next(loop for loop in loops_around(statement)[-len(chain) :] if loop.variable not in around)
    store_through_workspace(assign, loop, [levels[number] for number in held], _levels(format, held))


def _others(levels: Sequence[SSAValue], held: Sequence[int]) -> list[SSAValue]:
    """The variables of the levels that a workspace does not hold."""
    return [variable for number, variable in enumerate(levels) if number not in held]


def _choices(format: TensorFormat, last: int, levels: Sequence[SSAValue], edges: Sequence[Edge]) -> Iterator[list[int]]:
    """Which levels a workspace may hold, the fewest first: the innermost ones, and any of those that make tuples."""
    tuples, below = format.tuples, list(range(last + 1, len(format.levels)))
    waiting = _waiting(levels[: tuples.stop], edges)
    held = [number for number in tuples if levels[number] in waiting]
    if 0 < len(held) < len(tuples):
        yield held + below
    for outside in range(tuples.start if tuples else last, -1, -1):
        yield list(range(outside, len(format.levels)))


def _waiting(variables: Sequence[SSAValue], edges: Sequence[Edge]) -> set[SSAValue]:
    """Those variables whose loops go inside of one over another variable, or inside of one that does."""
    waiting: set[SSAValue] = set()
    outside = set(variables)
    while outside:
        found = {edge.after for edge in edges if edge.after in outside and edge.before not in outside}
        if not found:
            break
        waiting |= found
        outside -= found
    return waiting


def _appending(block: Block) -> Iterator[AssignOp]:
    """The assignments of a statement, nested ones included, into results that are appended to."""
    for access in accesses_in(block):
        if isinstance(access, AssignOp) and last_append_level(format_of(access.tensor.type)) is not None:
            yield access


def _levels(format: TensorFormat, held: Sequence[int]) -> list[LevelFormat]:
    """What a workspace stores those of the result's levels in that it holds.

    Dense ones as the result does. A single sparse one, outermost, has a place for each coordinate, which is reached
    directly; others are maps, whose memory is that of what is stored.
    """
    sparse = [number for number in held if not format.levels[number].format.properties.full]
    kind = "accumulator" if sparse == [held[0]] else "map"
    return [LevelFormat(kind if number in sparse else "dense") for number in held]
