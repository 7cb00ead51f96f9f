"""Build the levels of a format from coordinates and values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.core.storage_levels import LevelExpression
from irtensor.core.tensor_format import TensorFormat
from irtensor.levels.known_levels import BUILT_IN
from irtensor.levels.level_stores import store_of
from irtensor.storage.check_storage import check_arrays
from irtensor.storage.index_overflow import check_coordinate_widths
from irtensor.storage.level_storage import Array, LevelStorage, in_order
from irtensor.storage.packing import Packing, too_large
from irtensor.storage.pattern_values import check_all_true, true_entries, true_values
from irtensor.storage.sort_coordinates import (
    Combine,
    add_groups,
    combine_duplicates,
    distinct_starts,
    sort_entries,
)
from irtensor.storage.stored_levels import check_stored
from irtensor.storage.symmetric_entries import stored_part

Packed = tuple[tuple[LevelStorage, ...], Array]


def pack(
    coordinates: Sequence[Array],
    values: Array,
    shape: tuple[int, ...],
    format: TensorFormat,
    duplicates: str | Combine = "sum",
    is_sorted: bool = False,
) -> Packed:
    """Levels and values of a tensor given by in-range coordinates per dimension, in any order.

    Of a symmetric tensor, all entries are given. Of a pattern, those that are false are omitted.
    `duplicates` is 'sum', 'error', 'keep' (needs a nonunique innermost level), 'none' (known to be absent), or a
    function that combines them;
    `is_sorted` says that the coordinates are known to be in the order of the format.
    Takes O(entries log entries) and the size of the format's dense levels. Raises UserError [duplicate-coordinates],
    [format-mismatch], [index-overflow], [storage-too-large],
    [extent-mismatch], [not-symmetric].
    """
    check_stored(format, "tensor")
    extents = [format.level_extent(level, shape) for level in range(len(format.levels))]
    check_coordinate_widths(format, shape)
    if duplicates == "keep":
        _check_keeps_duplicates(format)
    if format.symmetric:
        found = stored_part(*_each_once(coordinates, values, shape, duplicates), shape, format)
        return pack(*found, shape, format.whole, "none")
    keys = [_level_key(coordinates, level.expression, shape) for level in format.levels]
    given = keys
    if keys and not is_sorted:
        # Where each entry is given once, positional levels at the end take them in any order.
        needed = len(keys) if duplicates != "none" else len(keys) - _positional_levels_at_the_end(format)
        keys, values = sort_entries(keys, extents, values, needed)
    keys, values = _combined(keys, values, given, coordinates, duplicates)
    if format.is_pattern:
        keys, values = true_entries(keys, values)
    try:
        entries = Packing(format, shape, extents, keys, values)
        levels = [store_of(format, number).pack(entries, number) for number in range(len(format.levels))]
        packed = tuple(levels), entries.values_by_parent()
    except MemoryError as error:
        raise too_large(format, str(error)) from None
    if format.is_pattern:
        check_all_true(shape, format, *packed)
        packed = packed[0], true_values(packed[1].size)
    return packed if all(level.format.name in BUILT_IN for level in format.levels) else _checked(shape, format, *packed)


def _combined(
    keys: list[Array], values: Array, given: list[Array], coordinates: Sequence[Array], duplicates: str | Combine
) -> tuple[list[Array], Array]:
    """Sorted entries; those with equal keys become one, as `duplicates` says."""
    if duplicates == "error":
        _refuse_duplicates(keys, given, coordinates, values.size)
    elif duplicates not in ("keep", "none"):
        return combine_duplicates(keys, values, add_groups if isinstance(duplicates, str) else duplicates)
    return keys, values


def _each_once(
    coordinates: Sequence[Array], values: Array, shape: Sequence[int], duplicates: str | Combine
) -> tuple[list[Array], Array]:
    """The entries of a tensor of any format, each of them once."""
    given = list(coordinates)
    if duplicates == "none":
        return given, values
    keys, values = sort_entries(given, shape, values, len(given))
    return _combined(keys, values, given, coordinates, duplicates)


def _checked(shape: tuple[int, ...], format: TensorFormat, levels: tuple[LevelStorage, ...], values: Array) -> Packed:
    """What stores from outside have made, if code may rely on it. Raises UserError [bad-storage]."""
    for number, level in enumerate(levels):
        if not isinstance(level, LevelStorage):
            message = f"level {number} ({format.level_text(number)}) was packed into a {type(level).__name__}"
            raise UserError("bad-storage", message, help="let the store's `pack` give a LevelStorage")
    ordered = tuple(in_order(level, format, number) for number, level in enumerate(levels))
    check_arrays(shape, format, ordered, values)
    return ordered, values


def _positional_levels_at_the_end(format: TensorFormat) -> int:
    levels = [level.format.access.positional for level in reversed(format.levels)]
    return levels.index(False) if False in levels else len(levels)


def _refuse_duplicates(
    keys: Sequence[Array], given: Sequence[Array], coordinates: Sequence[Array], entries: int
) -> None:
    """UserError if sorted `keys` repeat; `given` has them as `coordinates` are, in the order of the user."""
    if not keys:
        if entries > 1:
            raise UserError("duplicate-coordinates", f"a scalar is given {entries} times")
        return
    starts = distinct_starts(keys)
    if starts.all():
        return
    repeated = int(np.argmin(starts))
    entry = int(np.argmax(np.logical_and.reduce([key == row[repeated] for key, row in zip(given, keys, strict=True)])))
    coordinate = ", ".join(str(int(row[entry])) for row in coordinates)
    raise UserError(
        "duplicate-coordinates",
        f"the element at ({coordinate}) is given more than once",
        help="pass duplicates='sum' to add the values, 'last' to take one, or 'keep' with a nonunique format",
    )


def _level_key(coordinates: Sequence[Array], expression: LevelExpression, shape: Sequence[int]) -> Array:
    """The coordinates of a level, counted from its least one."""
    whole = coordinates[expression.dimension]
    if expression.form == "whole":
        return whole
    if expression.other is not None:
        return whole.astype(np.int64, copy=False) - coordinates[expression.other] - expression.first(shape)
    quotient = whole // expression.factor
    return quotient if expression.form == "floordiv" else whole - quotient * expression.factor


def _check_keeps_duplicates(format: TensorFormat) -> None:
    if format.symmetric:
        message = f"duplicates cannot be kept: the format is {format.symmetric_text}, and mirrors are compared"
        raise UserError("format-mismatch", message, help=f"pass duplicates='sum', or use '{format.with_mirrors}'")
    if not format.allows_duplicates:
        last = len(format.levels) - 1
        where = f"level {last} ({format.level_text(last)})" if last >= 0 else "a scalar"
        raise UserError(
            "format-mismatch",
            f"duplicates cannot be kept: {where} stores each element once",
            help="mark the innermost levels nonunique, or pass duplicates='sum'",
        )
