"""NumPy arrays as the values of all-dense formats and back, as views where the layout allows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from irtensor.core.tensor_format import TensorFormat
from irtensor.storage.level_storage import Array
from irtensor.storage.packing import check_size


def dense_values(array: Array, format: TensorFormat, fill: Any) -> Array:
    """Values of `array` stored in an all-dense format: a view if memory is in level order already."""
    if format.is_row_major:
        return np.ascontiguousarray(array).reshape(-1)
    if not format.is_blocked:
        return np.ascontiguousarray(array.transpose(format.dimension_order)).reshape(-1)
    factors = _block_factors(format)
    padding = [(0, -extent % factors[dimension]) for dimension, extent in enumerate(array.shape)]
    if any(after for _, after in padding):
        padded = [extent + after for extent, (_, after) in zip(array.shape, padding, strict=True)]
        check_size(math.prod(padded), array.dtype, format)
        array = np.pad(array, padding, constant_values=fill)
    split, axes = _split_axes(array.shape, format)
    order = [axes[level.expression.dimension, level.expression.form] for level in format.levels]
    return np.ascontiguousarray(array.reshape(split).transpose(order)).reshape(-1)


def dense_array(values: Array, format: TensorFormat, shape: tuple[int, ...]) -> Array:
    """The array that an all-dense format stores; a view of `values` unless blocks have to be joined."""
    extents = [format.level_extent(level, shape) for level in range(len(format.levels))]
    if not format.is_blocked:
        return values.reshape(extents).transpose(np.argsort(format.dimension_order))
    factors = _block_factors(format)
    padded = tuple(-(-extent // factors[dimension]) * factors[dimension] for dimension, extent in enumerate(shape))
    _, axes = _split_axes(padded, format)
    order = [axes[level.expression.dimension, level.expression.form] for level in format.levels]
    joined = values.reshape(extents).transpose(np.argsort(order)).reshape(padded)
    return joined[tuple(slice(extent) for extent in shape)]


def _block_factors(format: TensorFormat) -> dict[int, int]:
    return {level.expression.dimension: level.expression.factor for level in format.levels}


def _split_axes(shape: tuple[int, ...], format: TensorFormat) -> tuple[list[int], dict[tuple[int, str], int]]:
    """A shape with each blocked dimension as two axes, and the axis of each level expression."""
    split: list[int] = []
    axes: dict[tuple[int, str], int] = {}
    for dimension, extent in enumerate(shape):
        expressions = [level.expression for level in format.levels if level.expression.dimension == dimension]
        for expression in expressions:
            axes[dimension, expression.form] = len(split)
            split.append(expression.factor if expression.form == "mod" else extent // expression.factor)
    return split, axes
