"""Conversions of matrices in segments by compiled code: the transposition, and halves of symmetric ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from irtensor.core.tensor_format import TensorFormat
from irtensor.core.wide_formats import for_all_sizes
from irtensor.runtime.transpose_segments import transpose_segments
from irtensor.storage.conversion import Conversion, Source
from irtensor.storage.level_storage import DENSE_LEVEL, LevelStorage, index_dtypes
from irtensor.storage.mirrored_segments import half_segments, whole_segments
from irtensor.storage.pack_coordinates import Packed
from irtensor.storage.packing import check_size, too_large
from irtensor.storage.sort_coordinates import is_for_compiled_code


def _transposed(source: Source, target: TensorFormat) -> Packed | None:
    """The tensor in the format whose transposition it is in; None where compiled code is not worth loading, or not
    made for such arrays.
    """
    shape, values = source.shape, source.values
    if not is_for_compiled_code(values.size, 0):
        return None
    positions, coordinates = source.levels[1].positions, source.levels[1].coordinates
    assert positions is not None and coordinates is not None
    widths = index_dtypes(target, 1)
    segments, extent = (target.level_extent(level, shape) for level in (1, 0))
    own = positions.dtype, coordinates.dtype
    fits = segments - 1 <= np.iinfo(own[1]).max and all(
        a.itemsize <= b.itemsize for a, b in zip(own, widths, strict=True)
    )
    if not fits or coordinates.size != values.size:
        return None
    check_size(extent + 1, widths[0], target)
    try:
        moved = transpose_segments(positions, coordinates, values, extent)
    except MemoryError as error:
        raise too_large(target, str(error)) from None
    return None if moved is None else ((DENSE_LEVEL, LevelStorage(*moved[:2])), moved[2])


def _mirrored(source: Source, target: TensorFormat) -> Packed | None:
    """The whole of the stored half of a symmetric matrix, or the half of a whole one; None as for `_transposed`, and
    where its entries are not those of a symmetric one.
    """
    shape, values = source.shape, source.values
    positions, coordinates = source.levels[1].positions, source.levels[1].coordinates
    assert positions is not None and coordinates is not None
    is_square = shape[0] == shape[1]
    if not is_square or coordinates.size != values.size or not is_for_compiled_code(values.size, 0):
        return None
    # The whole has more entries than the half, whose narrow positions may not count them.
    segments = positions.astype(np.int64, copy=False), coordinates, values
    is_upper = (source.format if source.format.symmetric else target).dimension_order == (0, 1)
    found = whole_segments(segments, is_upper) if source.format.symmetric else half_segments(segments, is_upper)
    if found is None:
        return None
    check_size(found[1].size, values.dtype, target)
    return (DENSE_LEVEL, LevelStorage(*found[:2])), found[2]


def between(source: TensorFormat, target: TensorFormat) -> TensorFormat | None:
    """The format of all entries of a symmetric matrix, or of half of them, in the segments of the source, where that
    leads to the target; else None."""
    half, other = (source, target) if source.symmetric else (target, source)
    if other.symmetric or half.symmetric != (0, 1) or not source.whole.has_segments:
        return None
    found = for_all_sizes(source.whole) if source.symmetric else replace(source, symmetric=(0, 1))
    return found if source.is_half_of(found) or found.is_half_of(source) else None


def through_mirrors(convert: Callable[[Source, TensorFormat], Packed]) -> Conversion:
    """From a symmetric matrix in segments, or to one, by way of its other half in the same segments."""

    def suits(source: TensorFormat, target: TensorFormat) -> bool:
        return not MIRRORED.suits(source, target) and between(source, target) is not None

    def moved(source: Source, target: TensorFormat) -> Packed | None:
        middle = between(source.format, target)
        assert middle is not None
        packed = _mirrored(source, middle)
        return None if packed is None else convert(Source(source.shape, middle, *packed), target)

    return Conversion(suits, moved, mirrors=True)


TRANSPOSED = Conversion(lambda source, target: target.is_transposition_of(source), _transposed)
MIRRORED = Conversion(
    lambda source, target: source.is_half_of(target) or target.is_half_of(source), _mirrored, mirrors=True
)
