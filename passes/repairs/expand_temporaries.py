"""`expand-temporaries`: a scalar temporary gets the dimensions of loops that cannot stay around its producer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Block, SSAValue

from irtensor.core.diagnostics import remark
from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp, ForallOp, WhereOp
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.expect import expect
from irtensor.passes.analysis.absence import is_temporary
from irtensor.passes.analysis.computed_coordinates import said_of_loops
from irtensor.passes.analysis.connected_order import connected_order
from irtensor.passes.analysis.entries_once import entries_once
from irtensor.passes.analysis.find_expression import term_computed
from irtensor.passes.analysis.iteration_graph import (
    Edge,
    chain_edges,
    edges_of,
    enclosing_variables,
    loops_named,
    name_of,
)
from irtensor.passes.analysis.lattice_points import acts_without
from irtensor.passes.analysis.loop_order import find_order
from irtensor.passes.analysis.ranges import forall_of, foralls_in, lets_in, only_statement, range_sources
from irtensor.passes.concrete_index.support.loop_paths import indexes_within, move_inside
from irtensor.passes.concrete_index.support.where_laws import (
    lift_out_of_consumer,
    loops_needed,
    sides,
    sink_let,
    uses_within,
)
from irtensor.passes.repairs.insert_conversions import readily_convertible
from irtensor.passes.schedule.reorder import forall_chains, loops_around, permute_foralls
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass, option


@dataclass(frozen=True)
class ExpandTemporariesPass(TensorPass):
    """Distribute loops over a where whose producer must be traversed in another order than these loops allow, or would
    combine all rows of one sparse operand with all rows of another, or would read a dense one down its columns.

    Before: `forall %i { forall %j { where produce (%t) { forall %k { assign add %p into %t[] } }
             consume (%u) { ... } } }`
    After:  `forall %i { where produce (%w) { forall %j { forall %k { assign add %p into %w[%j] } } }
             consume (%v) { forall %j { ... } } }`, where %k may now go outside of %j
    For dense operands it is never more work: the consumer iterates over all of %j as well, so that the row which the
    temporary becomes is as long as what it does. Not for threads of a GPU, which read neighbouring columns at a time.
    Of several temporaries that are computed one after the other, each is looked at: one that does not need those before
    it is computed first, so that they stay in the loops.
    Source: law L3 of Kjolstad et al. 2019 (workspaces, section 3.3), from right to left, with a plain store of %t.
    """

    name = "expand-temporaries"
    accepts = ("concrete_index",)
    leaves = ("concrete_index",)
    before = {"insert-conversions": "an expanded temporary makes conversions unnecessary"}
    rows: bool = option("Whether a dense operand is reason enough.", True)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        changed = True
        while changed:
            changed = any(_expand(chain, self.rows) for chain in forall_chains(op))


def _expand(chain: list[ForallOp], rows: bool) -> bool:
    lets, inner = lets_in(chain[-1].body.block)
    variables = [forall.variable for forall in chain]
    edges = chain_edges(chain)
    around = list(enclosing_variables(chain[0]))
    for *above, where in _computed_in(inner):
        inside = _inside_producer(where, variables, around)
        if not inside and not above:
            inside = _variables_inside(variables, edges, around)
        if rows:
            rows_below = _along_rows(where, variables)
            inside = [one for one in variables if one in inside or one in rows_below]
        if not inside or (lets and above) or not _may_expand(where, inside):
            continue
        # The producer does not stay in loops that only the consumer needs.
        needed = loops_needed(where.producer.block)
        inside = {one for one in variables if one in inside or one not in needed}
        # Operands of the consumer alone may be converted.
        reads = set(operations_in(where.producer.block, AccessOp))
        inside = _with_what_follows(inside, variables, [edge for edge in edges if edge.access in reads])
        outside = [variable for variable in variables if variable not in inside]
        if any(source in inside for one in outside for source in range_sources(one)):
            continue  # A loop's range is computed from one around it, which stays there.
        # The workspace is stored in the order in which the producer comes to its elements.
        stored = entries_once(edges, operations_in(where.producer.block, AccessOp)) if rows else edges
        outer, inner_order = find_order(outside, edges), find_order(inside, stored)
        if outer is None or inner_order is None:
            continue
        held = [one for one in inside if one in needed]
        remark(_told(where, held, [one for one in inside if one not in held]), where, by="expand-temporaries")
        for let in reversed(lets):
            sink_let(let)
        for one in reversed(above):
            lift_out_of_consumer(where, one)
        permute_foralls(chain, [*outer, *inner_order])
        for side in sides(where):
            side.args[0].name_hint = "w"
        move_inside(where, loops_around(where)[-len(inside) :])
        return True
    return False


def _told(where: WhereOp, held: Sequence[SSAValue], others: Sequence[SSAValue]) -> str:
    """Expand a reduction: the loops over its elements go inside, and it leaves those over other variables."""
    term, outside = term_computed(where), f"outside of {loops_named(others)}" if others else ""
    if not held:
        return f"{term} is computed {outside}"
    text = f"{term} is collected in a workspace over {', '.join(map(name_of, held))}"
    text += f", {outside}" if outside else ""
    return f"{text}: {loops_named(held)} {'goes' if len(held) == 1 else 'go'} inside of the reduction"


def _may_expand(where: WhereOp, variables: Sequence[SSAValue]) -> bool:
    """Whether a temporary may get dimensions for loops: it is a number, and the extents are those of the loops."""
    producer = where.producer.block
    if expect(producer.args[0].type, TensorType).shape.data:
        return False
    loops = (forall_of(variable) for variable in variables)
    if any(loop is not None and loop.bounds for loop in loops):
        return False  # a part of the coordinates
    # Coordinates that are computed from a variable say no extent.
    needed = loops_needed(producer)
    return all(indexes_within(variable, producer) for variable in variables if variable in needed)


def _computed_in(block: Block) -> Iterator[tuple[WhereOp, ...]]:
    """Temporaries that a block computes one after the other, each behind those that are computed before it, where it
    needs none of these."""
    above: tuple[WhereOp, ...] = ()
    while isinstance(where := only_statement(block), WhereOp):
        if not any(uses_within(one.consumer.block.args[0], where.producer.block) for one in above):
            yield (*above, where)
        above = (*above, where)
        block = where.consumer.block


def _variables_inside(
    variables: Sequence[SSAValue], edges: Sequence[Edge], outer: Sequence[SSAValue]
) -> list[SSAValue]:
    """The variables of a chain that must be bound after one that is bound further inside."""
    hard = [edge for edge in edges if edge.hard]
    inside = {edge.after for edge in hard if edge.after in variables and edge.before not in (*variables, *outer)}
    return _with_what_follows(inside, variables, hard)


def _with_what_follows(inside: set[SSAValue], variables: Sequence[SSAValue], edges: Sequence[Edge]) -> list[SSAValue]:
    """Variables of a chain, and those that have to be bound after one of them, as offsets after blocks have to."""
    grown = True
    while grown:
        more = {
            edge.after for edge in edges if edge.hard and edge.before in inside and edge.after in variables
        } - inside
        inside = inside | more
        grown = bool(more)
    return [variable for variable in variables if variable in inside]


def _inside_producer(where: WhereOp, variables: Sequence[SSAValue], around: Sequence[SSAValue]) -> list[SSAValue]:
    """The variables of a chain that are bound inside of a loop of the producer in an order that suits the producer,
    where operands may be converted: see `connected_order`.

    There are none if the consumer needs few coordinates only, as that of a sampled product does.
    """
    loops = foralls_in(where.producer.block)
    if not loops or operations_in(loops[-1].body.block, ForallOp) or not _uses_all(where.consumer.block):
        return []
    order = [*variables, *(loop.variable for loop in loops)]
    reads = operations_in(where.producer.block, AccessOp)
    edges = [edge for access in reads for edge in edges_of(access)]
    convertible = readily_convertible(reads, [*around, *order])
    stores = operations_in(where.consumer.block, AssignOp)
    order = find_order(order, [edge for edge in edges if edge.hard]) or order
    order, _ = connected_order(order, [*reads, *stores], edges, convertible, around=around) or (order, ())
    first = min(order.index(loop.variable) for loop in loops)
    return [variable for variable in variables if order.index(variable) > first]


def _along_rows(where: WhereOp, variables: Sequence[SSAValue]) -> list[SSAValue]:
    """The variables of a chain along which dense operands of the producer are stored, below one that it reduces over,
    or along which a dense matrix is packed that is read at coordinates of entries.

    None if the consumer needs few coordinates only: values computed for the others would be too many.
    """
    loops = [loop.variable for loop in foralls_in(where.producer.block)]
    if not loops or not _uses_all(where.consumer.block):
        return []
    reads = operations_in(where.producer.block, AccessOp)
    edges = list(entries_once((edge for access in reads for edge in edges_of(access)), reads))
    edges += said_of_loops(edges)
    below = [edge for edge in edges if edge.before in loops and edge.after in variables]
    # Along a level stored between two levels that are reduced over, the operand is read in order.
    between = {(edge.after, edge.access) for edge in below}
    found = {edge.after for edge in below}
    found -= {edge.before for edge in edges if edge.after in loops and (edge.before, edge.access) not in between}
    return [variable for variable in variables if variable in found]


def _uses_all(consumer: Block) -> bool:
    """Whether a consumer does something wherever there is a value of the temporary, whatever operands store there."""
    read = {access.tensor for access in operations_in(consumer, AccessOp)}
    given = {tensor for tensor in read if not is_temporary(tensor)}
    return acts_without(consumer, {tensor for tensor in given if not format_of(tensor.type).is_full})
