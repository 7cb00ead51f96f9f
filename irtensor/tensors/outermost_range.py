"""A range of the outermost level of a tensor, which shares the values and coordinates in it."""

from __future__ import annotations

import numpy as np

from irtensor.core.storage_levels import Level
from irtensor.storage.level_storage import DENSE_LEVEL, LevelStorage
from irtensor.storage.stored_tensor import StoredTensor, of_arrays


def outermost_range(tensor: StoredTensor, dimension: int, start: int, stop: int) -> StoredTensor | None:
    """The elements with coordinates from `start` to `stop` along a dimension.

    None unless the dimension is that of the outermost level, and all levels are dense or lists.
    """
    levels = tensor.format.levels
    if tensor.format.symmetric or tensor.format.is_pattern or not all(map(_is_array_or_list, levels)):
        return None
    if levels[0].expression.dimension != dimension:
        return None
    held = tensor.held()
    low, high, stored = start, stop, [DENSE_LEVEL]
    if levels[0].format.name == "compressed":
        coordinates = held.levels[0].coordinates
        if coordinates is None or not levels[0].format.ordered:
            return None
        low, high = (int(found) for found in np.searchsorted(coordinates, [start, stop]))
        stored = [_list_of(held.levels[0], low, high, start)]
    for number in range(1, len(levels)):
        level, name = held.levels[number], levels[number].format.name
        if name == "dense":
            extent = tensor.format.level_extent(number, tensor.shape)
            low, high = low * extent, high * extent
            stored.append(level)
        elif name == "compressed":
            positions = _array(level.positions)[low : high + 1]
            low, high = int(positions[0]), int(positions[-1])
            named = {"positions": positions - positions[0], "coordinates": _array(level.coordinates)[low:high]}
            stored.append(LevelStorage.of(named))
        else:
            stored.append(LevelStorage.of({"coordinates": _array(level.coordinates)[low:high]}))
    shape = tuple(stop - start if k == dimension else extent for k, extent in enumerate(tensor.shape))
    return of_arrays(type(tensor), shape, tensor.format, tuple(stored), held.values[low:high]).made_of(tensor)


def _is_array_or_list(level: Level) -> bool:
    return level.expression.form == "whole" and level.format.name in ("dense", "compressed", "singleton")


def _array(array: np.ndarray | None) -> np.ndarray:
    assert array is not None
    return array


def _list_of(level: LevelStorage, low: int, high: int, start: int) -> LevelStorage:
    coordinates, positions = _array(level.coordinates)[low:high], _array(level.positions)
    if start:
        coordinates = coordinates - coordinates.dtype.type(start)
    return LevelStorage.of({"positions": np.array([0, high - low], positions.dtype), "coordinates": coordinates})
