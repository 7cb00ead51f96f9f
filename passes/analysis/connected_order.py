"""Which orders of loops combine only what sparse operands connect: row by row of a product, not every row with each."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import permutations

from xdsl.ir import SSAValue

from irtensor.dialects.concrete_index import AccessOp, AssignOp
from irtensor.dialects.storage import format_of
from irtensor.passes.analysis.iteration_graph import Edge, last_append_level

# With more variables there are too many orders to try.
_MOST_VARIABLES = 5


def detached(order: Sequence[SSAValue], accesses: Sequence[AccessOp | AssignOp]) -> int:
    """How many loops run over entries of sparse operands that no operand ties to the loops around them.

    Each multiplies the work by what is stored, instead of by what is stored below what the loops around have reached.
    """
    sparse = [set(access.indices) for access in accesses if isinstance(access, AccessOp) and _is_sparse(access)]
    count = 0
    for number, variable in enumerate(order):
        reading = [indices for indices in sparse if variable in indices]
        count += number > 0 and bool(reading) and not any(indices.intersection(order[:number]) for indices in reading)
    return count


def connected_order(
    order: Sequence[SSAValue],
    accesses: Sequence[AccessOp | AssignOp],
    edges: Sequence[Edge],
    convertible: Collection[AccessOp],
) -> tuple[list[SSAValue], list[AccessOp]] | None:
    """An order with fewer detached loops than another, and the operands to convert for it: as few as possible.

    None where there is none, or nothing sparse is appended to: a dense result is as large as all combinations.
    """
    appends = any(isinstance(a, AssignOp) and last_append_level(format_of(a.tensor.type)) is not None for a in accesses)
    least = detached(order, accesses)
    if not appends or least == 0 or len(order) > _MOST_VARIABLES:
        return None
    best: tuple[int, int] | None = None
    found: tuple[list[SSAValue], list[AccessOp]] | None = None
    for candidate in permutations(order):
        place = {variable: number for number, variable in enumerate(candidate)}
        hard = [edge for edge in edges if edge.hard and edge.before in place and edge.after in place]
        # Into a result any order leads, if need be through a workspace.
        against = {e.access: None for e in hard if place[e.before] > place[e.after] and isinstance(e.access, AccessOp)}
        if all(access in convertible for access in against):
            cost = detached(candidate, accesses), len(against)
            if cost[0] < least and (best is None or cost < best):
                best, found = cost, (list(candidate), [access for access in accesses if access in against])  # pyright: ignore
    return found


def _is_sparse(access: AccessOp) -> bool:
    return not format_of(access.tensor.type).is_dense
