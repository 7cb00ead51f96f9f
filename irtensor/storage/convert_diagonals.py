"""Conversion of matrices between diagonals and blocks of rows or columns, a diagonal at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from irtensor.core.tensor_format import TensorFormat
from irtensor.levels.level_stores import LEVEL_STORES
from irtensor.storage.block_store import BlockStore
from irtensor.storage.conversion import Conversion, Source
from irtensor.storage.element_types import fill_element, is_fill
from irtensor.storage.level_storage import DENSE_LEVEL, Array, LevelStorage, index_dtypes
from irtensor.storage.listed_ranges import listed_ranges
from irtensor.storage.pack_coordinates import Packed
from irtensor.storage.packing import check_size

# Blocks may have so many times the elements of diagonals, or the other way round, before another way takes less time.
_MOST = 2


class _Lines(NamedTuple):
    """The rows or columns of a matrix, with a block of coordinates each."""

    dimension: int
    number: int
    extent: int

    def shift(self, offset: int) -> int:
        """What a coordinate on a diagonal is more than the number of its line."""
        return -offset if self.dimension else offset

    def crossed_by(self, shift: int) -> slice:
        """The lines that a diagonal goes through."""
        first = max(0, -shift)
        return slice(first, max(first, min(self.number, self.extent - shift)))


def _suits(source: TensorFormat, target: TensorFormat) -> bool:
    """Whether a matrix of whole diagonals is to be in blocks, one for each row or column, or the other way round."""
    return any(_lists_diagonals(one) and has_blocks(other) for one, other in ((source, target), (target, source)))


def _convert(source: Source, target: TensorFormat) -> Packed | None:
    """Takes time for the elements of both. A block goes from the first diagonal to the last one, zeros included;
    diagonals of nothing but the fill value are not stored.
    """
    return _into_blocks(source, target) if _lists_diagonals(source.format) else _out_of_blocks(source, target)


def has_blocks(format: TensorFormat) -> bool:
    """Whether a matrix in a format has a block for each row or column, and may be whole diagonals."""
    return _block_store(format) is not None


def _lists_diagonals(format: TensorFormat) -> bool:
    """Whether whole diagonals are listed, each with an element for every row, or every column."""
    if format.rank != 2 or len(format.levels) != 3:
        return False
    outer, along, _ = format.levels
    listed = outer.expression.other is not None and outer.format.properties.lists_segments
    return listed and outer.format.ordered and outer.format.unique and along.format.pattern.along_diagonals


def _block_store(format: TensorFormat) -> BlockStore | None:
    """The store of a matrix's inner level, if that has a block for each row or column."""
    if format.rank != 2 or len(format.levels) != 2 or not format.levels[0].format.properties.is_array:
        return None
    store = LEVEL_STORES.get(format.levels[1].format.name)
    is_whole = all(level.expression.form == "whole" for level in format.levels)
    return store if isinstance(store, BlockStore) and is_whole else None


def _lines(shape: tuple[int, ...], blocks: TensorFormat) -> _Lines:
    dimension = blocks.levels[0].expression.dimension
    return _Lines(dimension, shape[dimension], shape[1 - dimension])


def _into_blocks(source: Source, target: TensorFormat) -> Packed | None:
    levels, values, store = source.levels, source.values, _block_store(target)
    lines = _lines(source.shape, target)
    assert store is not None
    shifts = [lines.shift(offset) for offset in levels[0].array("coordinates").tolist()]
    width = max(shifts) - min(shifts) + 1 if shifts else 0
    if not 0 < width <= _MOST * len(shifts):
        return None
    least, number = min(shifts), np.arange(lines.number)
    begins, ends = (np.clip(number + shift, 0, lines.extent) for shift in (least, least + width))
    check_size(lines.number * width, values.dtype, target)
    level = store.of_bounds(begins, ends, target, 1)
    if level is None:
        return None
    table = np.full((lines.number, width), fill_element(target, values.dtype), values.dtype)
    counts_lines = source.format.levels[1].expression.dimension == lines.dimension
    for shift, diagonal in zip(shifts, values.reshape(len(shifts), -1), strict=True):
        crossed = lines.crossed_by(shift)
        table[crossed, shift - least] = diagonal[_moved(crossed, 0 if counts_lines else shift)]
    return (DENSE_LEVEL, level), _cut(table, least, lines.extent)


def _cut(table: Array, least: int, extent: int) -> Array:
    """The elements of a table that are inside of a matrix: element k of line i is at coordinate i + least + k."""
    count, width = table.shape
    # Blocks are cut at the edges of the matrix alone.
    first = min(max(0, -least), count)
    past = max(first, min(count, extent - least - width + 1))
    parts: list[Array] = []
    for lines in (slice(0, first), slice(first, past), slice(past, count)):
        at = np.arange(lines.start, lines.stop)[:, None] + least + np.arange(width)
        is_whole = lines.start == first and lines.stop == past
        parts.append(table[lines].reshape(-1) if is_whole else table[lines][(at >= 0) & (at < extent)])
    return np.concatenate(parts)


def _out_of_blocks(source: Source, target: TensorFormat) -> Packed | None:
    levels, values, store = source.levels, source.values, _block_store(source.format)
    assert store is not None
    lines, begins = _lines(source.shape, source.format), store.begins(levels[1])
    offsets: Array = levels[1].array("offsets").astype(np.int64, copy=False)
    lengths, number = np.diff(offsets), np.arange(lines.number)
    stored = np.flatnonzero(lengths)
    if not stored.size:
        return None
    least = int((begins - number)[stored].min())
    width = int((begins - number + lengths)[stored].max()) - least
    along = source.shape[target.levels[1].expression.dimension]
    if width * max(lines.number, along) > _MOST * values.size:
        return None
    fill = fill_element(target, values.dtype)
    table = np.full((lines.number, width), fill, values.dtype)
    slots, _ = listed_ranges(number * width + begins - number - least, lengths)
    table.reshape(-1)[slots] = values
    kept = [column for column in range(width) if not is_fill(table[:, column], fill).all()]
    kept = kept if lines.dimension == 0 else kept[::-1]
    shifts = [column + least for column in kept]
    counts_lines = target.levels[1].expression.dimension == lines.dimension
    diagonals = np.full((len(kept), along), fill, values.dtype)
    for diagonal, column, shift in zip(diagonals, kept, shifts, strict=True):
        crossed = lines.crossed_by(shift)
        diagonal[_moved(crossed, 0 if counts_lines else shift)] = table[crossed, column]
    position, coordinate = index_dtypes(target, 0)
    listed = np.array([lines.shift(shift) for shift in shifts], coordinate)
    outer = LevelStorage(np.array([0, listed.size], position), listed)
    return (outer, DENSE_LEVEL, DENSE_LEVEL), diagonals.reshape(-1)


def _moved(part: slice, by: int) -> slice:
    return slice(part.start + by, part.stop + by)


DIAGONALS = Conversion(_suits, _convert)
