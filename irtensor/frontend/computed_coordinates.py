"""Ranges of variables that index no dimension by themselves, and checks that computed coordinates are inside.

A variable that indexes a dimension plainly has its extent. Any other one has the largest range from 0 on in which all
coordinates that are computed from it are inside, or the extent of the dimension where all of these are padded, wrapped
or clamped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from irtensor.core.diagnostics import UserError
from irtensor.frontend.computed_target import written_target
from irtensor.frontend.expression_tree import (
    Access,
    Coordinate,
    Expression,
    Statement,
    Term,
    Variable,
    accesses,
    format_expression,
    format_index,
    ordered_union,
    remembered,
    variables_of,
    walk,
)
from irtensor.frontend.notation.notation_errors import notation_error

Interval: TypeAlias = tuple[int, int]
# The least and the greatest element of an integer operand; None if it has none.
Elements: TypeAlias = Callable[[Access], Interval | None]


class _Use(NamedTuple):
    """A computed coordinate of an access, which reads or, in a result, is written."""

    access: Access
    dimension: int
    coordinate: Coordinate
    is_written: bool = False

    def extent(self, shapes: Mapping[str, tuple[int, ...]]) -> int:
        return shapes[self.access.tensor][self.dimension]


def coordinates_in(expression: Expression) -> Iterator[_Use]:
    """The computed coordinates of an expression, left to right."""
    for access in accesses(expression):
        for dimension, index in enumerate(access.indices):
            if isinstance(index, Coordinate):
                yield _Use(access, dimension, index)


def _uses_in(statement: Statement) -> Iterator[_Use]:
    """The computed coordinates of a statement: those of its expression, and of its result."""
    yield from coordinates_in(statement.expression)
    written = written_target(statement)
    for name, coordinate in statement.coordinates:
        yield _Use(written, statement.target.indices.index(name), coordinate, True)


@remembered
def uses_coordinates(expression: Expression) -> bool:
    """Whether an expression computes coordinates, or has them as values."""
    return any(
        isinstance(node, Variable) or (isinstance(node, Access) and len(node.plain_indices) < len(node.indices))
        for node in walk(expression)
    )


def variables_without_dimension(statement: Statement) -> tuple[str, ...]:
    """The variables from which coordinates are computed, and that never index an operand by themselves."""
    plain = {name for access in accesses(statement.expression) for name in access.plain_indices}
    used = ordered_union(name for use in _uses_in(statement) for name in variables_of(use.coordinate))
    return tuple([name for name in used if name not in plain])


def ranges_without_dimension(
    statement: Statement, shapes: Mapping[str, tuple[int, ...]], elements: Elements, known: Mapping[str, int]
) -> dict[str, int]:
    """How many coordinates each of `variables_without_dimension` has; `known` has extents of other variables.

    Raises UserError [unknown-extent].
    """
    read = accesses(statement.expression)
    extents = {index: shapes[one.tensor][number] for one in read for number, index in one.plain_dimensions}
    extents |= known
    shapes = _with_result(statement, shapes, extents)
    found: dict[str, int] = {}
    for name in variables_without_dimension(statement):
        if name not in extents:
            found[name] = _Range(statement, shapes, {**extents, **found}, elements).of(name)
    return found


def _with_result(
    statement: Statement, shapes: Mapping[str, tuple[int, ...]], extents: Mapping[str, int]
) -> Mapping[str, tuple[int, ...]]:
    """Shapes with that of a result some of whose coordinates are computed."""
    if not statement.coordinates:
        return shapes
    target = statement.target
    return {**shapes, target.tensor: tuple([extents.get(str(index), 0) for index in target.indices])}


class _Range:
    """How far a variable runs, by what others are known to do."""

    def __init__(
        self,
        statement: Statement,
        shapes: Mapping[str, tuple[int, ...]],
        extents: Mapping[str, int],
        elements: Elements,
    ) -> None:
        self.statement = statement
        self.shapes = shapes
        self.extents = extents
        self.elements = elements

    def of(self, name: str) -> int:
        uses = [use for use in _uses_in(self.statement) if name in variables_of(use.coordinate)]
        strict = [use for use in uses if use.coordinate.outside is None]
        if strict:
            return max(0, min(self._inside(name, use) for use in strict))
        first, *rest = uses
        for use in rest:
            if use.extent(self.shapes) != first.extent(self.shapes):
                texts = " and ".join(_described(one, self.shapes) for one in (first, use))
                raise self._unknown(name, f"{texts} differ, so that nothing says how far {name} runs", use)
        return first.extent(self.shapes)

    def _inside(self, name: str, use: _Use) -> int:
        """How many values from 0 on keep a coordinate inside, whatever the other variables are."""
        found = self._bounds(use.coordinate, name, use)
        extent = use.extent(self.shapes)
        if found is None:
            # Another loop around has no iteration.
            return extent
        factor, low, high = found
        divisor = use.coordinate.divisor
        last = extent * divisor - 1
        text = format_index(use.coordinate)
        if low < 0 and factor > 0:
            message = f"{text} is {low // divisor} in {format_expression(use.access)} where {name} is 0"
            raise self._outside(message, use)
        if factor > 0:
            return (last - high) // factor + 1
        if high > last:
            message = f"{text} is {high // divisor} in {format_expression(use.access)} where {name} is 0"
            raise self._outside(f"{message}, and {_described(use, self.shapes)}", use)
        return low // -factor + 1

    def _bounds(self, coordinate: Coordinate, name: str, use: _Use) -> tuple[int, int, int] | None:
        """The factor of a variable in a coordinate, before it is divided, and the interval of the rest."""
        rest = replace(coordinate, terms=tuple([one for one in coordinate.terms if one[0] != name]), divisor=1)
        others = variables_of(rest)
        if name in others:
            raise self._unknown(name, f"{name} is divided, or read by, within {format_index(coordinate)}", use)
        for other in others:
            if other not in self.extents:
                message = f"nothing says how far {name} and {other} run in {format_expression(use.access)}"
                raise self._unknown(name, message, use)
        bounds = interval_of(rest, self.extents, self.elements)
        return None if bounds is None else (dict(coordinate.terms)[name], *bounds)

    def _unknown(self, name: str, message: str, use: _Use) -> UserError:
        help = f"use {name} as an index of an operand by itself"
        return notation_error("unknown-extent", message, self.statement.source, use.access.span, help=help)

    def _outside(self, message: str, use: _Use) -> UserError:
        help = f"write pad({format_index(use.coordinate)})"
        return notation_error("index-out-of-range", message, self.statement.source, use.access.span, help=help)


def _described(use: _Use, shapes: Mapping[str, tuple[int, ...]]) -> str:
    return f"dimension {use.dimension} of {use.access.tensor} has {use.extent(shapes)} elements"


def interval_of(term: Term, extents: Mapping[str, int], elements: Elements) -> Interval | None:
    """The least and the greatest value of a term; None if it has none."""
    match term:
        case str():
            return (0, extents[term] - 1) if extents[term] > 0 else None
        case Access():
            return elements(term)
        case Coordinate():
            low = high = term.offset
            for part, factor in term.terms:
                bounds = interval_of(part, extents, elements)
                if bounds is None:
                    return None
                ends = sorted((factor * bounds[0], factor * bounds[1]))
                low, high = low + ends[0], high + ends[1]
            return low // term.divisor, high // term.divisor


def check_coordinates(
    statement: Statement, shapes: Mapping[str, tuple[int, ...]], extents: Mapping[str, int], elements: Elements
) -> None:
    """Raise UserError [index-out-of-range] for a computed coordinate that may be outside of its dimension.

    `extents` has that of each variable.
    """
    shapes = _with_result(statement, shapes, extents)
    for use in _uses_in(statement):
        extent = use.extent(shapes)
        bounds = interval_of(use.coordinate, extents, elements)
        if bounds is None:
            continue
        if use.coordinate.outside is not None:
            if extent == 0 and use.coordinate.outside != "pad":
                message = f"{format_index(use.coordinate)} has nothing to read: {_described(use, shapes)}"
                raise notation_error("index-out-of-range", message, statement.source, use.access.span)
            continue
        if bounds[0] < 0 or bounds[1] >= extent:
            raise _out_of_range(statement, use, shapes, bounds)


def _out_of_range(
    statement: Statement, use: _Use, shapes: Mapping[str, tuple[int, ...]], bounds: Interval
) -> UserError:
    text, value = format_index(use.coordinate), bounds[0] if bounds[0] < 0 else bounds[1]
    where = f"in {format_expression(use.access)}, where {_described(use, shapes)}"
    help = f"write pad({text}), wrap({text}) or clamp({text}), which say what to read outside"
    if use.is_written:
        help = f"write pad({text}), which drops the terms outside, or give a larger result"
    message = f"{text} reaches {value} {where}"
    return notation_error("index-out-of-range", message, statement.source, use.access.span, help=help)
