"""Binds index variables to the extents of the operands; an index variable has one extent throughout a statement."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from irtensor.core.diagnostics import UserError
from irtensor.frontend.computed_target import written_target
from irtensor.frontend.expression_tree import Access, Statement, accesses, format_expression, free_indices
from irtensor.frontend.extremes import nonempty_reductions
from irtensor.frontend.notation.notation_errors import notation_error

# Above it, a workspace with a slot for each coordinate would take gigabytes.
_HUGE_EXTENT = 2**28
# Above it, such a workspace would take more than a hundred megabytes for a statement in which nothing else does.
_LARGE_EXTENT = 2**22


class WideIndices(NamedTuple):
    """Index variables, by name, of extents for which workspaces are not to take memory: any workspaces, or those of
    statements in which nothing else takes memory for an extent."""

    huge: tuple[str, ...]
    large: tuple[str, ...]

    @staticmethod
    def of(extents: Collection[tuple[str, int]]) -> WideIndices | None:
        """Those among index variables with extents; None if there is none."""
        limits = _HUGE_EXTENT, _LARGE_EXTENT
        found = WideIndices(*(tuple(sorted({name for name, extent in extents if extent > limit})) for limit in limits))
        return found if found.large else None


def bind_extents(statement: Statement, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
    """Extent of every index variable, given the shape of every tensor read.

    Raises UserError [missing-operand], [rank-mismatch] or [extent-mismatch] naming tensors, dimensions and extents, and
    [unknown-extent] for an index variable of the result that no operand has.
    """
    extents: dict[str, int] = {}
    first: dict[str, Access] = {}
    for access in accesses(statement.expression):
        shape = _shape_of(statement, access, shapes)
        for dimension, index in access.plain_dimensions:
            extent = shape[dimension]
            known = extents.setdefault(index, extent)
            origin = first.setdefault(index, access)
            if known != extent:
                raise notation_error(
                    "extent-mismatch",
                    f"index {index} has extent {extent} in dimension {dimension} of {format_expression(access)}, "
                    f"but {known} in {format_expression(origin)}",
                    statement.source,
                    access.span,
                    notes=[(f"{origin.tensor} has shape {shapes[origin.tensor]}", origin.span)],
                )
    check_result_indices(statement)
    for reduction in nonempty_reductions(statement.expression):
        for index in reduction.indices:
            if extents.get(index) == 0:
                message = f"index {index} has no coordinates, and so none with a least or greatest value"
                help = f"give operands with at least one element along {index.rstrip('_')}"
                raise notation_error("empty-reduction", message, statement.source, reduction.span, help=help)
    return extents


def may_be_wide(shapes: Iterable[tuple[int, ...]]) -> bool:
    """Whether an extent is one for which there may be wide index variables: hardly any is."""
    return max(map(max, filter(None, shapes)), default=0) > _LARGE_EXTENT


def wide_indices(statement: Statement, shapes: Mapping[str, tuple[int, ...]]) -> WideIndices | None:
    """The index variables of such extents that a workspace along them is to take memory for what it stores only."""
    if not may_be_wide(shapes.values()):
        return None  # Asked for with every call that has new shapes.
    read = accesses(statement.expression)
    return WideIndices.of([(i, shapes[one.tensor][number]) for one in read for number, i in one.plain_dimensions])


def _shape_of(statement: Statement, access: Access, shapes: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    if access.tensor not in shapes:
        message = f"no operand is given for {access.tensor}"
        help = f"give it by name: {access.tensor}=..."
        raise notation_error("missing-operand", message, statement.source, access.span, help=help)
    shape = shapes[access.tensor]
    if len(shape) != len(access.indices):
        message = (
            f"{access.tensor} has {len(shape)} dimensions, but {format_expression(access)} has {len(access.indices)}"
        )
        raise notation_error("rank-mismatch", message, statement.source, access.span)
    return shape


def check_result_indices(statement: Statement) -> None:
    """Raise UserError [unknown-extent] for an index variable of the result that no operand has."""
    known = {index for access in accesses(statement.expression) for index in free_indices(access)}
    for index in statement.target.plain_indices:
        if index not in known:
            raise _unknown_extent(statement, index)


def _unknown_extent(statement: Statement, index: str) -> UserError:
    """The error of an index variable of the result whose extent nothing says."""
    target, tensor = statement.target, statement.target.tensor
    if index in dict(statement.coordinates):
        written = format_expression(written_target(statement))
        message = f"nothing says how many elements dimension {target.indices.index(index)} of {written} has"
        help = f"declare the shape of {tensor}, extents={{{tensor!r}: (...)}}, or give the result as out= or {tensor}="
    else:
        message = f"index {index} of the result {format_expression(target)} is in no operand, so its extent is unknown"
        help = f"declare it, extents={{{index!r}: ...}}, give the result as out=, or multiply by a tensor that has "
        help += index
    return notation_error("unknown-extent", message, statement.source, target.span, help=help)
