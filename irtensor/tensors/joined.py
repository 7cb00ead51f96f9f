"""Tensors one behind the other along the dimension of their outermost level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from irtensor.core.coordinate_format import coordinate_format
from irtensor.core.tensor_format import TensorFormat
from irtensor.named_formats import CSF
from irtensor.storage.level_storage import DENSE_LEVEL, LevelStorage, index_dtypes
from irtensor.storage.stored_tensor import StoredTensor, of_arrays
from irtensor.tensors.tensor_dimensions import replace_levels
from irtensor.tensors.wide_results import wide_enough

_JOINED = ("dense", "compressed")


def outermost_format(format: TensorFormat, dimension: int) -> TensorFormat:
    """The format nearest to another in which tensors can be joined, and taken apart, along a dimension: its level is
    the outermost, and all levels are dense or lists."""
    levels = format.whole.with_values.levels
    plain = all(level.expression.form == "whole" and level.format.name in _JOINED for level in levels)
    if not plain or not all(level.format.unique and level.format.ordered for level in levels):
        rank = format.rank
        is_coo = format.structure == coordinate_format(rank).structure
        if is_coo and not dimension:
            return format
        widths = (max(format.position_width, 32), max(format.coordinate_width, 32))
        return outermost_format(CSF(rank).with_fill(format.fill).with_widths(*widths), dimension)
    first = [level for level in levels if level.expression.dimension == dimension]
    rest = [level for level in levels if level.expression.dimension != dimension]
    if first[0] is levels[0]:
        return format.whole.with_values
    # Kinds of levels stay where they are, so that CSR becomes CSC.
    moved = [type(one)(level.expression, one.format) for one, level in zip(levels, [*first, *rest], strict=True)]
    return replace_levels(format.whole.with_values, format.rank, moved, {})


def joined(tensors: Sequence[StoredTensor], dimension: int) -> StoredTensor:
    """Tensors in one format of `outermost_format`, of equal extents in all other dimensions, as one."""
    first = tensors[0]
    format, shape = first.format, list(first.shape)
    shape[dimension] = sum(one.shape[dimension] for one in tensors)
    format = wide_enough(format, tuple(shape), tuple([one.format for one in tensors]))
    if sum(one.values.size for one in tensors) > np.iinfo(np.int32).max:
        format = format.with_widths(64, format.coordinate_width)
    held = [one.held() for one in tensors]
    levels: list[LevelStorage] = []
    for number, level in enumerate(format.levels):
        if level.format.name == "dense":
            levels.append(DENSE_LEVEL)
            continue
        position_type, coordinate_type = index_dtypes(format, number)
        stored = [one.levels[number] for one in held]
        starts = np.cumsum([0, *(one.shape[dimension] for one in tensors)]) if number == 0 else None
        coordinates = _coordinates(stored, starts, coordinate_type)
        arrays: dict[str, Any] = {"coordinates": coordinates}
        if level.format.name == "compressed":
            ends = np.array([0, len(coordinates)], position_type)
            arrays = {"positions": _positions(stored, position_type) if number else ends, **arrays}
        levels.append(LevelStorage.of(arrays))
    values = np.concatenate([one.values for one in held])
    return of_arrays(type(first), tuple(shape), format, tuple(levels), values).made_of(*tensors)


def _coordinates(levels: Sequence[LevelStorage], starts: Any, dtype: np.dtype) -> np.ndarray:
    parts: list[Any] = [level.coordinates for level in levels]
    if starts is not None:
        parts = [part.astype(dtype) + dtype.type(start) for part, start in zip(parts, starts, strict=False)]
    return np.concatenate(parts).astype(dtype, copy=False)


def _positions(levels: Sequence[LevelStorage], dtype: np.dtype) -> np.ndarray:
    """Where segments begin: those of each tensor behind all of the ones before."""
    parts: list[np.ndarray] = [np.zeros(1, dtype)]
    behind = 0
    for level in levels:
        positions: Any = level.positions
        parts.append(positions[1:].astype(dtype) + dtype.type(behind))
        behind += int(positions[-1])
    return np.concatenate(parts)
