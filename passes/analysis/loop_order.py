"""Orders of loops that suit an iteration graph, and the error where none does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from xdsl.ir import SSAValue

from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ForallOp
from irtensor.dialects.storage.storage import format_of
from irtensor.passes.analysis.fewest_broken import fewest_broken
from irtensor.passes.analysis.iteration_graph import (
    Edge,
    edges_of,
    enclosing_variables,
    last_append_level,
    level_variables,
    levels_in_order,
    loop_name,
    name_of,
)
from irtensor.passes.analysis.ranges import block_variables, covered_by, forall_of


def order_variables(variables: Sequence[SSAValue], edges: Iterable[Edge]) -> list[SSAValue]:
    """Order variables so that hard edges hold and as few soft ones as possible are broken; ties keep the given order.

    Raises UserError [loop-order-cycle] or [output-needs-workspace] when the hard edges contradict each other.
    """
    edges = [edge for edge in edges if edge.before in variables and edge.after in variables]
    order = fewest_broken(variables, edges)
    if len(order) < len(variables):
        # What operands contradict by themselves is not for the result to answer for.
        reads = [edge for edge in edges if not isinstance(edge.access, AssignOp)]
        if len(reads) < len(edges):
            order_variables(variables, reads)
        remaining = [variable for variable in variables if variable not in order]
        raise _cycle_error(remaining, [edge for edge in edges if edge.hard])
    return order


def find_order(variables: Sequence[SSAValue], edges: Iterable[Edge]) -> list[SSAValue] | None:
    """`order_variables`, or None where the hard edges contradict each other."""
    order = fewest_broken(variables, edges)
    return order if len(order) == len(variables) else None


def suitable_order(chain: Sequence[ForallOp], edges: Sequence[Edge]) -> list[SSAValue] | None:
    """An order of the loops that suits all hard edges, or None: none of them goes inside a loop nested in them."""
    variables = [forall.variable for forall in chain]
    outside = [*variables, *enclosing_variables(chain[0])]
    if any(edge.hard and edge.after in variables and edge.before not in outside for edge in edges):
        return None
    return find_order(variables, edges)


def _cycle_error(remaining: Sequence[SSAValue], edges: Sequence[Edge]) -> UserError:
    """Follow unsatisfied edges backwards until a variable repeats; that loop of edges is the contradiction."""
    path: list[Edge] = []
    variable = remaining[0]
    while all(edge.after is not variable for edge in path):
        edge = next(edge for edge in edges if edge.after is variable and edge.before in remaining)
        path.append(edge)
        variable = edge.before
    start = next(position for position, edge in enumerate(path) if edge.after is variable)
    return contradiction(path[start:], edges)


def check_appended(store: AssignOp) -> None:
    """Raise UserError [output-needs-workspace] if the loops around a store do not append to its tensor in order."""
    inside = [variable for variable in enclosing_variables(store) if forall_of(variable) is not None]
    levels = level_variables(store)
    # A variable computed from others has one value in each iteration of theirs, whatever the order of blocks is.
    ordered = set(inside) - (covered_by(levels) - frozenset().union(*map(block_variables, levels)))
    for edge in edges_of(store):
        if edge.appends and edge.after in ordered and edge.before in inside[: inside.index(edge.after)]:
            raise contradiction([edge], [edge])


def contradiction(cycle: Sequence[Edge], edges: Sequence[Edge]) -> UserError:
    """The error for hard edges that cannot hold together, out of all edges of a statement."""
    unique: dict[str, Edge] = {edge.reason(): edge for edge in cycle}
    message = ", ".join(unique)
    notes = [edge.note() for edge in {edge.access: edge for edge in unique.values()}.values()]
    appending = next((edge for edge in cycle if edge.appends), None)
    if appending is not None:
        assert not isinstance(appending.access, ForallOp)
        tensor = name_of(appending.access.tensor)
        format = format_of(appending.access.tensor.type)
        level = last_append_level(format)
        assert level is not None
        return UserError(
            "output-needs-workspace",
            f"level {level} ({format.level_text(level)}) of '{tensor}' is written out of order by the loop over "
            f"{loop_name(appending.after)}: {message}",
            op=appending.access,
            notes=notes,
            help=f"store '{tensor}' dense in that dimension, or collect its entries in a workspace (insert-workspaces)",
        )
    accesses = [edge.access for edge in cycle if not isinstance(edge.access, ForallOp)]
    if not accesses:
        help = "compute the range of a loop from loops around it"
        return UserError("loop-order-cycle", message, op=cycle[0].access, notes=notes, help=help)
    help = _conversion(accesses[0], cycle, edges)
    return UserError("loop-order-cycle", message, op=accesses[0], notes=notes, help=help)


def _conversion(access: AccessOp | AssignOp, cycle: Sequence[Edge], edges: Sequence[Edge]) -> str:
    """What to store the tensor of one access as, so that it agrees with the others: with all, or those of the cycle."""
    name = name_of(access.tensor)
    wanted = _agreeing(access, edges) or _agreeing(access, cycle) or "a format without blocks"
    others = [edge.access for edge in edges if edge.access is not access]
    if any(other.tensor is access.tensor for other in others if not isinstance(other, ForallOp)):
        return f"pass a copy of '{name}' as an operand of its own, converted to {wanted}"
    return f"convert '{name}' to {wanted}"


def _agreeing(access: AccessOp | AssignOp, edges: Sequence[Edge]) -> TensorFormat | None:
    """The format with its levels in an order that the edges of other accesses allow, if there is one."""
    format = format_of(access.tensor.type)
    others = [edge for edge in edges if edge.access is not access and edge.hard]
    bound = [variable for edge in others for variable in (edge.before, edge.after)]
    order = find_order(list(dict.fromkeys([*level_variables(access), *bound])), others)
    if order is None:
        return None
    moved = [format.levels[number].expression for number in levels_in_order(access, order)]
    levels = [replace(level, expression=part) for level, part in zip(format.levels, moved, strict=True)]
    try:
        return replace(format, levels=tuple(levels))
    except UserError:
        # An offset inside of blocks would go before its block.
        return None
