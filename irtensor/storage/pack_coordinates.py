"""Build the levels of a format from coordinates and values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from irtensor.dialects.diagnostics import UserError
from irtensor.dialects.tensor_format import LevelExpression, TensorFormat
from irtensor.runtime.result_memory import RESULT_MEMORY
from irtensor.storage.element_types import fill_element
from irtensor.storage.index_overflow import check_coordinate_widths, check_position_width
from irtensor.storage.level_storage import DENSE_LEVEL, Array, LevelStorage, index_dtypes
from irtensor.storage.sort_coordinates import (
    Combine,
    add_groups,
    combine_duplicates,
    distinct_starts,
    sort_entries,
    sorted_order,
)
from irtensor.storage.stored_levels import check_stored

# Entries counted at a time: bincount makes wide copies, which then stay in the cache.
_PIECE = 1 << 16

# Where there are so many entries in each parent, the ends of these are searched rather than counted.
_LONG = 16

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

    `duplicates` is 'sum', 'error', 'keep' (needs a nonunique innermost level), 'none' (known to be absent), or a
    function that combines them;
    `is_sorted` says that the coordinates are known to be in the order of the format.
    Takes O(entries log entries) and the size of the format's dense levels. Raises UserError [duplicate-coordinates],
    [format-mismatch], [index-overflow], [storage-too-large].
    """
    check_stored(format, "tensor")
    extents = [format.level_extent(level, shape) for level in range(len(format.levels))]
    check_coordinate_widths(format, shape)
    if duplicates == "keep":
        _check_keeps_duplicates(format)
    keys = [_level_key(coordinates, level.expression, shape) for level in format.levels]
    given = keys
    if keys and not is_sorted:
        # Where each entry is given once, positional levels at the end take them in any order.
        needed = len(keys) if duplicates != "none" else len(keys) - _positional_levels_at_the_end(format)
        keys, values = sort_entries(keys, extents, values, needed)
    if duplicates == "error":
        _refuse_duplicates(keys, given, coordinates, values.size)
    elif duplicates not in ("keep", "none"):
        keys, values = combine_duplicates(keys, values, add_groups if isinstance(duplicates, str) else duplicates)
    try:
        return _Packer(format, shape, extents, keys, values).pack()
    except MemoryError as error:
        raise too_large(format, str(error)) from None


def _positional_levels_at_the_end(format: TensorFormat) -> int:
    levels = [level.format.properties.positional for level in reversed(format.levels)]
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
    place = ", ".join(str(int(row[entry])) for row in coordinates)
    raise UserError(
        "duplicate-coordinates",
        f"the element at ({place}) is given more than once",
        help="pass duplicates='sum' to add the values, 'last' to take one, or 'keep' with a nonunique format",
    )


def too_large(format: TensorFormat, reason: str) -> UserError:
    """The error for a format whose dense levels need more memory than there is."""
    help = "store the large dimensions in compressed levels"
    return UserError(
        "storage-too-large", f"format {format} does not fit into memory for this shape: {reason}", help=help
    )


def _level_key(coordinates: Sequence[Array], expression: LevelExpression, shape: Sequence[int]) -> Array:
    """The coordinates of a level, counted from its least one."""
    whole = coordinates[expression.dimension]
    if expression.kind == "whole":
        return whole
    if expression.other is not None:
        return whole.astype(np.int64, copy=False) - coordinates[expression.other] - expression.first(shape)
    quotient = whole // expression.factor
    return quotient if expression.kind == "floordiv" else whole - quotient * expression.factor


def _check_keeps_duplicates(format: TensorFormat) -> None:
    if not format.allows_duplicates:
        last = len(format.levels) - 1
        where = f"level {last} ({format.level_text(last)})" if last >= 0 else "a scalar"
        raise UserError(
            "format-mismatch",
            f"duplicates cannot be kept: {where} stores each element once",
            help="mark the innermost levels nonunique, or pass duplicates='sum'",
        )


class _Packer:
    """One pass from the outermost to the innermost level over sorted entries.

    `parent` is the position of each entry in the level above, None while that is the entry's own number; `count` is
    the number of positions of that level.
    """

    def __init__(
        self,
        format: TensorFormat,
        shape: Sequence[int],
        extents: Sequence[int],
        keys: list[Array],
        values: Array,
    ):
        self.format = format
        self.first = [level.expression.first(shape) for level in format.levels]
        self.extents = extents
        self.keys = keys
        self.values = values
        self.entries = values.size
        # One zero for all entries: an array of them would be a pass over fresh memory.
        self.parent: Array | None = np.broadcast_to(np.int64(0), (self.entries,))
        self.count = 1

    def pack(self) -> Packed:
        levels: list[LevelStorage] = []
        while len(levels) < len(self.format.levels):
            number = len(levels)
            properties = self.format.levels[number].format.properties
            if properties.positional and properties.branchless:
                levels.append(DENSE_LEVEL)
            elif properties.positional:
                self._pack_positional(number)
                levels.append(LevelStorage(flags=self._flags()) if properties.has_flags else DENSE_LEVEL)
            elif properties.equal_segments:
                levels.append(self._pack_slots(number))
            elif properties.branchless:
                levels.append(self._pack_below_slots(number))
            else:
                levels += self._pack_run(number)
        return tuple(levels), self._place_values()

    def _pack_positional(self, number: int) -> None:
        extent = self.extents[number]
        self.count *= extent
        check_size(self.count, self.values.dtype, self.format)
        if self.parent is None:
            self.parent = np.arange(self.entries, dtype=np.int64)
        key = self.keys[number]
        self.parent = key if number == 0 else self.parent.astype(np.int64, copy=False) * extent + key

    def _flags(self) -> Any:
        """Which positions of the level reached last hold entries."""
        flags = np.zeros(self.count, dtype=np.bool_)
        flags[self.parent] = True
        return flags

    def _pack_slots(self, number: int) -> LevelStorage:
        """As many slots for each parent as the fullest one needs; a hash table is at most two thirds full."""
        innermost = number + 1 == len(self.format.levels)
        starts = None if innermost else np.flatnonzero(distinct_starts(self.keys[: number + 1]))
        heads = (self.keys[number] if starts is None else self.keys[number][starts]).astype(np.int64, copy=False)
        above = np.arange(self.entries, dtype=np.int64) if self.parent is None else self.parent
        above = (above if starts is None else above[starts]).astype(np.int64, copy=False)
        sizes = np.bincount(above, minlength=self.count)
        most = int(sizes.max()) if sizes.size else 0
        hashed = self.format.levels[number].format.properties.unordered
        width = max(-(-3 * most // 2) if hashed else most, 1)
        check_size(self.count * width, np.dtype(np.int64), self.format)
        if hashed:
            slots = probed_slots(above, heads, width, self.count * width)
        else:
            first = np.cumsum(sizes) - sizes
            slots = above * width + np.arange(above.size) - first[above]
        check_position_width(self.format, number, width, "slots")
        pos, crd = index_dtypes(self.format, number)
        coordinates = np.full(self.count * width, -1 if hashed else self.extents[number], dtype=crd)
        coordinates[slots] = heads
        self.count *= width
        self.parent = slots if starts is None else np.repeat(slots, np.diff(starts, append=self.entries))
        if hashed and not innermost:
            self._sort_by_parent()
        return LevelStorage(np.array([width], pos), coordinates)

    def _pack_below_slots(self, number: int) -> LevelStorage:
        """A singleton below a level of slots has a coordinate for each of them, 0 where the slot is not used."""
        assert self.parent is not None
        starts = np.flatnonzero(distinct_starts(self.keys[: number + 1]))
        above, slots = self.parent[starts], number - 1
        while self.format.levels[slots].format.properties.branchless:
            slots -= 1
        refuse_several_children(self.format, slots, [above, self.keys[slots][starts]])
        coordinates = np.zeros(self.count, dtype=index_dtypes(self.format, number)[1])
        coordinates[above] = self.keys[number][starts] + self.first[number]
        return LevelStorage(None, coordinates)

    def _sort_by_parent(self) -> None:
        """Put entries in the order of the slots above them, in which the levels below store their children."""
        assert self.parent is not None
        order = sorted_order([self.parent], [self.count])
        if order is not None:
            self.parent, self.values = self.parent[order], self.values[order]
            self.keys = [key[order] for key in self.keys]

    def _pack_run(self, number: int) -> list[LevelStorage]:
        """A compressed level and the singletons below it: they share one position per distinct path through all."""
        formats = [level.format for level in self.format.levels]
        end = number + 1
        while end < len(formats) and formats[end].name == "singleton":
            end += 1
        # At the innermost level each entry has its own position: duplicates were combined, or are to be kept.
        starts = None if end == len(formats) else np.flatnonzero(distinct_starts(self.keys[:end]))
        heads = [key if starts is None else key[starts] for key in self.keys[:end]]
        for level in range(number, end - 1):
            if self.format.levels[level].format.unique:
                refuse_several_children(self.format, level, heads[: level + 1])
        parent = self.parent if starts is None or self.parent is None else self.parent[starts]
        positions = self._positions(number, parent, heads[0].size)
        arrays = [
            _with_type(head + first if (first := self.first[level]) else head, index_dtypes(self.format, level)[1])
            for level, head in enumerate(heads[number:], number)
        ]
        if starts is None:
            self.parent = None
        else:
            sizes = np.diff(starts, append=self.entries)
            self.parent = np.repeat(np.arange(starts.size, dtype=np.int64), sizes)
        self.count = heads[0].size
        return [
            LevelStorage(positions, arrays[0]),
            *(LevelStorage(None, array) for array in arrays[1:]),
        ]

    def _positions(self, number: int, parent: Array | None, children: int) -> Array:
        check_size(self.count + 1, np.dtype(np.int64), self.format)
        check_position_width(self.format, number, children)
        pos = index_dtypes(self.format, number)[0]
        if self.count == 1:
            return np.array([0, children], dtype=pos)
        if parent is None:
            return np.arange(children + 1, dtype=pos)
        if self.count * _LONG <= parent.size:
            return np.searchsorted(parent, np.arange(self.count + 1, dtype=parent.dtype)).astype(pos, copy=False)
        positions = np.zeros(self.count + 1, dtype=pos)
        for start in range(0, parent.size, _PIECE):
            piece = parent[start : start + _PIECE]
            counts = np.bincount(piece - piece[0])
            positions[int(piece[0]) + 1 :][: counts.size] += counts.astype(pos, copy=False)
        return np.cumsum(positions, out=positions)

    def _place_values(self) -> Array:
        if self.parent is None:
            return np.ascontiguousarray(self.values)
        fill = fill_element(self.format, self.values.dtype)
        placed = np.zeros(self.count, self.values.dtype) if fill == 0 else np.full(self.count, fill, self.values.dtype)
        placed[self.parent] = self.values
        return placed


def refuse_several_children(format: TensorFormat, level: int, keys: Sequence[Array]) -> None:
    """Raise UserError [format-mismatch] where sorted entries share a coordinate of a unique level above a singleton.

    `keys` end with the coordinates of the level; those before say which entries may share one.
    """
    starts = distinct_starts(keys)
    if not starts.all():
        coordinate = int(keys[-1][int(np.argmin(starts))])
        raise UserError(
            "format-mismatch",
            f"level {level} ({format.level_text(level)}) is unique, but coordinate {coordinate} has "
            f"several children and level {level + 1} ({format.level_text(level + 1)}) holds one each",
            help=f"make level {level} nonunique, or level {level + 1} compressed",
        )


def _with_type(array: Array, dtype: np.dtype[Any]) -> Array:
    """The array, contiguous and of a type; a copy is in warm memory."""
    if array.dtype == dtype:
        return np.ascontiguousarray(array)
    copy = RESULT_MEMORY.empty(array.shape, dtype)
    np.copyto(copy, array, casting="same_kind")
    return copy


def probed_slots(segments: Array, coordinates: Array, width: int, count: int) -> Array:
    """Where linear probing puts coordinates, inserted in this order, in segments of `width` slots each."""
    taken = np.zeros(count, dtype=np.bool_)
    slots = np.empty(coordinates.size, dtype=np.int64)
    left = np.arange(coordinates.size)
    step = coordinates % width
    while left.size:
        at = segments[left] * width + step
        _, first = np.unique(at, return_index=True)
        won = np.zeros(left.size, dtype=np.bool_)
        won[first] = ~taken[at[first]]
        taken[at[won]] = True
        slots[left[won]] = at[won]
        left, step = left[~won], (step[~won] + 1) % width
    return slots


def check_size(count: int, dtype: np.dtype[Any], format: TensorFormat) -> None:
    """UserError [storage-too-large] where dense levels ask for more memory than an address can reach."""
    if count * dtype.itemsize >= 2**47:
        raise too_large(format, f"{count} positions of {dtype}")
