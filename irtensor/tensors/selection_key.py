"""Reads what stands in the brackets of `T[...]` as NumPy does: integers, slices, None, an ellipsis and arrays."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index as as_index
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from irtensor.core.diagnostics import UserError

_HELP = "a tensor is indexed by integers, slices, None, an ellipsis, arrays of integers or booleans, or index variables"


class Range(NamedTuple):
    """The coordinates `start`, `start + step` and so on along a dimension, `length` of them, as a dimension."""

    start: int
    step: int
    length: int


class Listed(NamedTuple):
    """The coordinates in an array along a dimension, whose dimensions are the last of those of all arrays together."""

    array: np.ndarray


Part: TypeAlias = int | Range | Listed


class Selection(NamedTuple):
    """The elements to take of a tensor: a part for each of its dimensions.

    `order` has the dimensions of the result. A number stands for the range along that dimension of the tensor, `~k` for
    dimension `k` of the arrays, None for a new dimension of extent one. `shape` is that of all arrays together.
    """

    parts: tuple[Part, ...]
    order: tuple[int | None, ...]
    shape: tuple[int, ...]


def read_selection(key: Any, shape: Sequence[int]) -> Selection:
    """What a key takes of a tensor of a shape. Raises UserError [unsupported-index], [rank-mismatch],
    [index-out-of-range], [extent-mismatch].
    """
    items = _with_whole_ranges(_split(key), shape)
    parts: list[Part] = []
    # What stands for each item in the result: a dimension of the tensor, None, or `~0` for all arrays at once.
    order: list[int | None] = []
    gap = 0
    has_arrays = any(isinstance(one, np.ndarray) for one in items)
    for item in items:
        if item is None:
            order.append(None)
            continue
        if item is Ellipsis:
            # Arrays on both sides of it are apart, also where it stands for no dimension.
            gap = len(order)
            continue
        dimension = len(parts)
        if isinstance(item, slice):
            parts.append(_range(item, shape[dimension]))
            order.append(dimension)
            continue
        # Beside arrays, an integer is an array of rank 0.
        if has_arrays:
            order.append(~0)
        if isinstance(item, np.ndarray):
            parts.append(Listed(_inside(item, shape[dimension], dimension)))
        else:
            parts.append(int(_inside(np.asarray(item), shape[dimension], dimension)))
    common = _common_shape([one.array for one in parts if isinstance(one, Listed)])
    return Selection(tuple(parts), _placed(order, gap, len(common)), common)


def _split(key: Any) -> list[Any]:
    """The items of a key: None, slices, an ellipsis, integers, and arrays of integers in place of all others."""
    found: list[Any] = []
    for item in key if isinstance(key, tuple) else (key,):
        if item is None or item is Ellipsis or isinstance(item, slice):
            found.append(item)
        elif isinstance(item, bool | np.bool_ | str | bytes):
            raise UserError("unsupported-index", f"{item!r} is not an index", help=_HELP)
        elif (number := _integer(item)) is not None:
            found.append(number)
        else:
            found += _arrays(item)
    return found


def _integer(item: Any) -> int | None:
    if isinstance(item, np.ndarray) and item.ndim:
        return None
    try:
        return as_index(item)
    except TypeError:
        return None


def _arrays(item: Any) -> list[Any]:
    """The arrays of coordinates that an item stands for: itself, or those at which an array of booleans is true."""
    if getattr(item, "has_indices", False) and item.dtype == np.bool_ and not item.fill_value:
        coordinates, values = item.to_coo()
        kept = coordinates[:, values]
        return [_Mask.of(row, item.shape, k) for k, row in enumerate(kept[:, np.lexsort(kept[::-1])])]
    try:
        array = np.asarray(item.to_numpy() if hasattr(item, "to_numpy") else item)
    except ValueError:
        raise UserError("unsupported-index", "the parts of an index differ in length", help=_HELP) from None
    if array.size == 0 and array.dtype == np.float64 and isinstance(item, list):
        array = array.astype(np.int64)
    if array.dtype == np.bool_:
        if not array.ndim:
            raise UserError("unsupported-index", f"{array[()]!r} is not an index", help=_HELP)
        return [_Mask.of(row, array.shape, k) for k, row in enumerate(array.nonzero())]
    if array.dtype.kind not in "iu":
        raise UserError("unsupported-index", f"an index of {array.dtype} is not a coordinate", help=_HELP)
    return [array]


class _Mask(np.ndarray):
    """Coordinates at which an array of booleans is true, which is as long as the dimension has to be."""

    extent: int | None = None

    @staticmethod
    def of(row: np.ndarray, shape: Sequence[int], dimension: int) -> np.ndarray:
        mask = row.view(_Mask)
        mask.extent = shape[dimension]
        return mask


def _with_whole_ranges(items: list[Any], shape: Sequence[int]) -> list[Any]:
    """The items with one for each dimension: an ellipsis, or the end, stands for whole ranges."""
    ellipses = [k for k, item in enumerate(items) if item is Ellipsis]
    if len(ellipses) > 1:
        raise UserError("unsupported-index", "two ellipses do not say which dimensions are whole", help="write one")
    used = sum(1 for item in items if item is not None and item is not Ellipsis)
    if used > len(shape):
        dimensions = "dimension" if len(shape) == 1 else "dimensions"
        message = f"{used} indices for a tensor of {len(shape)} {dimensions}"
        raise UserError("rank-mismatch", message, help="None in an index adds a dimension")
    whole = [slice(None)] * (len(shape) - used)
    where = ellipses[0] if ellipses else len(items)
    return [*items[:where], *whole, *items[where:]]


def _range(item: slice, extent: int) -> Range:
    try:
        start, stop, step = item.indices(extent)
    except TypeError:
        message = f"{item} has an end or a step other than an integer"
        raise UserError("unsupported-index", message, help=_HELP) from None
    except ValueError:
        message = "the step of a slice is 0"
        raise UserError("unsupported-index", message, help="write 1, or -1 to go backwards") from None
    return Range(start, step, len(range(start, stop, step)))


def _inside(array: np.ndarray, extent: int, dimension: int) -> np.ndarray:
    """Coordinates counted from 0, also those that were counted from the end."""
    own = getattr(array, "extent", None)
    if own is not None and own != extent:
        message = f"an array of booleans has {own} elements along dimension {dimension}, which has {extent}"
        raise UserError("extent-mismatch", message)
    if array.size:
        for end in (int(array.min()), int(array.max())):
            if not -extent <= end < extent:
                message = f"coordinate {end} is outside of dimension {dimension}, which has {extent} elements"
                raise UserError("index-out-of-range", message, help="negative ones count from the end")
    plain = np.asarray(array).astype(np.int64)
    return np.where(plain < 0, plain + extent, plain) if plain.size and plain.min() < 0 else plain


def _common_shape(arrays: Sequence[np.ndarray]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*[one.shape for one in arrays])
    except ValueError:
        shapes = " and ".join(str(one.shape) for one in arrays)
        help = "their extents are equal or 1; numpy.ix_ gives each array a dimension of its own"
        raise UserError(
            "extent-mismatch", f"arrays of coordinates of shapes {shapes} do not broadcast", help=help
        ) from None


def _placed(order: Sequence[int | None], gap: int, rank: int) -> tuple[int | None, ...]:
    """The dimensions of arrays where these stand side by side, else in front, as NumPy has them."""
    where = [k for k, one in enumerate(order) if one == ~0]
    if not where:
        return tuple(order)
    of_arrays = [~k for k in range(rank)]
    is_together = where[-1] - where[0] + 1 == len(where) and not where[0] < gap <= where[-1]
    first = where[0] if is_together else 0
    before = [one for one in order[:first]]
    after = [one for one in order[first:] if one != ~0]
    return (*before, *of_arrays, *after)
