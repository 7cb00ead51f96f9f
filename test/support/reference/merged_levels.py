"""What merged levels of tensors mean for dense arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from irtensor.dialects.storage.storage import MergeLevelsOp, SplitLevelOp, format_of


def _dimensions(fine: SSAValue, op: MergeLevelsOp | SplitLevelOp) -> tuple[list[int], list[int]]:
    """The dimensions that are one, in the order of their levels, and all with those next to each other."""
    first, count = op.first.value.data, op.count.value.data
    format = format_of(fine.type)
    merged = [level.expression.dimension for level in format.levels[first : first + count]]
    order: list[int] = []
    for dimension in range(format.rank):
        order += merged if dimension == merged[0] else [] if dimension in merged else [dimension]
    return merged, order


def _merged_shape(shape: Sequence[int], merged: Sequence[int]) -> tuple[int, ...]:
    product = math.prod(shape[dimension] for dimension in merged)
    return tuple(product if d == merged[0] else n for d, n in enumerate(shape) if d not in merged[1:])


def merge_array(array: np.ndarray, op: MergeLevelsOp) -> np.ndarray:
    """An operand as it is seen with merged levels."""
    merged, order = _dimensions(op.tensor, op)
    return array.transpose(order).reshape(_merged_shape(array.shape, merged))


def made_by_splits(value: SSAValue) -> tuple[SSAValue, list[SplitLevelOp]]:
    """The tensor that is computed, and what gives it the levels that it is returned with, in this order."""
    splits: list[SplitLevelOp] = []
    while isinstance(value.owner, SplitLevelOp):
        splits.insert(0, value.owner)
        value = value.owner.tensor
    return value, splits


def shape_before(splits: Sequence[SplitLevelOp], shape: Sequence[int]) -> tuple[int, ...]:
    """The shape of what is computed, if that of the result is `shape`."""
    for op in reversed(splits):
        shape = _merged_shape(shape, _dimensions(op.result, op)[0])
    return tuple(shape)


def split_array(array: np.ndarray, splits: Sequence[SplitLevelOp], shape: Sequence[int]) -> np.ndarray:
    """The result, of this shape, from what is computed."""
    for number, op in enumerate(splits):
        fine = shape_before(splits[number + 1 :], shape)
        order = _dimensions(op.result, op)[1]
        array = array.reshape([fine[dimension] for dimension in order]).transpose(np.argsort(order))
    return array
