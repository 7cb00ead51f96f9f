"""Read coordinates and values back out of levels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.levels.level_stores import store_of
from irtensor.storage.element_types import fill_element, is_fill, same_bits
from irtensor.storage.level_storage import Array, LevelStorage
from irtensor.storage.packing import too_large
from irtensor.storage.symmetric_entries import with_mirrors


def unpack(
    shape: tuple[int, ...],
    format: TensorFormat,
    levels: Sequence[LevelStorage],
    values: Array,
    whole: bool = False,
) -> tuple[list[Array], Array]:
    """Coordinates per dimension, and values, of all stored entries in storage order.

    Elements that an innermost dense level had to store, or a band, but that equal the fill value are omitted, except
    with `whole`; block padding always is. Of a symmetric tensor, stored entries are followed by their mirrors.
    Coordinates are as wide as they are stored, and int32 at least.
    Takes O(stored entries) plus the positions arrays.
    Raises UserError [storage-too-large] where runs cover more elements than memory has room for.
    """
    position: Array | None = None
    kept = values
    stored = stored_positions(shape, format, levels)
    if format.may_hold_fill and not whole:
        fill = fill_element(format, values.dtype)
        # In runs, and in the gaps of a structure, -0.0 differs from a fill of 0.0.
        same = same_bits if format.has_runs or format.fills_gaps else is_fill
        differs = ~same(values, fill)
        stored = differs if stored is None else stored & differs
    if stored is not None and not stored.all():
        position = np.flatnonzero(stored)
        kept = values[position]
    try:
        coordinates = stored_coordinates(shape, format, levels, values.size, position)
    except MemoryError as error:
        message = f"the elements that runs of a tensor in format {format} cover do not fit into memory: {error}"
        help = "store runs in the innermost level alone: these are converted without listing their elements"
        raise UserError("storage-too-large", message, help=help) from None
    found = _drop_padding(shape, format, coordinates.dimensions, coordinates.of(kept))
    return with_mirrors(*found, format) if format.symmetric else found


def stored_positions(shape: tuple[int, ...], format: TensorFormat, levels: Sequence[LevelStorage]) -> Array | None:
    """Which positions of the values belong to stored entries; None if all do, as they do below levels without holes."""
    stored: Array | None = None
    if _is_compact(format):
        return None
    for number, level in enumerate(levels):
        store = store_of(format, number)
        stored = store.used(level, format.level_extent(number, shape), stored)
    return stored


def _is_compact(format: TensorFormat) -> bool:
    return all(level.format.pieces == "entries" for level in format.levels)


def is_full(format: TensorFormat) -> bool:
    """Whether each value belongs to a stored entry, whatever the arrays are."""
    return _is_compact(format) and not any(map(format.follows, range(format.rank)))


def stored_count(shape: tuple[int, ...], format: TensorFormat, levels: Sequence[LevelStorage], count: int) -> int:
    """How many of `count` values belong to stored entries; slots of diagonals outside of the shape do not.

    Raises UserError [storage-too-large] where their coordinates do not fit into memory.
    """
    try:
        return _stored_count(shape, format, levels, count)
    except MemoryError as error:
        raise too_large(format, str(error)) from None


def covered_count(shape: tuple[int, ...], format: TensorFormat, levels: Sequence[LevelStorage], count: int) -> int:
    """How many elements the stored ones among `count` values are: one may stand for a run of several coordinates.

    Raises UserError [storage-too-large] as `stored_count`.
    """
    if not format.has_runs:
        return stored_count(shape, format, levels, count)
    covered = np.ones(1, np.int64)
    for number, level in enumerate(levels):
        store = store_of(format, number)
        used, lengths = store.used(level, format.level_extent(number, shape), covered), store.lengths(level)
        assert used is not None
        covered = used if lengths is None else used * lengths
    return int(covered.sum())


def block_count(format: TensorFormat, levels: Sequence[LevelStorage]) -> int:
    """How many blocks an innermost level has that lists these."""
    ends = next(array for array in format.levels[-1].format.properties.arrays if array.length == "pieces")
    return levels[-1].array(ends.name).size


def _stored_count(shape: tuple[int, ...], format: TensorFormat, levels: Sequence[LevelStorage], count: int) -> int:
    stored = stored_positions(shape, format, levels)
    followed = [dimension for dimension in range(format.rank) if format.follows(dimension)]
    if not followed:
        return count if stored is None else int(np.count_nonzero(stored))
    position = None if stored is None else np.flatnonzero(stored)
    dimensions = stored_coordinates(shape, format, levels, count, position).dimensions
    rows = [(dimensions[dimension], shape[dimension]) for dimension in followed]
    return int(np.count_nonzero(np.logical_and.reduce([(row >= 0) & (row < extent) for row, extent in rows])))


class StoredCoordinates(NamedTuple):
    """The coordinates of some values."""

    dimensions: list[Array]
    spread: Array | None
    """Which of the values is at each, where one value may stand for several coordinates."""

    def of(self, values: Array) -> Array:
        """What belongs to the values, for each of the coordinates."""
        return values if self.spread is None else values[self.spread]


def stored_coordinates(
    shape: tuple[int, ...],
    format: TensorFormat,
    levels: Sequence[LevelStorage],
    count: int,
    position: Array | None = None,
) -> StoredCoordinates:
    """Coordinates per dimension of the values at `position` (None: all `count` of them), padding included."""
    dimensions: list[Array] = [np.zeros(0, dtype=np.int64)] * format.rank
    spread: Array | None = None
    # From the leaves up: each entry knows its position in the level, and looks up its parent's.
    for number in reversed(range(len(levels))):
        extent, store = format.level_extent(number, shape), store_of(format, number)
        coordinates, position, count, several = store.climb(levels[number], position, count, extent)
        if several is not None:
            spread = several if spread is None else spread[several]
            dimensions = [below[several] if below.size else below for below in dimensions]
        if coordinates is None:
            continue
        first = format.levels[number].expression.first(shape)
        if first and not format.levels[number].format.properties.has_coordinates:
            coordinates = coordinates + first
        elif coordinates.itemsize < np.dtype(np.int32).itemsize:
            # Coordinates computed from them, by numbers such as a block's size, may not be as narrow.
            coordinates = coordinates.astype(np.int32)
        _merge(dimensions, format, number, coordinates)
    return StoredCoordinates(dimensions, spread)


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
    if expression.form == "floordiv":
        coordinates = coordinates.astype(np.int64) * expression.factor + dimensions[expression.dimension]
    dimensions[expression.dimension] = coordinates


def _drop_padding(
    shape: tuple[int, ...], format: TensorFormat, dimensions: list[Array], values: Array
) -> tuple[list[Array], Array]:
    padded = {
        level.expression.dimension
        for level in format.levels
        if (level.expression.form == "mod" and shape[level.expression.dimension] % level.expression.factor)
        or format.follows(level.expression.dimension)
    }
    inside = np.ones(values.size, dtype=bool)
    for dimension in padded:
        inside &= (dimensions[dimension] >= 0) & (dimensions[dimension] < shape[dimension])
    if inside.all():
        return dimensions, values
    return [coordinates[inside] for coordinates in dimensions], values[inside]
