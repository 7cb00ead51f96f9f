"""Binds index variables to the extents of the operands; an index variable has one extent throughout a statement."""

from __future__ import annotations

from collections.abc import Mapping

from irtensor.frontend.expression_tree import Access, Statement, accesses, format_expression
from irtensor.frontend.notation_errors import notation_error

# Above it, a workspace with a place for each coordinate would take gigabytes.
_WIDE_EXTENT = 2**28


def bind_extents(statement: Statement, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
    """Extent of every index variable, given the shape of every tensor read.

    Raises UserError [missing-operand], [rank-mismatch] or [extent-mismatch] naming tensors, dimensions and extents, and
    [unknown-extent] for an index variable of the result that no operand has.
    """
    extents: dict[str, int] = {}
    first: dict[str, Access] = {}
    for access in accesses(statement.expression):
        shape = _shape_of(statement, access, shapes)
        for dimension, (index, extent) in enumerate(zip(access.indices, shape, strict=True)):
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
    return extents


def is_wide(extent: int) -> bool:
    """Whether a workspace along such an extent is to take memory for what it stores only."""
    return extent > _WIDE_EXTENT


def wide_indices(statement: Statement, shapes: Mapping[str, tuple[int, ...]]) -> tuple[str, ...]:
    """The index variables of such extents that a workspace along them is to take memory for what it stores only."""
    if max(map(max, filter(None, shapes.values())), default=0) <= _WIDE_EXTENT:
        return ()  # Asked for with every call that has new shapes: hardly any has such.
    extents = ((i, n) for one in accesses(statement.expression) for i, n in zip(one.indices, shapes[one.tensor]))
    return tuple(sorted({index for index, extent in extents if is_wide(extent)}))


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
    known = {index for access in accesses(statement.expression) for index in access.indices}
    for index in statement.target.indices:
        if index not in known:
            raise notation_error(
                "unknown-extent",
                f"index {index} of the result {format_expression(statement.target)} is in no operand, "
                "so its extent is unknown",
                statement.source,
                statement.target.span,
                help=f"give the result as out=, multiply by a tensor of ones that has {index}, or drop {index}",
            )
