"""The loops of a workspace: which of them go around its producer and its consumer each, and what they are called."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from xdsl.dialects.builtin import StringAttr, UnitAttr
from xdsl.ir import SSAValue

from irtensor.core.diagnostics import UserError
from irtensor.core.expression_text import Term
from irtensor.dialects.algebra.order_of_sums import keeps_order
from irtensor.dialects.concrete_index.blocks import only_coordinate
from irtensor.dialects.concrete_index.concrete_index import AssignOp, ForallOp, LetOp, WhereOp
from irtensor.passes.analysis.distribution import check_distribution
from irtensor.passes.analysis.enclosing_loops import enclosing_loops
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.analysis.ranges import (
    SHARED_ENDS,
    covered_by,
    forall_of,
    foralls_in,
    only_statement,
    range_sources,
)
from irtensor.passes.concrete_index.support.earlier_cut import depends_on_itself
from irtensor.passes.concrete_index.support.loop_paths import move_inside
from irtensor.passes.concrete_index.support.loop_ranges import FOLLOWS, FUSED, check_new_names, fused_name
from irtensor.passes.concrete_index.support.where_laws import (
    distribute_loop,
    lift_out_of_consumer,
    lift_out_of_producer,
    sides,
    sink_let,
    sink_values,
    uses_within,
)
from irtensor.passes.schedule.reorder import check_interchange, loops_around, permute_foralls
from irtensor.passes.support.operations_in import operations_in


def push_loops(where: WhereOp, write: AssignOp, store: AssignOp, term: Term) -> None:
    """Move the loops around a where inside, from the innermost outwards, until one is needed around both sides.

    Those that the workspace has dimensions for go inside of such loops before, where they may be exchanged, through
    temporaries that lie between.

    Raises UserError [illegal-precompute].
    """
    fused = _fused_around(where)
    while True:
        around = where.parent_op()
        if isinstance(around, WhereOp):
            if not _lift(where, around, write):
                break
        elif isinstance(around, LetOp):
            if not _bound_outside(where, write.indices) or not sink_values(where):
                break
            sink_let(around)
        elif not isinstance(around, ForallOp) or not sink_values(where):
            break
        elif not _stays(where, around, write):
            _distribute(where, around, store, term)
        elif not _put_outside(where, write) and not _enter_temporary(where, write):
            break
    for name, (count, are_cut) in fused.items():
        _unfuse_parts(where, name, count, are_cut)
    _check_dimensions(where, write, term)


def _distribute(where: WhereOp, around: ForallOp, store: AssignOp, term: Term) -> None:
    if store.operator is not None and not uses_within(around.variable, where.consumer.block):
        check_distribution(where, store, around.variable, term)
    distribute_loop(where, around)


def _put_outside(where: WhereOp, write: AssignOp) -> bool:
    """Put the loops that stay around both sides outside of those that the workspace has dimensions for; says whether
    that changes anything.

    Ranges of the outer loops may not depend on the inner ones, and sums keep their order where that is asked for.
    """
    chain = [loop for loop in loops_around(where) if _has_only(loop, where)]
    inside = [loop for loop in chain if loop.variable in write.indices]
    outside = [loop for loop in chain if loop not in inside]
    ordered, variables = [*outside, *inside], {loop.variable for loop in inside}
    if ordered == chain or any(variables & range_sources(loop.variable) for loop in outside):
        return False
    if any(FOLLOWS in loop.attributes for loop in chain) or not _keeps_fused(chain, ordered):
        return False
    order = [loop.variable for loop in ordered]
    try:
        check_interchange(chain, order)
    except UserError:
        return False
    if keeps_order(where) and not _reduce_in_order(chain, order):
        return False
    permute_foralls(chain, order)
    return True


def _enter_temporary(where: WhereOp, write: AssignOp) -> bool:
    """Put loops that the workspace has dimensions for, and those inside of them, into both sides of a temporary that
    lies between them and loops which stay around; says whether that could be done. It gets these dimensions as well."""
    between = _temporary_around(where)
    while between is not None and not any(loop.variable in write.indices for loop in loops_around(between)):
        between = _temporary_around(between)
    if between is None or not sink_values(between):
        return False
    _put_outside(between, write)
    outer = [loop for loop in loops_around(between) if _has_only(loop, between)]
    first = next((number for number, loop in enumerate(outer) if loop.variable in write.indices), None)
    if first is None or any(FOLLOWS in loop.attributes or fused_name(loop) is not None for loop in outer[first:]):
        return False
    try:
        move_inside(between, outer[first:])
    except UserError:
        return False
    return True


def _temporary_around(where: WhereOp) -> WhereOp | None:
    """The temporary that loops around a where lie in."""
    chain = loops_around(where)
    around = chain[0].parent_op() if chain else where.parent_op()
    return around if isinstance(around, WhereOp) else None


def _keeps_fused(chain: Sequence[ForallOp], ordered: Sequence[ForallOp]) -> bool:
    """Whether loops that are fused stay directly nested, in their order, where those of a chain are in another one."""
    names = {name for loop in chain if (name := fused_name(loop)) is not None}
    for name in names:
        group = [loop for loop in chain if fused_name(loop) == name]
        first = ordered.index(group[0])
        if list(ordered[first : first + len(group)]) != group:
            return False
    return True


def _has_only(loop: ForallOp, where: WhereOp) -> bool:
    """Whether a loop consists of a statement, perhaps in other loops."""
    chain = [loop, *foralls_in(loop.body.block)]
    return only_statement(chain[-1].body.block) is where


def _reduce_in_order(chain: Sequence[ForallOp], order: Sequence[SSAValue]) -> bool:
    """Whether sums come in the same order where the loops of a chain are in another one."""
    for assign in operations_in(chain[-1].body, AssignOp):
        covered = covered_by(assign.indices)
        reducing = [loop.variable for loop in chain if loop.variable not in covered]
        if assign.operator is not None and reducing != [one for one in order if one in reducing]:
            return False
    return True


def _stays(where: WhereOp, around: ForallOp, write: AssignOp) -> bool:
    """Whether both sides need a loop, for which the workspace has no dimension."""
    if around.variable in write.indices or (
        only_coordinate(around) is not None and _bound_outside(where, write.indices)
    ):
        return False
    produces, consumes = (uses_within(around.variable, side) for side in sides(where))
    return produces == consumes


def _lift(where: WhereOp, around: WhereOp, write: AssignOp) -> bool:
    """Put a where that is a whole side of another around that one; out of its producer only for loops further out."""
    if where.parent is around.consumer.block:
        return sink_values(where) and lift_out_of_consumer(where, around)
    if not _bound_outside(where, write.indices) or not sink_values(where):
        return False
    lift_out_of_producer(where, around)
    return True


def _bound_outside(where: WhereOp, variables: Collection[SSAValue]) -> list[SSAValue]:
    return [loop.variable for loop in enclosing_loops(where) if loop.variable in variables]


def _fused_around(where: WhereOp) -> dict[str, tuple[int, bool]]:
    """How many loops around a statement are fused under each name, and whether they have been cut."""
    found: dict[str, list[ForallOp]] = {}
    for loop in reversed(list(enclosing_loops(where))):
        if (name := fused_name(loop)) is not None:
            found.setdefault(name, []).append(loop)
    return {name: (len(nest), depends_on_itself(nest)) for name, nest in found.items()}


def _unfuse_parts(where: WhereOp, name: str, count: int, are_cut: bool) -> None:
    """Where a side has only the outermost of loops that were fused, these are fused no more.

    If they have been cut, a block may end within an iteration of them, which the next block then has as well.
    """
    if any(fused_name(loop) == name for loop in enclosing_loops(where)):
        return
    parted: list[ForallOp] = []
    for side in sides(where):
        loops = [loop for loop in operations_in(side, ForallOp) if fused_name(loop) == name]
        for loop in loops:
            if len([one for one in loops if one.is_ancestor(loop) or loop.is_ancestor(one)]) < count:
                parted.append(loop)
    for loop in parted:
        del loop.attributes[FUSED]
        if are_cut:
            loop.attributes[SHARED_ENDS] = UnitAttr()


def _check_dimensions(where: WhereOp, write: AssignOp, term: Term) -> None:
    """Every variable of the workspace has to be bound inside of its producer: others would be dimensions in vain."""
    outside = _bound_outside(where, write.indices)
    if not outside:
        return
    around, names = where.parent_op(), ", ".join(map(name_of, outside))
    needed = name_of(around.variable) if isinstance(around, ForallOp) else "another temporary"
    problem = f"because the loop over {needed} stays around both sides"
    help = f"reorder the loops before, so that {needed} is outside of {names}, or add {needed} to the variables"
    if not isinstance(around, ForallOp) or only_statement(around.body.block) is not where:
        problem = f"because other statements stand beside it inside of the loop over {names}"
        help = f"omit {names}, or precompute before the other steps"
    elif range_sources(around.variable).intersection(outside):
        count = "counts" if len(outside) == 1 else "count"
        help = f"add {needed}, which runs over a block that {names} {count}, to the variables"
    message = f"precompute: the workspace of '{term}' cannot have a dimension for {names}, {problem}"
    raise UserError("illegal-precompute", message, op=write, help=help)


def name_producer(write: AssignOp, over: Sequence[tuple[str, Sequence[SSAValue]]], names: Sequence[str]) -> None:
    """Give loops of a producer names of their own: one for each of `over`, which has the names of loops and the
    variables of the consumer that they are for.

    Raises UserError [bad-schedule-step].
    """
    if not names:
        return
    if len(names) != len(over):
        given = ", ".join(name for name, _ in over) or "no variable"
        message = f"precompute: producer= has {len(names)} names, and the workspace is over {given}"
        raise UserError("bad-schedule-step", message, op=write, help="give one name for each variable of over=")
    first = 0
    for (old, variables), new in zip(over, names, strict=True):
        indices = write.indices[first : first + len(variables)]
        first += len(variables)
        loops = [loop for loop in map(forall_of, indices) if loop is not None]
        if new == old:
            continue
        check_new_names("precompute", loops, (new,))
        if all(fused_name(loop) == old for loop in loops):
            for loop in loops:
                loop.attributes[FUSED] = StringAttr(new)
        else:
            for index in indices:
                index.name_hint = new
