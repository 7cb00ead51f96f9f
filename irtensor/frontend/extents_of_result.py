"""Variables whose extent no operand has as a dimension: it comes from an array that is only as long."""

from __future__ import annotations

import mmap
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.frontend.expression_tree import (
    Access,
    Apply,
    Expression,
    If,
    Reduce,
    Statement,
    accesses,
    free_indices,
)

# Extents of results in lists may be larger than memory.
_LARGE, _NORESERVE = 1 << 30, getattr(mmap, "MAP_NORESERVE", 0x4000)
# As long as the longest that was asked for: its elements are never read.
_ones = np.ones(0, np.bool_)


def indices_of_result_alone(statement: Statement) -> tuple[str, ...]:
    """The index variables of the result that no operand has."""
    known = {index for access in accesses(statement.expression) for index in free_indices(access)}
    return tuple(dict.fromkeys(index for index in statement.target.plain_indices if index not in known))


def with_extents(statement: Statement, indices: Sequence[str]) -> tuple[Statement, dict[str, str]]:
    """The statement with an operand for each of these index variables, whose values are not used, and their names.

    Source: as a broadcast is written by an outer product with ones, but exact for every value, and absent where the
    expression is.
    """
    taken = {access.tensor for access in (*accesses(statement.expression), statement.target)}
    expression: Expression = statement.expression
    names: dict[str, str] = {}
    for index in indices:
        name = f"extent_of_{index}"
        while name in taken:
            name += "_"
        names[index] = name
        expression = _with_extent(expression, index, Access(name, (index,)))
    return replace(statement, expression=expression), names


def _with_extent(expression: Expression, index: str, extent: Access) -> Expression:
    """An expression with an operand that has a variable, where that is bound: in a reduction, else around all."""
    if isinstance(expression, If):
        return replace(expression, body=_with_extent(expression.body, index, extent))
    if isinstance(expression, Reduce) and isinstance(expression.body, If) and index in free_indices(expression):
        # Where the condition is false nothing is combined, and a sparse result has no entry.
        return replace(expression, body=_with_extent(expression.body, index, extent))
    if index in free_indices(expression) or not _binds(expression, index):
        return Apply("first", (expression, extent))
    return _inside(expression, index, extent)


def _inside(expression: Expression, index: str, extent: Access) -> Expression:
    match expression:
        case Reduce(body=If() as inner) if index in expression.indices:
            return replace(expression, body=replace(inner, body=Apply("first", (inner.body, extent))))
        case Reduce() if index in expression.indices:
            return replace(expression, body=Apply("first", (expression.body, extent)))
        case Reduce():
            return replace(expression, body=_inside(expression.body, index, extent))
        case Apply():
            arguments = tuple([_inside(one, index, extent) for one in expression.arguments])
            return replace(expression, arguments=arguments)
        case _:
            return expression


def _binds(expression: Expression, index: str) -> bool:
    match expression:
        case Reduce():
            return index in expression.indices or _binds(expression.body, index)
        case Apply():
            return any(_binds(one, index) for one in expression.arguments)
        case _:
            return False


def extent_array(extent: int) -> np.ndarray:
    """An array for an operand of `with_extents`."""
    global _ones
    if extent > _LARGE:
        return _unreserved(extent)
    if len(_ones) < extent:
        _ones = np.ones(extent, np.bool_)
    return _ones[:extent]


def _unreserved(extent: int) -> np.ndarray:
    """An array in addresses without memory. Raises UserError [storage-too-large]."""
    try:
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NORESERVE
        return np.frombuffer(mmap.mmap(-1, extent, flags=flags), np.bool_, extent)
    except (AttributeError, OSError, OverflowError, ValueError):
        message = f"an index variable of the result that no operand has cannot have {extent} coordinates here"
        help = "give the result a smaller extent, or an operand that has the variable"
        raise UserError("storage-too-large", message, help=help) from None


def extent_operands(statement: Statement, names: Mapping[str, str], shape: Sequence[int]) -> dict[str, np.ndarray]:
    """The arguments for the operands of `with_extents`, for a result of a shape."""
    target = statement.target.indices
    return {name: extent_array(shape[target.index(index)]) for index, name in names.items()}
