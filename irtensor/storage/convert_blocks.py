"""Conversions of stored matrices into blocks and out of them, by compiled code, through segments without blocks."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from irtensor.core.index_widths import greatest_of
from irtensor.core.tensor_format import TensorFormat
from irtensor.core.without_blocks import without_blocks
from irtensor.runtime.regroup_segments import Blocks, blocks_to_segments, segments_to_blocks
from irtensor.storage.conversion import Conversion, Source, keeps_rows
from irtensor.storage.element_types import fill_element
from irtensor.storage.level_storage import DENSE_LEVEL, LevelStorage, index_dtypes
from irtensor.storage.pack_coordinates import Packed
from irtensor.storage.packing import check_size, too_large
from irtensor.storage.sort_coordinates import is_for_compiled_code

Convert = Callable[[Source, TensorFormat], Packed]

# Bytes of the integers that compiled code is made for.
_WIDTHS = (4, 8)
# Of the elements of blocks that are to be listed, so many are entries at least: each is looked at twice.
_LISTED = 1 / 6
# Where more of them than so many times the entries are counted through, another way takes less time and memory.
_SEGMENTS = 4


def through_segments(convert: Convert) -> Conversion:
    """The conversion of tensors whose blocks, or those of the target, are listed in segments.

    `convert` does the rest: from the format of the tensor to segments, or from these to the target.
    """
    return Conversion(_suits, lambda source, target: _convert(source, target, convert))


def _suits(source: TensorFormat, target: TensorFormat) -> bool:
    # Rows of blocks that have nothing but fill values are not listed on this way.
    return not keeps_rows(source, target) and _segments(source if _blocks(source) else target) is not None


def _convert(source: Source, target: TensorFormat, convert: Convert) -> Packed | None:
    shape, values = source.shape, source.values
    blocks = _blocks(source.format)
    segments = _segments(target if blocks is None else source.format)
    assert segments is not None
    if not is_for_compiled_code(values.size, 0) or not _fit(segments, shape, values.size):
        return None
    if blocks is None:
        return _into_blocks(Source(shape, segments, *convert(source, segments)), target)
    if np.count_nonzero(values) < _LISTED * values.size:
        return None
    moved = _out_of_blocks(source, segments, blocks)
    return None if moved is None else convert(Source(shape, segments, *moved), target)


@lru_cache(maxsize=256)
def _blocks(format: TensorFormat) -> Blocks | None:
    """The blocks of a format that lists them in segments, in order, each with all of its elements."""
    if format.rank != 2 or len(format.levels) != 4:
        return None
    outer, inner, *inside = format.levels
    listed = inner.format.properties.lists_segments and inner.format.unique and inner.format.ordered
    if not (outer.format.properties.is_array and listed and all(level.format.properties.is_array for level in inside)):
        return None
    if (outer.expression.form, inner.expression.form) != ("floordiv", "floordiv"):
        return None
    if any(level.expression.form != "mod" for level in inside):
        return None
    height, width = outer.expression.factor, inner.expression.factor
    by_rows = inside[0].expression.dimension == outer.expression.dimension
    return Blocks(height, width, width if by_rows else 1, 1 if by_rows else height)


@lru_cache(maxsize=256)
def _segments(blocked: TensorFormat) -> TensorFormat | None:
    """The format that lists elements where this one lists blocks, with indices as wide; None if it lists no blocks, or
    compiled code is made for none of that width.
    """
    if _blocks(blocked) is None:
        return None
    widths = [dtype.itemsize for dtype in index_dtypes(blocked, 1)]
    format = without_blocks(blocked).with_widths(*(8 * width for width in widths))
    return format if all(width in _WIDTHS for width in widths) else None


def _fit(segments: TensorFormat, shape: tuple[int, ...], count: int) -> bool:
    """Whether integers are wide enough for so many entries, and segments not many more: neither is so of all blocks."""
    widths = segments.position_width, segments.coordinate_width
    narrow = all(bound <= greatest_of(width) for bound, width in zip((count, max(shape)), widths, strict=True))
    return narrow and segments.level_extent(0, shape) <= _SEGMENTS * count


def _into_blocks(source: Source, target: TensorFormat) -> Packed | None:
    shape, format, levels, values = source
    blocks = _blocks(target)
    assert blocks is not None
    check_size(target.level_extent(0, shape) + 1, index_dtypes(target, 1)[0], target)
    positions, coordinates = levels[1].positions, levels[1].coordinates
    assert positions is not None and coordinates is not None
    extent = format.level_extent(1, shape)
    try:
        moved = segments_to_blocks(positions, coordinates, values, extent, blocks, fill_element(target, values.dtype))
    except MemoryError as error:
        raise too_large(target, str(error)) from None
    if moved is None:
        return None
    return (DENSE_LEVEL, LevelStorage(*moved[:2]), DENSE_LEVEL, DENSE_LEVEL), moved[2]


def _out_of_blocks(source: Source, target: TensorFormat, blocks: Blocks) -> Packed | None:
    shape, format, levels, values = source
    positions, coordinates = levels[1].positions, levels[1].coordinates
    assert positions is not None and coordinates is not None
    segments, extent = (target.level_extent(level, shape) for level in (0, 1))
    try:
        moved = blocks_to_segments(
            positions, coordinates, values, segments, extent, blocks, fill_element(format, values.dtype)
        )
    except MemoryError as error:
        raise too_large(target, str(error)) from None
    return None if moved is None else ((DENSE_LEVEL, LevelStorage(*moved[:2])), moved[2])
