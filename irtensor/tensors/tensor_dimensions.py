"""Tensors with other dimensions, without a look at their values: permuted, of extent one, and diagonals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.core.level_format import LevelFormat
from irtensor.core.storage_levels import Level, LevelExpression
from irtensor.core.tensor_format import TensorFormat
from irtensor.core.wide_formats import with_widths_of
from irtensor.frontend.arguments import as_integer
from irtensor.named_formats import CSF
from irtensor.storage.level_storage import DENSE_LEVEL
from irtensor.storage.make_tensors import tensor_of_array, tensor_of_entries
from irtensor.storage.stored_tensor import StoredTensor, of_arrays


def transposed(tensor: StoredTensor, axes: Sequence[int]) -> StoredTensor:
    """The tensor whose dimension k is dimension `axes[k]` of this one. The arrays are shared."""
    numbers = {axis: k for k, axis in enumerate(axes)}
    # Symmetric dimensions keep their order, in which the stored coordinates do not decrease.
    symmetric = tensor.format.symmetric
    numbers |= zip(symmetric, sorted([numbers[axis] for axis in symmetric]), strict=True)
    format = replace_levels(tensor.format, len(axes), _renamed(tensor.format, numbers), numbers)
    return of_arrays(type(tensor), tuple(tensor.shape[axis] for axis in axes), format, tensor.levels, tensor.values)


def without_dimensions(tensor: StoredTensor, dimensions: Sequence[int]) -> StoredTensor:
    """The tensor without these dimensions, each of extent one."""
    kept = [k for k in range(tensor.ndim) if k not in dimensions]
    if not set(dimensions).isdisjoint(tensor.format.symmetric):
        tensor = tensor.whole
    if not kept:
        # Whether a scalar is true is a value.
        tensor = tensor.to_format(tensor.format.with_values)
    shape, format = tuple(tensor.shape[k] for k in kept), tensor.format
    gone = [number for number, level in enumerate(format.levels) if _dimensions(level) & set(dimensions)]
    # A level of a dense dimension of extent one says nothing.
    if all(format.levels[number].format.properties.is_array and _is_whole(format.levels[number]) for number in gone):
        numbers = {k: number for number, k in enumerate(kept)}
        levels = _renamed(format, numbers, [level for n, level in enumerate(format.levels) if n not in gone])
        storage = tuple(level for n, level in enumerate(tensor.levels) if n not in gone)
        fewer = replace_levels(format, len(kept), levels, numbers)
        return of_arrays(type(tensor), shape, fewer, storage, tensor.values)
    coordinates, values = tensor.to_coo()
    return from_entries(coordinates[kept], values, shape, tensor)


def with_dimensions(tensor: StoredTensor, dimensions: Sequence[int]) -> StoredTensor:
    """The tensor with further dimensions of extent one, which in the result have these numbers; arrays are shared."""
    rank = tensor.ndim + len(dimensions)
    kept = [k for k in range(rank) if k not in dimensions]
    extents = iter(tensor.shape)
    shape = tuple(1 if k in dimensions else next(extents) for k in range(rank))
    outer = [Level(LevelExpression(k), LevelFormat("dense")) for k in dimensions]
    numbers = dict(enumerate(kept))
    format = replace_levels(tensor.format, rank, [*outer, *_renamed(tensor.format, numbers)], numbers)
    return of_arrays(type(tensor), shape, format, (DENSE_LEVEL,) * len(outer) + tuple(tensor.levels), tensor.values)


def diagonal(tensor: StoredTensor, offset: int, first: int, second: int) -> StoredTensor:
    """Entries whose coordinates differ by `offset` in two dimensions. The result has one, its last, instead of the two.

    Raises UserError [rank-mismatch].
    """
    coordinates, values = tensor.to_coo()
    rows, columns = coordinates[first], coordinates[second]
    kept = columns - rows == offset
    others = [k for k in range(tensor.ndim) if k not in (first, second)]
    start = max(-offset, 0)
    length = max(min(tensor.shape[first] - start, tensor.shape[second] - max(offset, 0)), 0)
    entries = np.stack([*(coordinates[k][kept] for k in others), rows[kept] - start])
    return from_entries(entries, values[kept], (*(tensor.shape[k] for k in others), length), tensor)


def from_entries(coordinates: Any, values: Any, shape: tuple[int, ...], like: StoredTensor) -> StoredTensor:
    """A tensor with a list per dimension, and the fill value and index widths of another."""
    format = with_widths_of(CSF(len(shape)).with_fill(like.format.fill), like.format)
    if not shape:
        return tensor_of_array(values[0] if values.size else like.fill_value, format)
    return tensor_of_entries(coordinates, values, shape=shape, format=format)


def replace_levels(format: TensorFormat, rank: int, levels: Sequence[Level], numbers: dict[int, int]) -> TensorFormat:
    """A format of other levels with the fill and widths of `format`, whose dimensions have other numbers."""
    symmetric = tuple(numbers[one] for one in format.symmetric)
    widths = (format.position_width, format.coordinate_width)
    return TensorFormat(rank, tuple(levels), format.fill, *widths, symmetric, format.is_pattern)


def _renamed(format: TensorFormat, numbers: dict[int, int], levels: Sequence[Level] | None = None) -> list[Level]:
    """Levels with other numbers of their dimensions."""

    def renamed(expression: LevelExpression) -> LevelExpression:
        other = None if expression.other is None else numbers[expression.other]
        return replace(expression, dimension=numbers[expression.dimension], other=other)

    chosen = format.levels if levels is None else levels
    return [replace(level, expression=renamed(level.expression)) for level in chosen]


def _dimensions(level: Level) -> set[int]:
    expression = level.expression
    return {expression.dimension} if expression.other is None else {expression.dimension, expression.other}


def _is_whole(level: Level) -> bool:
    return level.expression.form == "whole"


def check_axis(axis: Any, rank: int) -> int:
    """A dimension as a number from 0. Raises UserError [bad-argument]."""
    number = as_integer("axis", axis)
    if not -rank <= number < rank:
        help = f"dimensions are {-rank} to {rank - 1}" if rank else "a tensor of rank 0 has no dimensions"
        raise UserError("bad-argument", f"axis {number} is none of a tensor of rank {rank}", help=help)
    return number % rank
