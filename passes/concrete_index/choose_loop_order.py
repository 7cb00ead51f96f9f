"""`choose-loop-order`: order loops so that every operand is traversed, and every result appended, in storage order."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ForallOp
from irtensor.dialects.storage.storage import format_of
from irtensor.passes.analysis.computed_coordinates import said_of_loops
from irtensor.passes.analysis.connected_order import connected_order
from irtensor.passes.analysis.entries_once import entries_once
from irtensor.passes.analysis.iteration_graph import (
    Edge,
    accesses_in,
    chain_edges,
    enclosing_variables,
    last_append_level,
)
from irtensor.passes.analysis.loop_order import contradiction, order_variables
from irtensor.passes.concrete_index.support.recorded_steps import recorded_steps
from irtensor.passes.schedule.reorder import check_interchange, forall_chains, permute_foralls
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass, option


@dataclass(frozen=True)
class ChooseLoopOrderPass(TensorPass):
    """Sort every chain of foralls topologically by the storage orders of what it accesses (Kjolstad 2020, 3.2).

    Sparse levels force an order; dense levels ask for it, also where their coordinates are composed of blocks and
    offsets in them: a loop inside of both iterates over a row. Contradictions are errors: [loop-order-cycle] between
    operands, [output-needs-workspace] when a result would be scattered into levels that can only be appended to. In
    definitions that a schedule has arranged, the order changes only where a sparse level forces it to. A dense matrix
    that is read at coordinates of entries gains nothing from a loop along its rows: the entries are walked once, and
    for each of them a column of the matrix, which pack-strided-reads makes a row. So are those of a result, where an
    operand asks for its rows inside of another loop. Where a result such as a bitmap would get an entry at each
    coordinate, because an operand is only asked for entries inside, dense levels are read in any order.
    """

    name = "choose-loop-order"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    packs: bool = option("Whether dense matrices that are accessed across their rows are transposed later.", True)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for chain in forall_chains(op):
            _order(chain, self.packs)


def _order(chain: list[ForallOp], packs: bool) -> None:
    keep = bool(recorded_steps(chain[0]))
    edges = [edge for edge in chain_edges(chain) if edge.hard or not keep]
    if packs:
        edges = list(entries_once(edges, operations_in(chain[-1].body.block, AccessOp)))
    variables = [forall.variable for forall in chain]
    for edge in edges:
        if edge.hard and edge.after in variables and edge.before not in variables:
            _check_bound_outside(chain, edge, edges)
    order = order_variables(variables, [*edges, *said_of_loops(edges)])
    if not keep:
        order = _reaching_entries(chain, order, edges)
    check_interchange(chain, order)
    permute_foralls(chain, order)


def _reaching_entries(chain: list[ForallOp], order: list[SSAValue], edges: list[Edge]) -> list[SSAValue]:
    """An order whose loops come to coordinates at which there is something to store, for a result that has flags there.

    One whose entries are appended is collected in a workspace instead: see insert-workspaces.
    """
    accesses = list(accesses_in(chain[-1].body.block))
    if not any(isinstance(access, AssignOp) and _has_flags(access) for access in accesses):
        return order
    found = connected_order(order, accesses, edges, (), around=list(enclosing_variables(chain[0])))
    if found is None or any(edge.hard and _is_against(edge, found[0]) for edge in edges):
        return order
    return found[0]


def _has_flags(store: AssignOp) -> bool:
    format = format_of(store.tensor.type)
    return format.records_entries and last_append_level(format) != len(format.levels) - 1


def _is_against(edge: Edge, order: list[SSAValue]) -> bool:
    inner = order[order.index(edge.after) :] if edge.after in order else []
    return edge.before in inner


def _check_bound_outside(chain: list[ForallOp], edge: Edge, edges: list[Edge]) -> None:
    """A variable that must come before one of this chain, and is not in it, has to be bound around the chain."""
    if edge.before not in enclosing_variables(chain[0]):
        nested = [back for back in edges if back.before is edge.after and back.after is edge.before]
        raise contradiction([edge, *nested], edges)
