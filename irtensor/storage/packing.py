"""Sorted entries on their way into the levels of a format, from the outermost on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.core.storage_levels import dimension_names
from irtensor.core.tensor_format import TensorFormat
from irtensor.runtime.result_memory import RESULT_MEMORY
from irtensor.storage.element_types import fill_element
from irtensor.storage.index_overflow import check_position_width
from irtensor.storage.level_storage import Array, index_dtypes
from irtensor.storage.sort_coordinates import distinct_starts, sorted_order

# Entries counted at a time: bincount makes wide copies, which then stay in the cache.
_PIECE = 1 << 16

# Where there are so many entries in each parent, the ends of these are searched rather than counted.
_LONG = 16


def fiber_text(format: TensorFormat, path: Sequence[int]) -> str:
    """The fiber below some coordinates of the outermost levels, for messages."""
    names = dimension_names(format.rank)
    levels = zip(format.levels, path, strict=False)
    above = [f"{level.expression.text(names)} = {coordinate}" for level, coordinate in levels]
    return f"the fiber at {', '.join(above)}" if above else "its only fiber"


def refuse_level(format: TensorFormat, number: int, problem: str, help: str) -> NoReturn:
    """Raise UserError [format-mismatch] about a level of a format."""
    raise UserError("format-mismatch", f"level {number} ({format.level_text(number)}) {problem}", help=help)


class Packing:
    """Entries sorted by the keys of all levels, and where they are in the level that was packed last.

    `parent` is the position of each entry in that level, None while it is the entry's own number; `count` is the
    number of positions of that level.
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
        # Coordinates of the levels that share the positions of the last list, by the numbers of the levels.
        self._listed: dict[int, Array] = {}

    def enter_each_coordinate(self, number: int) -> None:
        """Step to a level with a position for every coordinate of every parent."""
        extent = self.extents[number]
        self.count *= extent
        check_size(self.count, self.values.dtype, self.format)
        if self.parent is None:
            self.parent = np.arange(self.entries, dtype=np.int64)
        key = self.keys[number]
        self.parent = key if number == 0 else self.parent.astype(np.int64, copy=False) * extent + key

    def enter_lists(self, number: int) -> tuple[Array, Array]:
        """Step to a level that lists coordinates, and to the levels below it that have one child for each of these.

        They share one position per distinct path through all. Gives where the segment of each parent begins, and the
        coordinates.
        """
        formats = [level.format for level in self.format.levels]
        end = number + 1
        while end < len(formats) and formats[end].pattern.branchless and formats[end].properties.has_coordinates:
            end += 1
        # At the innermost level each entry has its own position: duplicates were combined, or are to be kept.
        starts = None if end == len(formats) else np.flatnonzero(distinct_starts(self.keys[:end]))
        heads = [key if starts is None else key[starts] for key in self.keys[:end]]
        for level in range(number, end - 1):
            if formats[level].unique:
                refuse_several_children(self.format, level, heads[: level + 1])
        parent = self.parent if starts is None or self.parent is None else self.parent[starts]
        positions = self._positions(number, parent, heads[0].size)
        self._listed = {level: self._coordinates(level, head) for level, head in enumerate(heads[number:], number)}
        if starts is None:
            self.parent = None
        else:
            sizes = np.diff(starts, append=self.entries)
            self.parent = np.repeat(np.arange(starts.size, dtype=np.int64), sizes)
        self.count = heads[0].size
        return positions, self._listed[number]

    def listed_with_parents(self, number: int) -> Array:
        """The coordinates of a level that has one child for each position above; 0 where that holds no entry."""
        if number in self._listed:
            return self._listed[number]
        assert self.parent is not None
        starts = np.flatnonzero(distinct_starts(self.keys[: number + 1]))
        above, slots = self.parent[starts], number - 1
        while self.format.levels[slots].format.pattern.branchless:
            slots -= 1
        refuse_several_children(self.format, slots, [above, self.keys[slots][starts]])
        coordinates = np.zeros(self.count, dtype=index_dtypes(self.format, number)[1])
        coordinates[above] = self.keys[number][starts] + self.first[number]
        return coordinates

    @property
    def parents(self) -> Array:
        """The position of the parent of each entry."""
        return np.arange(self.entries) if self.parent is None else self.parent.astype(np.int64, copy=False)

    def paths(self, number: int) -> tuple[Array, Array]:
        """The first entry of each distinct path through a level, and the position of its parent."""
        starts = np.flatnonzero(distinct_starts(self.keys[: number + 1]))
        return starts, starts if self.parent is None else self.parent[starts].astype(np.int64, copy=False)

    def keep(self, kept: Array) -> None:
        """Leave the entries that an array of bools says."""
        self.keys, self.values = [key[kept] for key in self.keys], self.values[kept]
        self.entries = self.values.size
        self.parent = np.flatnonzero(kept) if self.parent is None else self.parent[kept]

    def refuse(self, number: int, entry: int, problem: str, help: str) -> NoReturn:
        """Raise UserError [format-mismatch] about the fiber of a level that an entry is in."""
        above = zip(self.keys[:number], self.first, strict=False)
        path = [int(key[entry]) + first for key, first in above]
        self.refuse_level(number, problem.format(fiber=fiber_text(self.format, path)), help)

    def refuse_level(self, number: int, problem: str, help: str) -> NoReturn:
        """Raise UserError [format-mismatch] about a level."""
        refuse_level(self.format, number, problem, help)

    def sort_by_parent(self) -> None:
        """Put entries in the order of the slots above them, in which the levels below store their children."""
        assert self.parent is not None
        order = sorted_order([self.parent], [self.count])
        if order is not None:
            self.parent, self.values = self.parent[order], self.values[order]
            self.keys = [key[order] for key in self.keys]

    def _coordinates(self, level: int, keys: Array) -> Array:
        """What a level lists for keys, which count from 0."""
        first = self.first[level]
        return _with_type(keys + first if first else keys, index_dtypes(self.format, level)[1])

    def _positions(self, number: int, parent: Array | None, children: int) -> Array:
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

    def values_by_parent(self) -> Array:
        """The values at the positions of the innermost level."""
        if self.parent is None:
            return np.ascontiguousarray(self.values)
        fill = fill_element(self.format, self.values.dtype)
        values = np.zeros(self.count, self.values.dtype) if fill == 0 else np.full(self.count, fill, self.values.dtype)
        values[self.parent] = self.values
        return values


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


def check_size(count: int, dtype: np.dtype[Any], format: TensorFormat) -> None:
    """UserError [storage-too-large] where dense levels ask for more memory than an address can reach."""
    if count * dtype.itemsize >= 2**47:
        raise too_large(format, f"{count} positions of {dtype}")


def too_large(format: TensorFormat, reason: str) -> UserError:
    """The error for a format whose dense levels need more memory than there is."""
    help = "store the large dimensions in compressed levels"
    return UserError(
        "storage-too-large", f"format {format} does not fit into memory for this shape: {reason}", help=help
    )
