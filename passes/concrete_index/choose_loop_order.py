"""`choose-loop-order`: order loops so that every operand is traversed, and every result appended, in storage order."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from irtensor.dialects.concrete_index import AccessOp, ForallOp
from irtensor.passes.analysis.computed_coordinates import said_of_loops
from irtensor.passes.analysis.entries_once import entries_once
from irtensor.passes.analysis.iteration_graph import (
    Edge,
    chain_edges,
    contradiction,
    enclosing_variables,
    order_variables,
)
from irtensor.passes.concrete_index.recorded_steps import recorded_steps
from irtensor.passes.concrete_index.reorder import check_interchange, forall_chains, permute_foralls
from irtensor.passes.operations_in import operations_in
from irtensor.passes.pass_base import TensorPass, option


@dataclass(frozen=True)
class ChooseLoopOrderPass(TensorPass):
    """Sort every chain of foralls topologically by the storage orders of what it accesses (Kjolstad 2020, 3.2).

    Sparse levels force an order; dense levels ask for it, also where their coordinates are put together from blocks
    and places in them: what goes inside of both goes along a row. Contradictions are errors: [loop-order-cycle] between
    operands, [output-needs-workspace] when a result would be scattered into levels that can only be appended to.
    In definitions that a schedule has arranged, the order changes only where a sparse level forces it to.
    A dense matrix that is read at coordinates of entries gains nothing from a loop along its rows: the entries are
    walked once, and for each of them a column of the matrix, which pack-strided-reads makes a row. So are those of a
    result, where an operand asks for its rows inside of another loop.
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
    check_interchange(chain, order)
    permute_foralls(chain, order)


def _check_bound_outside(chain: list[ForallOp], edge: Edge, edges: list[Edge]) -> None:
    """A variable that must come before one of this chain, and is not in it, has to be bound around the chain."""
    if edge.before not in enclosing_variables(chain[0]):
        nested = [back for back in edges if back.before is edge.after and back.after is edge.before]
        raise contradiction([edge, *nested], edges)
