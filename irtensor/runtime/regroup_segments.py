"""A list of coordinates in segments, as in CSR, put into blocks and taken out of them by compiled code."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from irtensor.frontend.element_types import element_name, is_stored, is_supported
from irtensor.runtime.array_address import array_address
from irtensor.runtime.regroup_segments_code import regrouping_text
from irtensor.runtime.result_memory import RESULT_MEMORY

Array = np.ndarray[Any, np.dtype[Any]]

_POINTER, _NUMBER = ctypes.c_void_p, ctypes.c_int64
# Elements that one call goes through: some 10 ms. Between two calls, Python sees to signals, Ctrl-C among them.
_STRIP = 1 << 21
# Coordinates are divided by multiplication.
_LARGEST = 1 << 31


class Blocks(NamedTuple):
    """Blocks of `height` segments and `width` coordinates each, in which a step of one or the other goes so far."""

    height: int
    width: int
    height_step: int
    width_step: int

    @property
    def size(self) -> int:
        return self.height * self.width


def segments_to_blocks(
    positions: Array, coordinates: Array, values: Array, extent: int, blocks: Blocks, fill: Any
) -> tuple[Array, Array, Array] | None:
    """Positions, coordinates and elements of the blocks that hold an entry; all else in them is the fill value.

    The coordinates of each segment are in order, each once, and below `extent`. None without entries, where
    `extent` is not below 2^31, or where accesses would leave the arrays: only that is checked of the segments.
    """
    segments = positions.size - 1
    if not _are_segments(positions, coordinates.size) or coordinates.size != values.size:
        return None
    if not values.size or max(extent, blocks.width) >= _LARGEST:
        return None
    code = _functions(positions.itemsize, coordinates.itemsize, values.dtype)
    rows = -(-segments // blocks.height)
    ends = np.zeros(rows + 1, positions.dtype)
    given = [np.ascontiguousarray(array) for array in (positions, coordinates, values)]
    cursors = np.empty((blocks.height + 1, 3), np.int64)
    at, crd, vals, to, cursor = [array_address(array) for array in (*given, ends, cursors)]
    inverse = -(-(1 << 63) // blocks.width)
    strips = list(_strips(positions[:: blocks.height], rows, _STRIP))
    for strip in strips:
        if not code.count(at, crd, segments, extent, *blocks[:2], inverse, to, cursor, *strip):
            return None
    count = int(ends.sum(dtype=np.int64))
    if count > np.iinfo(positions.dtype).max:
        return None
    np.cumsum(ends, out=ends)
    numbers = RESULT_MEMORY.empty((count,), coordinates.dtype)
    elements = RESULT_MEMORY.empty((count * blocks.size,), values.dtype)
    filler = np.array([fill], values.dtype)
    new, out, with_fill = [array_address(array) for array in (numbers, elements, filler)]
    is_zero = not filler.tobytes().strip(b"\0")
    arguments = at, crd, vals, segments, *blocks[:2], inverse, *blocks[2:], to, new, out, with_fill, is_zero, cursor
    for strip in strips:
        if not code.gather(*arguments, *strip):
            return None
    return ends, numbers, elements


def blocks_to_segments(
    positions: Array, coordinates: Array, values: Array, segments: int, extent: int, blocks: Blocks, fill: Any
) -> tuple[Array, Array, Array] | None:
    """Positions, coordinates and values of the elements that are not the fill value, by so many segments.

    None where the arrays are not such blocks, or the fill value is a NaN.
    """
    rows = -(-segments // blocks.height)
    is_whole = coordinates.size * blocks.size == values.size and positions.size == rows + 1
    if fill != fill or not is_whole or not _are_segments(positions, coordinates.size):
        return None
    code = _functions(positions.itemsize, coordinates.itemsize, values.dtype)
    ends = np.zeros(segments + 1, positions.dtype)
    numbers = RESULT_MEMORY.empty(values.shape, coordinates.dtype)
    elements = RESULT_MEMORY.empty(values.shape, values.dtype)
    given = [np.ascontiguousarray(array) for array in (positions, coordinates, values)]
    filler = np.array([fill], values.dtype)
    at, crd, vals, to, new, out, without = [array_address(array) for array in (*given, ends, numbers, elements, filler)]
    found = 0
    for first, last in _strips(positions, rows, max(_STRIP // blocks.size, 1)):
        arguments = at, crd, vals, segments, extent, *blocks, to, new, out, without, first, last, found
        found = code.scatter(*arguments)
    kept = slice(None, found)
    # A result that is a part of a much longer array would keep all of that.
    few = 2 * found < values.size
    return ends, numbers[kept].copy() if few else numbers[kept], elements[kept].copy() if few else elements[kept]


def _are_segments(positions: Array, count: int) -> bool:
    """Whether positions go from 0 to a number of elements without a step back."""
    return bool(positions[0] == 0 and positions[-1] == count and (positions[1:] >= positions[:-1]).all())


def _strips(positions: Array, rows: int, size: int) -> Iterator[tuple[int, int]]:
    """Ranges of rows with about so many elements each."""
    ends = np.searchsorted(positions, np.arange(size, int(positions[-1]), size).astype(positions.dtype))
    return pairwise(sorted({0, *(min(int(end), rows) for end in ends), rows}))


class _Functions(NamedTuple):
    count: Any
    gather: Any
    scatter: Any


@cache
def _functions(position: int, coordinate: int, dtype: np.dtype[Any]) -> _Functions:
    from irtensor.runtime.cpu_engine import compiled_once

    kind = dtype.kind if dtype.kind in "fc" else "i"
    if is_supported(dtype) and is_stored(dtype):
        kind = element_name(dtype)
    text = regrouping_text(position, coordinate, kind, dtype.itemsize)
    code = compiled_once(text, "count", effort="light", exports=("gather", "scatter"))
    counted = *(_POINTER,) * 2, *(_NUMBER,) * 5, *(_POINTER,) * 2, *(_NUMBER,) * 2
    gathered = *(_POINTER,) * 3, *(_NUMBER,) * 6, *(_POINTER,) * 4, _NUMBER, _POINTER, *(_NUMBER,) * 2
    scattered = *(_POINTER,) * 3, *(_NUMBER,) * 6, *(_POINTER,) * 4, *(_NUMBER,) * 3
    return _Functions(
        code.exported("count", ctypes.c_bool, *counted),
        code.exported("gather", ctypes.c_bool, *gathered),
        code.exported("scatter", _NUMBER, *scattered),
    )
