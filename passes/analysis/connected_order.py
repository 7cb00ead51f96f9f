"""Which orders of loops combine only what sparse operands connect: row by row of a product, not every row with each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from irtensor.dialects.concrete_index import AccessOp, AssignOp
from irtensor.dialects.storage import format_of
from irtensor.passes.analysis.iteration_graph import Edge
from irtensor.passes.analysis.ranges import block_variables

# How many sets of outer loops are followed at a time: all there are of up to ten loops.
_MOST_SETS = 252

_Indices = list[set[SSAValue]]


@dataclass(frozen=True)
class _Outer:
    """Some loops in an order, by their places in the given order, and what that costs."""

    places: tuple[int, ...] = ()
    detached: int = 0
    converted: frozenset[AccessOp] = frozenset()

    def cost(self) -> tuple[int, int, tuple[int, ...]]:
        return self.detached, len(self.converted), self.places


def detached(order: Sequence[SSAValue], accesses: Sequence[AccessOp | AssignOp]) -> int:
    """How many loops run over entries of sparse operands that no operand ties to the loops around them.

    Each multiplies the work by what is stored, instead of by what is stored below what the loops around have reached.
    """
    sparse = _sparse_indices(accesses)
    return sum(_is_detached(variable, order[:number], sparse) for number, variable in enumerate(order))


def connected_order(
    order: Sequence[SSAValue],
    accesses: Sequence[AccessOp | AssignOp],
    edges: Sequence[Edge],
    convertible: Collection[AccessOp],
) -> tuple[list[SSAValue], list[AccessOp]] | None:
    """An order with fewer detached loops than the given one, and the operands to convert for it; None if there is none.

    Up to ten loops no order has fewer; with more, only the most promising outer loops are followed. Of equal orders
    one that converts few operands is taken, and then the one most like the given order.
    """
    least = detached(order, accesses)
    if least == 0:
        return None
    sparse = _sparse_indices(accesses)
    # Into a result any order leads, if need be through a workspace.
    hard = [edge for edge in edges if edge.hard and edge.before in order and not isinstance(edge.access, AssignOp)]
    reached: dict[frozenset[SSAValue], _Outer] = {frozenset(): _Outer()}
    for _ in order:
        further: dict[frozenset[SSAValue], _Outer] = {}
        for bound, outer in reached.items():
            for place, variable in enumerate(order):
                against = {edge.access for edge in hard if edge.after is variable and edge.before not in bound}
                if variable in bound or not all(access in convertible for access in against):
                    continue
                count = outer.detached + _is_detached(variable, bound, sparse)
                longer = _Outer((*outer.places, place), count, outer.converted | against)  # pyright: ignore
                known = further.setdefault(bound | {variable}, longer)
                further[bound | {variable}] = min(known, longer, key=_Outer.cost)
        best = sorted(further.items(), key=lambda item: item[1].cost())
        reached = dict(best[:_MOST_SETS])
    found = next(iter(reached.values()), None)
    if found is None or found.detached >= least:
        return None
    converted = [access for access in accesses if isinstance(access, AccessOp) and access in found.converted]
    return [order[place] for place in found.places], converted


def _is_detached(variable: SSAValue, bound: Collection[SSAValue], sparse: _Indices) -> bool:
    reading = [indices for indices in sparse if variable in indices]
    return bool(bound) and bool(reading) and not any(indices.intersection(bound) for indices in reading)


def _sparse_indices(accesses: Sequence[AccessOp | AssignOp]) -> _Indices:
    """The loops over every sparse operand: its index variables, and those that count blocks of their coordinates."""
    operands = [access for access in accesses if isinstance(access, AccessOp)]
    sparse = [access for access in operands if not format_of(access.tensor.type).is_dense]
    return [set(access.indices).union(*map(block_variables, access.indices)) for access in sparse]
