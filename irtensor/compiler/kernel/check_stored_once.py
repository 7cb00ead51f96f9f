"""Checks that a plain assignment stores each element of its result once, before a kernel stores anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from math import prod
from typing import Any

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.frontend.computed_target import written_target
from irtensor.frontend.expression_tree import (
    Access,
    Coordinate,
    Statement,
    Term,
    format_expression,
    ordered_union,
    variables_of,
)
from irtensor.frontend.notation.notation_errors import notation_error

_LARGEST = 1 << 62
# Coordinates are marked in an array that is so many times as long as there are of them; else they are sorted.
_MOST_MARKS = 16


def check_stored_once(statement: Statement, extents: Mapping[str, int], array_of: Callable[[str], Any]) -> None:
    """Raise UserError [scatter-twice] where a plain assignment would store two values at the same coordinates.

    `extents` has that of each variable, `array_of` gives operands; all coordinates that are not padded are inside.
    """
    target = written_target(statement)
    variables = ordered_union(name for index in target.indices for name in variables_of(index))
    if not statement.stores_once or any(extents.get(name, 0) == 0 for name in variables):
        return
    shape = [extents[name] for name in statement.target.plain_indices]
    computed = [(number, one) for number, one in enumerate(target.indices) if isinstance(one, Coordinate)]
    names = ordered_union(name for _, index in computed for name in variables_of(index))
    grid = dict(zip(names, np.ogrid[tuple(slice(extents[name]) for name in names)], strict=True))
    # Variables that are an index by themselves tell coordinates apart, where others are computed from them.
    plain = [(number, one) for number, one in enumerate(target.indices) if one in names]
    dimensions = sorted([*computed, *plain], key=lambda one: one[0])
    found = [np.asarray(_values(index, grid, array_of)) for _, index in dimensions]
    own_shape = [shape[number] for number, _ in dimensions]
    everywhere = [extents[name] for name in names]
    inside = [(0 <= one) & (one < extent) for one, extent in zip(found, own_shape, strict=True)]
    kept = np.broadcast_to(reduce(np.logical_and, inside), everywhere).reshape(-1)
    flat = [np.broadcast_to(one, everywhere).reshape(-1)[kept] for one in found]
    size = prod(own_shape)
    if size < _LARGEST:
        numbers = np.ravel_multi_index(flat, own_shape)
    else:
        numbers = np.unique(np.stack(flat), axis=1, return_inverse=True)[1].reshape(-1)
    if _are_unique(numbers, size):
        return
    order = np.argsort(numbers, kind="stable")
    again = int(np.flatnonzero(np.diff(numbers[order]) == 0)[0])
    iterations = np.flatnonzero(kept)[order[again : again + 2]]
    texts = [_values_of(names, [int(one) for one in np.unravel_index(number, everywhere)]) for number in iterations]
    at = ", ".join(str(int(one[order[again]])) for one in flat)
    text = format_expression(target)
    message = f"{text} = ... stores twice at coordinate {at}: where {texts[0]}, and where {texts[1]}"
    help = f"say how values are combined: {text} += ..., or min=, max=, *=, |=, &="
    raise notation_error("scatter-twice", message, statement.source, target.span, help=help)


def _values_of(names: Sequence[str], coordinates: Sequence[int]) -> str:
    return " and ".join(f"{name} is {value}" for name, value in zip(names, coordinates, strict=True))


def _are_unique(numbers: np.ndarray, extent: int) -> bool:
    if extent <= _MOST_MARKS * max(numbers.size, 1 << 12):
        marks = np.zeros(extent, np.bool_)
        marks[numbers] = True
        return int(np.count_nonzero(marks)) == numbers.size
    return np.unique(numbers).size == numbers.size


def _values(term: Term, grid: Mapping[str, np.ndarray], array_of: Callable[[str], Any]) -> Any:
    """What a term is for all values of its variables."""
    match term:
        case str():
            return grid[term]
        case Access():
            return _elements(array_of(term.tensor), term)[
                tuple([_inside(index, length, grid, array_of) for index, length in _dimensions(term, array_of)])
            ].astype(np.int64)
        case Coordinate():
            total: Any = term.offset
            for part, factor in term.terms:
                total = total + factor * _values(part, grid, array_of)
            return total // term.divisor


def _dimensions(access: Access, array_of: Callable[[str], Any]) -> list[tuple[Any, int]]:
    return [*zip(access.indices, array_of(access.tensor).shape, strict=True)]


def _inside(index: Any, length: int, grid: Mapping[str, np.ndarray], array_of: Callable[[str], Any]) -> Any:
    """The coordinates of elements that are read, which the statement has been checked for."""
    values = _values(index, grid, array_of)
    if isinstance(index, Coordinate) and index.outside == "wrap":
        return values % length
    return np.clip(values, 0, length - 1) if isinstance(index, Coordinate) else values


def _elements(operand: Any, access: Access) -> np.ndarray:
    if isinstance(operand, np.ndarray):
        return operand
    if not hasattr(operand, "to_numpy"):
        message = f"coordinates are read from {access.tensor}, whose elements are on a GPU"
        raise UserError("unsupported-index", message, help="compute it with target='cpu'")
    return operand.to_numpy()
