"""Whether the window of a loop begins and ends at entries of the fiber that the loop iterates over."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.arith import SelectOp
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue

from irtensor.dialects.algebra.algebra import ApplyOp
from irtensor.dialects.concrete_index.concrete_index import ForallOp
from irtensor.dialects.concrete_index.index_ranges import EntryOp
from irtensor.passes.analysis.ranges import forall_of
from irtensor.passes.concrete_index.support.earlier_cut import earlier_cut
from irtensor.passes.concrete_index.support.loop_ranges import fused_inside


def goes_by_own_entries(tensor: SSAValue, variables: Sequence[SSAValue]) -> bool:
    """Whether the loop over the last of some variables, which index the outer levels of a tensor, has a window from an
    entry below the others to another: loops over some of them are cut together by the tensor's entries.

    Where a range is chosen, it is by the coordinates above the entry, so that it is one of the fiber.
    """
    last = forall_of(variables[-1])
    inside = [] if last is None else fused_inside(last)
    for first in range(len(variables)):
        loops = [forall_of(variable) for variable in variables[first:]]
        nest = [loop for loop in loops if loop is not None]
        part = earlier_cut([*nest, *inside]) if len(nest) == len(loops) else None
        if part is None or len(part.after) < len(part.coordinates):
            continue
        ends = ((part.coordinates, part.corner), (part.after, part.after))
        if all(_are_of(tensor, variables[:first], coordinates) for coordinates, _ in ends):
            return all(_meet(nest, corner, number) for number, (_, corner) in enumerate(ends))
    return False


def _are_of(tensor: SSAValue, prefix: Sequence[SSAValue], coordinates: Sequence[SSAValue]) -> bool:
    """Whether values are the coordinates of one entry of a tensor, counted below a prefix."""
    entry = coordinates[0].owner
    return (
        isinstance(entry, EntryOp)
        and entry.tensor is tensor
        and entry.by_dimension is None
        and [*entry.prefix] == [*prefix]
        and [*entry.coordinates] == [*coordinates]
    )


def _meet(nest: Sequence[ForallOp], corner: Sequence[SSAValue], number: int) -> bool:
    """Whether the last loop of a nest has an end of its own only below the others' coordinates in a corner."""
    if len(nest) == 1:
        return True
    bound = nest[-1].bounds[number].owner
    return isinstance(bound, SelectOp) and _tested(bound.cond) == {
        (loop.variable, at) for loop, at in zip(nest[:-1], corner, strict=False)
    }


def _tested(condition: SSAValue) -> set[tuple[SSAValue, SSAValue]] | None:
    """The values that have to be equal, if that is all that a condition asks."""
    owner = condition.owner
    if not isinstance(owner, ApplyOp):
        return None
    if owner.operator == StringAttr("and"):
        found = [_tested(operand) for operand in owner.arguments]
        return None if None in found else set[tuple[SSAValue, SSAValue]]().union(*(one or () for one in found))
    return {(owner.arguments[0], owner.arguments[1])} if owner.operator == StringAttr("eq") else None
