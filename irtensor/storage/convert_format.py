"""Conversion of stored tensors between formats, in time of the stored entries and the dense extents."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.core.index_widths import holds, least_width
from irtensor.core.tensor_format import TensorFormat
from irtensor.storage.conversion import Conversion, Source, keeps_rows
from irtensor.storage.convert_blocks import through_segments
from irtensor.storage.convert_diagonals import DIAGONALS
from irtensor.storage.convert_lists import LISTS
from irtensor.storage.convert_runs import RUNS
from irtensor.storage.convert_segments import MIRRORED, TRANSPOSED, through_mirrors
from irtensor.storage.dense_arrays import dense_array, dense_values
from irtensor.storage.element_types import fill_element, is_fill, same_bits, same_fill
from irtensor.storage.index_overflow import check_coordinate_widths
from irtensor.storage.level_storage import Array, LevelStorage, array_dtype
from irtensor.storage.pack_coordinates import Packed, pack
from irtensor.storage.packing import check_size
from irtensor.storage.pattern_values import check_all_true, check_pattern_dtype, true_values
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
    if source.symmetric and source.symmetric == target.symmetric:
        # The stored part of the one is that of the other.
        source, target = source.whole, target.whole
    given = Source(shape, source, levels, values)
    if not (source.is_pattern or target.is_pattern):
        return _converted(given, target)
    stores_false = not (source.is_pattern or _stores_true_alone(shape, source, levels, values))
    shares = _shares(source, target) and not stores_false
    if shares and target.is_pattern:
        values = true_values(values.size)
    elif source.is_pattern:
        values = np.ones(values.size, bool)
    if stores_false and not (source.is_dense or source.has_runs):
        packed = pack(*unpack(shape, source, levels, values), shape, target, "sum")
    else:
        packed = _converted(given._replace(values=values), target)
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


def _converted(source: Source, target: TensorFormat) -> Packed:
    """See `convert`, for formats that can store the elements."""
    check_coordinate_widths(target, source.shape)
    found = (way.convert(source, target) for way in _ways(source.format, target))
    # The last way takes all.
    levels, values = next(moved for moved in found if moved is not None)
    return change_widths(levels, target), values


def _shares(source: TensorFormat, target: TensorFormat) -> bool:
    """Whether arrays stay as they are."""
    # The padding of partial blocks holds the fill value, so blocks are only shared with the same fill.
    same_padding = not source.is_blocked or source.with_fill(target.fill) == source
    return same_padding and source.structure == target.structure


def _from_dense(source: Source, target: TensorFormat) -> Packed:
    return pack_array(dense_array(source.values, source.format, source.shape), target)


def _to_dense(source: Source, target: TensorFormat) -> Packed:
    values = dense_values(scatter(*source), target, fill_element(target, source.values.dtype))
    return (LevelStorage(),) * len(target.levels), values


def _by_entries(source: Source, target: TensorFormat) -> Packed:
    format = source.format
    return pack(
        *unpack(*source, keeps_rows(format, target)),
        source.shape,
        target,
        "sum" if format.allows_duplicates else "none",
        is_sorted=_is_sorted_alike(format, target),
    )


# The cheapest first.
_WAYS = (
    Conversion(_shares, lambda source, _: (tuple(source.levels), source.values)),
    Conversion(lambda source, _: source.is_dense, _from_dense, mirrors=True),
    Conversion(lambda _, target: target.is_dense, _to_dense, mirrors=True),
    RUNS,
    LISTS,
    TRANSPOSED,
    MIRRORED,
    through_mirrors(_converted),
    DIAGONALS,
    through_segments(_converted),
    Conversion(lambda _source, _target: True, _by_entries, mirrors=True),
)


@lru_cache(maxsize=1024)
def _ways(source: TensorFormat, target: TensorFormat) -> tuple[Conversion, ...]:
    """The ways in which a tensor of some arrays or other is converted."""
    return tuple([way for way in _WAYS if way.takes(source, target)])


def _is_sorted_alike(source: TensorFormat, target: TensorFormat) -> bool:
    """Whether entries in the storage order of one format are in that of the other."""
    if source.symmetric or target.symmetric:
        return False
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


def change_widths(
    levels: Sequence[LevelStorage], format: TensorFormat, *, fits: bool = False
) -> tuple[LevelStorage, ...]:
    """Levels with integers as wide as the format says; the same arrays if they already are.

    Raises UserError [index-overflow] where a number does not fit, unless it is known that all do.
    """
    return tuple([_with_widths(level, format, number, fits) for number, level in enumerate(levels)])


def _with_widths(level: LevelStorage, format: TensorFormat, number: int, fits: bool) -> LevelStorage:
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
