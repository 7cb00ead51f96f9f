"""`insert-workspaces`: results that no loop order can append to are computed through a workspace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue

from irtensor.core.diagnostics import remark
from irtensor.core.level_format import LevelFormat
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.algebra.algebra import ApplyOp
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ForallOp
from irtensor.dialects.storage.storage import format_of
from irtensor.passes.analysis.connected_order import detached
from irtensor.passes.analysis.entries_once import entries_once
from irtensor.passes.analysis.find_expression import values_of
from irtensor.passes.analysis.iteration_graph import (
    Edge,
    accesses_in,
    chain_edges,
    enclosing_variables,
    last_append_level,
    level_variables,
    name_of,
    workspace_edges,
)
from irtensor.passes.analysis.loop_order import suitable_order
from irtensor.passes.analysis.ranges import covered_by
from irtensor.passes.concrete_index.support.recorded_steps import recorded_steps
from irtensor.passes.concrete_index.support.workspace_format import reaches_all
from irtensor.passes.concrete_index.support.workspace_levels import workspace_levels
from irtensor.passes.concrete_index.support.workspace_statement import store_through_workspace
from irtensor.passes.schedule.reorder import check_interchange, forall_chains, loops_around, permute_foralls
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass, option


@dataclass(frozen=True)
class InsertWorkspacesPass(TensorPass):
    """Where a result's levels would be appended to out of order, scatter into a workspace and append that in order.

    The outer levels of the result that can be appended to directly keep their loops around the workspace, as many as
    the operands' storage orders allow: with rows in order, only a row is held at a time (Gustavson 1978).
    So does a result whose rows have an entry for each coordinate, where appending them in order would read a dense
    operand down its columns. Not for threads of a GPU, which read neighbouring columns at a time. And so does one that
    would get an entry at each coordinate because what an operand stores there, such as a bitmap, is only asked inside.
    Before: `forall %i { forall %k { forall %j { assign add %p into %C[%i, %j] } } }`, %C stored by rows
    After:  `forall %i { where produce (%w) { forall %k { forall %j { assign add %p into %w[%j] } } }
             consume (%v) { forall %j { assign %v[%j] into %C[%i, %j] } } }`
    """

    name = "insert-workspaces"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    before = {"choose-loop-order": "results that no order of the loops can append to are refused without a workspace"}
    rows: bool = option("Whether a dense operand that is read down its columns is reason enough.", True)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for chain in forall_chains(op):
            _insert(chain, self.rows)


def _insert(chain: list[ForallOp], rows: bool) -> None:
    inner = chain[-1].body.block
    appending = list(_appending(inner))
    if len(appending) != 1:
        return
    (assign,) = appending
    format = format_of(assign.tensor.type)
    last = last_append_level(format)
    edges = chain_edges(chain)
    if last is None or len(set(assign.indices)) < len(assign.indices):
        return
    in_order = suitable_order(chain, edges)
    most: int | None = None
    if in_order is not None and not (rows and _reads_columns(chain, assign, edges)):
        most = _detached(chain, in_order) - 1
        if most < 0 or recorded_steps(chain[0]):
            return
    others = [edge for edge in edges if edge.access is not assign]
    levels, variables = level_variables(assign), [forall.variable for forall in chain]
    # As many levels of the result as possible stay outside: the workspace holds little at a time.
    needed = [edge for edge in others if edge.hard and edge.before in variables]
    for held in _choices(format, last, levels, needed):
        order = suitable_order(chain, [*others, *workspace_edges(assign, variables, _others(levels, held))])
        if order is not None and (most is None or (_is_row(format, held) and _detached(chain, order) <= most)):
            break
    else:
        return
    names = ", ".join(name_of(levels[number]) for number in held)
    remark(
        f"'{name_of(assign.tensor)}' is appended in order of {name_of(levels[last])}, but the loops "
        f"reach it in the order {', '.join(map(name_of, order))}: entries over {names} are collected in a workspace "
        "first",
        assign,
        by="insert-workspaces",
        about=[name_of(assign.tensor)],
    )
    check_interchange(chain, order)
    full = reaches_all(inner, [levels[number] for number in held]) and not _chooses_entries(assign)
    level_formats = _levels(format, held, full)
    statement = inner.last_op
    assert statement is not None
    permute_foralls(chain, order)
    levels = level_variables(assign)
    around = covered_by(_others(levels, held))
    loop = next(loop for loop in loops_around(statement)[-len(chain) :] if loop.variable not in around)
    store_through_workspace(assign, loop, [levels[number] for number in held], level_formats)


def _detached(chain: list[ForallOp], order: Sequence[SSAValue]) -> int:
    """How many loops of an order go to entries, or past them, whatever the loops outside have reached."""
    return detached(order, accesses_in(chain[-1].body.block), around=list(enclosing_variables(chain[0])))


def _reads_columns(chain: list[ForallOp], assign: AssignOp, edges: Sequence[Edge]) -> bool:
    """Whether loops that append would read a dense operand down its columns, for each coordinate of a level.

    For few coordinates, those of another operand's entries, a reduction by itself is less work than a whole row.
    """
    if recorded_steps(chain[0]):
        return False
    body, levels = chain[-1].body.block, level_variables(assign)
    reads = operations_in(body, AccessOp)
    reduced = {forall.variable for forall in chain}.difference(levels)
    asked = (edge for edge in entries_once(edges, reads) if not edge.hard and edge.access is not assign)
    inner = {edge.after for edge in asked if edge.before in reduced}
    appended = {edge.before for edge in edges if edge.appends and edge.after in reduced}
    return any(reaches_all(body, [variable]) for variable in inner & appended)


def _chooses_entries(assign: AssignOp) -> bool:
    """Whether a condition says which coordinates of a result have an entry."""
    return any(isinstance(value.owner, ApplyOp) and value.owner.entry is not None for value in values_of(assign))


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


def _levels(format: TensorFormat, held: Sequence[int], full: bool) -> list[LevelFormat]:
    """What a workspace stores those of the result's levels in that it holds.

    Dense ones as the result does, and all where the result is `full`. A single sparse one, outermost, has a slot for
    each coordinate, which is reached directly; others are maps, whose memory is that of their entries.
    """
    return workspace_levels([not full and not format.levels[number].format.pattern.full for number in held])


def _is_row(format: TensorFormat, held: Sequence[int]) -> bool:
    """Whether a workspace holds a single sparse level of a result, and the levels below it."""
    return [number for number in held if not format.levels[number].format.pattern.full] == [held[0]]
