"""Read coordinates and values back out of levels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irtensor.dialects.tensor_format import TensorFormat
from irtensor.storage.element_types import fill_element, is_fill
from irtensor.storage.level_storage import Array, LevelStorage


def unpack(
    shape: tuple[int, ...],
    format: TensorFormat,
    levels: Sequence[LevelStorage],
    values: Array,
    whole: bool = False,
) -> tuple[list[Array], Array]:
    """Coordinates per dimension, and values, of all stored entries in storage order.

    Elements that an innermost dense level had to store but that equal the fill value are left out, except with `whole`;
    block padding always is. Coordinates are as wide as they are stored, and
    int32 at least.
    Takes O(stored entries) plus the positions arrays.
    """
    position: Array | None = None
    kept = values
    stored = stored_positions(shape, format, levels)
    if format.stores_fill and not whole:
        differs = ~is_fill(values, fill_element(format, values.dtype))
        stored = differs if stored is None else stored & differs
    if stored is not None and not stored.all():
        position = np.flatnonzero(stored)
        kept = values[position]
    return _drop_padding(
        shape,
        format,
        stored_coordinates(shape, format, levels, values.size, position),
        kept,
    )


def stored_positions(shape: tuple[int, ...], format: TensorFormat, levels: Sequence[LevelStorage]) -> Array | None:
    """Which positions of the values belong to stored entries; None if all do, as they do below levels without holes."""
    stored: Array | None = None
    if _is_compact(format):
        return None
    for number, level in enumerate(levels):
        extent = format.level_extent(number, shape)
        if format.levels[number].format.properties.equal_segments:
            assert level.coordinates is not None and level.positions is not None
            used = (level.coordinates >= 0) & (level.coordinates < extent)
            stored = used if stored is None else used & np.repeat(stored, int(level.positions[0]))
        elif level.positions is not None and stored is not None:
            stored = np.repeat(stored, np.diff(level.positions))
        elif (
            level.coordinates is None and stored is not None and not format.levels[number].format.properties.branchless
        ):
            stored = np.repeat(stored, extent)
        if level.flags is not None:
            stored = level.flags if stored is None else stored & level.flags
    return stored


def _is_compact(format: TensorFormat) -> bool:
    return all(level.format.properties.compact for level in format.levels)


def is_full(format: TensorFormat) -> bool:
    """Whether each value belongs to a stored entry, whatever the arrays are."""
    return _is_compact(format) and not any(map(format.follows, range(format.rank)))


def stored_count(shape: tuple[int, ...], format: TensorFormat, levels: Sequence[LevelStorage], count: int) -> int:
    """How many of `count` values belong to stored entries; slots of diagonals outside of the shape do not."""
    stored = stored_positions(shape, format, levels)
    followed = [dimension for dimension in range(format.rank) if format.follows(dimension)]
    if not followed:
        return count if stored is None else int(np.count_nonzero(stored))
    position = None if stored is None else np.flatnonzero(stored)
    dimensions = stored_coordinates(shape, format, levels, count, position)
    rows = [(dimensions[dimension], shape[dimension]) for dimension in followed]
    return int(np.count_nonzero(np.logical_and.reduce([(row >= 0) & (row < extent) for row, extent in rows])))


def stored_coordinates(
    shape: tuple[int, ...],
    format: TensorFormat,
    levels: Sequence[LevelStorage],
    count: int,
    position: Array | None = None,
) -> list[Array]:
    """Coordinates per dimension of the values at `position` (None: all `count` of them), padding included."""
    dimensions: list[Array] = [np.zeros(0, dtype=np.int64)] * format.rank
    # From the leaves up: each entry knows its position in the level, and looks up its parent's.
    for number in reversed(range(len(levels))):
        extent, properties = format.level_extent(number, shape), format.levels[number].format.properties
        if properties.positional and properties.branchless:
            continue  # its coordinates follow from those of the levels above
        coordinates, position, count = _climb(levels[number], position, count, extent, properties.equal_segments)
        first = format.levels[number].expression.first(shape)
        if first and levels[number].coordinates is None:
            coordinates = coordinates + first
        _merge(dimensions, format, number, coordinates)
    return dimensions


def _climb(
    level: LevelStorage, position: Array | None, count: int, extent: int, slots: bool
) -> tuple[Array, Array | None, int]:
    """Coordinates of entries in a level, their parents' positions (None: 0, 1, 2, ...) and the number of parents."""
    if level.coordinates is None:
        here = np.arange(count, dtype=np.int64) if position is None else position
        parents = count // extent if extent else 0
        if parents <= 1:
            return here, np.broadcast_to(np.int64(0), here.shape), parents
        above, coordinates = np.divmod(here, extent)
        return coordinates, above, parents
    coordinates = level.coordinates if position is None else level.coordinates[position]
    if coordinates.itemsize < np.dtype(np.int32).itemsize:
        # What is computed of them, by numbers such as a block's size, may not be as narrow.
        coordinates = coordinates.astype(np.int32)
    if level.positions is None:
        return coordinates, position, count
    if slots:
        width = int(level.positions[0])
        here = np.arange(count, dtype=np.int64) if position is None else position
        return coordinates, here // width, level.coordinates.size // width
    parents = level.positions.size - 1
    # Half as wide is twice as fast, where these are coordinates of a dense level in the end.
    narrow = np.int32 if parents < 1 << 31 else np.int64
    above = np.repeat(np.arange(parents, dtype=narrow), np.diff(level.positions))
    return coordinates, above if position is None else above[position], parents


def _merge(dimensions: list[Array], format: TensorFormat, number: int, coordinates: Array) -> None:
    """Put a level's coordinates into its dimension; a remainder is met before its quotient."""
    expression = format.levels[number].expression
    if expression.other is not None:
        offset = coordinates.astype(np.int64)
        if format.follows(expression.dimension):
            dimensions[expression.dimension] = dimensions[expression.other] + offset
        else:
            dimensions[expression.other] = dimensions[expression.dimension] - offset
        return
    if expression.kind == "floordiv":
        coordinates = coordinates.astype(np.int64) * expression.factor + dimensions[expression.dimension]
    dimensions[expression.dimension] = coordinates


def _drop_padding(
    shape: tuple[int, ...], format: TensorFormat, dimensions: list[Array], values: Array
) -> tuple[list[Array], Array]:
    padded = {
        level.expression.dimension
        for level in format.levels
        if (level.expression.kind == "mod" and shape[level.expression.dimension] % level.expression.factor)
        or format.follows(level.expression.dimension)
    }
    inside = np.ones(values.size, dtype=bool)
    for dimension in padded:
        inside &= (dimensions[dimension] >= 0) & (dimensions[dimension] < shape[dimension])
    if inside.all():
        return dimensions, values
    return [coordinates[inside] for coordinates in dimensions], values[inside]
