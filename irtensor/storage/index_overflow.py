"""Whether the integers of index arrays hold what a format is to store: refused by name where they do not."""

from __future__ import annotations

from collections.abc import Iterator

from irtensor.core.diagnostics import UserError
from irtensor.core.index_widths import WIDTHS, greatest_of, holds, least_width
from irtensor.core.tensor_format import TensorFormat


def check_coordinate_widths(format: TensorFormat, shape: tuple[int, ...]) -> None:
    """Raise UserError [index-overflow] where a level of a tensor of this shape has coordinates too wide for it."""
    for level, width, least, greatest in _narrow_coordinates(format, shape):
        if not holds(width, least, greatest):
            extent = format.level_extent(level, shape)
            message = f"level {level} ({format.level_text(level)}) has extent {extent}, beyond {width}-bit coordinates"
            raise UserError("index-overflow", message, help=f"use crd = i{least_width(least, greatest)}")


def check_position_width(format: TensorFormat, level: int, count: int, what: str = "entries") -> None:
    """Raise UserError [index-overflow] where a level has more entries, or slots, than its positions count."""
    width = format.position_width_of(level)
    if count > greatest_of(width):
        message = f"level {level} ({format.level_text(level)}) has {count} {what}, beyond {width}-bit positions"
        raise UserError("index-overflow", message, help=f"use pos = i{least_width(0, count)}")


def with_wide_coordinates(format: TensorFormat, shape: tuple[int, ...]) -> TensorFormat:
    """The format, with coordinates as wide as tensors of a shape need."""
    widths = [format.coordinate_width_of(level) for level in range(len(format.levels))]
    found = list(widths)
    for level, width, least, greatest in _narrow_coordinates(format, shape):
        found[level] = max(width, least_width(least, greatest))
    if found == widths:
        return format
    return format.with_level_widths([format.position_width_of(level) for level in range(len(widths))], found)


def _narrow_coordinates(format: TensorFormat, shape: tuple[int, ...]) -> Iterator[tuple[int, int, int, int]]:
    """Each level whose coordinates may be too wide, their width, and the least and the greatest that it may store."""
    for number, level in enumerate(format.levels):
        width, properties = level.coordinate_width or format.coordinate_width, level.format.properties
        if width < WIDTHS[-1] and properties.stores_coordinates:
            first = level.expression.first(shape)
            last = first + level.expression.extent(shape) - 1
            # Padding and ends have the extent as coordinate, free slots of a table have -1.
            ends = properties.has_ends or properties.pieces == "runs"
            beyond = ends or (properties.equal_segments and not properties.pattern.unordered)
            yield number, width, min(first, 0), last + beyond
