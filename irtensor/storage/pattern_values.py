"""Tensors without values, whose stored elements are all true: `leaf = pattern`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.core.tensor_format import TensorFormat
from irtensor.storage.level_storage import Array, LevelStorage
from irtensor.storage.unpack_coordinates import stored_coordinates, stored_positions

_TRUE = np.True_
_BOOL = np.dtype(np.bool_)


def true_values(count: int) -> Array:
    """So many true elements that take no memory; they cannot be changed."""
    return np.broadcast_to(_TRUE, (count,))


def is_true_values(values: Array) -> bool:
    """Whether these are elements that take no memory."""
    return values.dtype == _BOOL and values.strides == (0,)


def check_pattern_dtype(format: TensorFormat, dtype: Any, subject: str) -> None:
    """Raise UserError [unsupported-dtype] unless elements of a type can be stored in a format."""
    if format.is_pattern and dtype != _BOOL:
        message = f"{subject} has dtype {dtype}, and a format with leaf = pattern stores bools"
        help = f"convert it with .astype(bool), or use the format with values: '{format.with_values}'"
        raise UserError("unsupported-dtype", message, help=help)


def true_entries(coordinates: Sequence[Array], values: Array) -> tuple[list[Array], Array]:
    """The entries that are true: an entry of a pattern is."""
    if values.all():
        return list(coordinates), values
    return [row[values] for row in coordinates], values[values]


def check_all_true(shape: Sequence[int], format: TensorFormat, levels: Sequence[LevelStorage], values: Array) -> None:
    """Raise UserError [format-mismatch] where levels store an element of a pattern that is false.

    They do where they have all elements of a dimension, a block or a range.
    """
    if values.all():
        return
    shape = tuple(shape)
    stored = stored_positions(shape, format, levels)
    wrong = np.flatnonzero(~values if stored is None else ~values & (stored != 0))
    rows = stored_coordinates(shape, format, levels, values.size, wrong).dimensions
    # Slots of diagonals outside of the shape are not elements. In the padding of blocks there are some.
    padded = format.padded_dimensions(shape)
    pairs = [
        (row, extent) for number, (row, extent) in enumerate(zip(rows, shape, strict=True)) if number not in padded
    ]
    elements = np.logical_and.reduce([(row >= 0) & (row < extent) for row, extent in pairs]) if pairs else wrong >= 0
    if not elements.any():
        return
    at = int(np.argmax(elements))
    coordinate = tuple(int(row[at]) for row in rows)
    outside = any(one >= extent for one, extent in zip(coordinate, shape, strict=True))
    problem = f"{coordinate} lies in the padding of a block" if outside else f"the element at {coordinate} is false"
    full = [one.format.pattern.full or not one.format.pattern.branchless for one in format.levels]
    number = len(full) - 1 - full[::-1].index(True)
    message = f"level {number} ({format.level_text(number)}) of a pattern is true at all elements it has, but {problem}"
    help = f"store that dimension in a compressed level, or use the format with values: '{format.with_values}'"
    raise UserError("format-mismatch", message, help=help)
