"""Conversion of stored tensors between formats, in time of the stored entries and the dense extents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.core.index_widths import holds, least_width
from irtensor.core.storage_levels import LevelExpression
from irtensor.core.tensor_format import TensorFormat
from irtensor.core.wide_formats import for_all_sizes
from irtensor.runtime.transpose_segments import transpose_segments
from irtensor.storage.convert_blocks import convert_blocks
from irtensor.storage.convert_diagonals import convert_diagonals
from irtensor.storage.convert_lists import convert_lists
from irtensor.storage.convert_runs import convert_runs
from irtensor.storage.dense_arrays import dense_array, dense_values
from irtensor.storage.element_types import fill_element, is_fill, same_bits, same_fill
from irtensor.storage.index_overflow import check_coordinate_widths
from irtensor.storage.level_storage import DENSE_LEVEL, Array, LevelStorage, array_dtype, index_dtypes
from irtensor.storage.mirrored_segments import half_segments, whole_segments
from irtensor.storage.pack_coordinates import Packed, pack
from irtensor.storage.packing import check_size, too_large
from irtensor.storage.pattern_values import check_all_true, check_pattern_dtype, true_values
from irtensor.storage.sort_coordinates import is_for_compiled_code
from irtensor.storage.unpack_coordinates import stored_positions, unpack


def convert(
    shape: tuple[int, ...],
    source: TensorFormat,
    levels: Sequence[LevelStorage],
    values: Array,
    target: TensorFormat,
) -> Packed:
    """Levels and values of the same tensor in `target`; arrays are shared where only the fill or nothing changes.

    Duplicates add up. A pattern has no entry for an element that is stored as false.
    Raises UserError [fill-mismatch] where entries not stored would change their value, [unsupported-dtype] where a
    pattern would not be of bools, and [format-mismatch] where it would be true at an element that is false.
    """
    check_rank(target, len(shape))
    check_same_fill(source, target, values.dtype)
    check_pattern_dtype(target, values.dtype, "the tensor")
    if not (source.is_pattern or target.is_pattern):
        return _converted(shape, source, levels, values, target)
    stores_false = not (source.is_pattern or _stores_true_alone(shape, source, levels, values))
    shares = _way(source, target).shares and not stores_false
    if shares and target.is_pattern:
        values = true_values(values.size)
    elif source.is_pattern:
        values = np.ones(values.size, bool)
    if stores_false and not (source.is_dense or source.has_runs):
        packed = pack(*unpack(shape, source, levels, values), shape, target, "sum")
    else:
        packed = _converted(shape, source, levels, values, target)
    if target.is_pattern and not shares:
        check_all_true(shape, target, *packed)
    return packed


def _stores_true_alone(
    shape: tuple[int, ...], format: TensorFormat, levels: Sequence[LevelStorage], values: Array
) -> bool:
    """Whether all stored elements of a tensor of bools are true."""
    if values.all():
        return True
    stored = stored_positions(shape, format, levels)
    return stored is not None and bool(values[stored != 0].all())


def _converted(
    shape: tuple[int, ...],
    source: TensorFormat,
    levels: Sequence[LevelStorage],
    values: Array,
    target: TensorFormat,
) -> Packed:
    """See `convert`, for formats that can store the elements."""
    if source.symmetric and source.symmetric == target.symmetric:
        # Both have the same stored part, which has no mirrors.
        source, target = source.whole, target.whole
    way = _way(source, target)
    if way.shares:
        check_coordinate_widths(target, shape)
        return tuple(change_widths(level, target, number) for number, level in enumerate(levels)), values
    if source.is_dense:
        return pack_array(dense_array(values, source, shape), target)
    if target.is_dense:
        return (LevelStorage(),) * len(target.levels), dense_values(
            scatter(shape, source, levels, values),
            target,
            fill_element(target, values.dtype),
        )
    if way.transposes and (moved := _transposed(shape, levels, values, target)) is not None:
        return moved
    symmetric = source.symmetric or target.symmetric
    move = _by_mirrors if symmetric else _by_levels
    if (moved := move(shape, source, levels, values, target)) is not None:
        return moved
    is_listed = not (way.whole or symmetric)
    if is_listed and (moved := convert_blocks(shape, source, levels, values, target, convert)) is not None:
        return moved
    coordinates, entries = unpack(shape, source, levels, values, way.whole)
    return pack(
        coordinates,
        entries,
        shape,
        target,
        "sum" if source.allows_duplicates else "none",
        is_sorted=way.is_sorted,
    )


class _Way(NamedTuple):
    """Facts about a conversion that hold for every tensor."""

    shares: bool
    """Whether arrays stay as they are."""
    transposes: bool
    mirrors: bool
    """Whether one stores the half of a symmetric matrix in segments, and the other one all of it."""
    between: TensorFormat | None
    """The other of these two in the same segments, where the target is stored in another way."""
    whole: bool
    """Whether rows are taken as they are, also those that have nothing but fill values, as whole rows are stored."""
    is_sorted: bool


@lru_cache(maxsize=1024)
def _way(source: TensorFormat, target: TensorFormat) -> _Way:
    # The padding of partial blocks holds the fill value, so blocks are only shared with the same fill.
    same_padding = not source.is_blocked or source.with_fill(target.fill) == source
    tail, kept = source.dense_tail, target.dense_tail
    if source.symmetric or target.symmetric:
        shares = same_padding and source.structure == target.structure and source.symmetric == target.symmetric
        mirrors = source.is_half_of(target) or target.is_half_of(source)
        return _Way(shares, False, mirrors, None if shares or mirrors else _between(source, target), False, False)
    # Runs of the fill value may cover any number of coordinates, so these are not listed.
    whole = (
        bool(tail)
        and not source.has_runs
        and all(one in kept or LevelExpression(one.dimension) in kept for one in tail)
    )
    shares = same_padding and source.structure == target.structure
    return _Way(shares, target.is_transposition_of(source), False, None, whole, _is_sorted_alike(source, target))


def _between(source: TensorFormat, target: TensorFormat) -> TensorFormat | None:
    """The format of all entries of a symmetric matrix, or of half of them, in the segments of the source; else None."""
    half, other = (source, target) if source.symmetric else (target, source)
    if other.symmetric or half.symmetric != (0, 1) or not source.whole.has_segments:
        return None
    between = for_all_sizes(source.whole) if source.symmetric else replace(source, symmetric=(0, 1))
    return between if source.is_half_of(between) or between.is_half_of(source) else None


def _by_levels(
    shape: tuple[int, ...], source: TensorFormat, levels: Sequence[LevelStorage], values: Array, target: TensorFormat
) -> Packed | None:
    """The tensor where levels of runs, lists or diagonals are the only ones that change; else None."""
    if (moved := convert_runs(shape, source, levels, values, target)) is not None:
        return tuple(change_widths(level, target, number) for number, level in enumerate(moved[0])), moved[1]
    if (lists := convert_lists(shape, source, levels, target)) is not None:
        return tuple(change_widths(level, target, number) for number, level in enumerate(lists)), values
    return convert_diagonals(shape, source, levels, values, target)


def _by_mirrors(
    shape: tuple[int, ...], source: TensorFormat, levels: Sequence[LevelStorage], values: Array, target: TensorFormat
) -> Packed | None:
    """A symmetric matrix in segments with all entries, or half of them, in place of the other; None as `_mirrored`."""
    way = _way(source, target)
    if way.mirrors:
        return _mirrored(shape, source, levels, values, target)
    if way.between is None:
        return None
    moved = _mirrored(shape, source, levels, values, way.between)
    return None if moved is None else _converted(shape, way.between, *moved, target)


def _mirrored(
    shape: tuple[int, ...], source: TensorFormat, levels: Sequence[LevelStorage], values: Array, target: TensorFormat
) -> Packed | None:
    """The whole of the stored half of a symmetric matrix, or the half of a whole one; None as for `_transposed`, and
    where its entries are not those of a symmetric one.
    """
    positions, coordinates = levels[1].positions, levels[1].coordinates
    assert positions is not None and coordinates is not None
    is_square = shape[0] == shape[1]
    if not is_square or coordinates.size != values.size or not is_for_compiled_code(values.size, 0):
        return None
    # The whole has more entries than the half, whose narrow positions may not count them.
    segments = positions.astype(np.int64, copy=False), coordinates, values
    is_upper = (source if source.symmetric else target).dimension_order == (0, 1)
    found = whole_segments(segments, is_upper) if source.symmetric else half_segments(segments, is_upper)
    if found is None:
        return None
    check_coordinate_widths(target, shape)
    check_size(found[1].size, values.dtype, target)
    return (DENSE_LEVEL, change_widths(LevelStorage(*found[:2]), target, 1)), found[2]


def _transposed(
    shape: tuple[int, ...],
    levels: Sequence[LevelStorage],
    values: Array,
    target: TensorFormat,
) -> Packed | None:
    """The tensor, moved by compiled code into the format whose transposition it is in; None where that is not worth
    loading, or not made for such arrays.
    """
    if not is_for_compiled_code(values.size, 0):
        return None
    positions, coordinates = levels[1].positions, levels[1].coordinates
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
    if moved is None:
        return None
    return (DENSE_LEVEL, change_widths(LevelStorage(*moved[:2]), target, 1, fits=True)), moved[2]


def _is_sorted_alike(source: TensorFormat, target: TensorFormat) -> bool:
    """Whether entries in the storage order of one format are in that of the other."""
    ordered = all(level.format.ordered for level in source.levels)
    # Children of a run come again at each of its coordinates.
    ordered = ordered and not any(level.format.pieces == "runs" for level in source.levels[:-1])
    return ordered and [level.expression for level in source.levels] == [level.expression for level in target.levels]


def pack_array(array: Array, format: TensorFormat) -> Packed:
    """Levels and values of a NumPy array in any format; elements equal to the fill value are not stored."""
    fill = fill_element(format, array.dtype)
    if format.is_dense:
        return (LevelStorage(),) * len(format.levels), dense_values(array, format, fill)
    # Runs are of values that are equal bit for bit, and so are those of the fill value between them.
    stored = ~(same_bits(array.reshape(-1), fill).reshape(array.shape) if format.has_runs else is_fill(array, fill))
    coordinates = [row.astype(np.int64, copy=False) for row in np.nonzero(stored)]
    return pack(coordinates, array[stored], array.shape, format, "none")


def scatter(
    shape: tuple[int, ...],
    format: TensorFormat,
    levels: Sequence[LevelStorage],
    values: Array,
) -> Array:
    """The tensor as a NumPy array; duplicates add up."""
    if format.is_dense:
        return dense_array(values, format, shape)
    fill = fill_element(format, values.dtype)
    count = 1
    for extent in shape:
        count *= extent
    check_size(count, values.dtype, TensorFormat.dense(len(shape)))
    # Memory that the system hands out is zero, and touched only where there are entries.
    array: Array = np.zeros(shape, values.dtype) if format.fill is None else np.full(shape, fill, dtype=values.dtype)
    coordinates, entries = unpack(shape, format, levels, values)
    if format.allows_duplicates:
        # Where the fill is not zero, the parts of an entry still add up among themselves.
        array[tuple(coordinates)] = values.dtype.type(0)
        np.add.at(array, tuple(coordinates), entries)
    else:
        array[tuple(coordinates)] = entries
    return array


def check_rank(format: TensorFormat, rank: int) -> None:
    if format.rank != rank:
        raise UserError(
            "rank-mismatch",
            f"format {format} is for rank {format.rank}, but the tensor has rank {rank}",
            help=f"give a format of {rank} dimensions",
        )


def check_same_fill(source: TensorFormat, target: TensorFormat, dtype: np.dtype[Any]) -> None:
    """A format with another fill value can only take a tensor where one of the two stores every element."""
    if source.fill is None and target.fill is None:
        return
    before, after = fill_element(source, dtype), fill_element(target, dtype)
    if not (same_fill(before, after) or source.is_dense or target.is_dense):
        raise UserError(
            "fill-mismatch",
            f"the tensor's fill value is {before}, that of format {target} is {after}",
            help=f"use format.with_fill({before}), or convert through a dense format",
        )


def change_widths(level: LevelStorage, format: TensorFormat, number: int, *, fits: bool = False) -> LevelStorage:
    """The level with integers as wide as the format says; the same arrays if they already are.

    Raises UserError [index-overflow] where a number does not fit, unless it is known that all do.
    """
    arrays = level.named()
    changed: dict[str, Array] = {}
    for stored in format.levels[number].format.properties.arrays:
        array, dtype, name = arrays[stored.name], array_dtype(format, number, stored), stored.name
        if array.dtype != dtype:
            if not fits and dtype.itemsize < array.dtype.itemsize and array.size:
                least, greatest = int(array.min()), int(array.max())
                if not holds(8 * dtype.itemsize, least, greatest):
                    beyond = f"up to {greatest}" if greatest > np.iinfo(dtype).max else f"down to {least}"
                    where = f"level {number} ({format.level_text(number)})"
                    width = "pos" if stored.holds == "position" else "crd"
                    raise UserError(
                        "index-overflow",
                        f"{name} {beyond} of {where} do not fit {dtype}",
                        help=f"use {width} = i{least_width(least, greatest)}",
                    )
            changed[name] = array.astype(dtype)
    if not changed:
        return level
    return LevelStorage.of({**arrays, **changed})
