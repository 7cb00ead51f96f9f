"""How many positions the levels of a result have: from extents, or as its arrays say."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from irtensor.core.tensor_format import TensorFormat
from irtensor.levels.level_stores import LEVEL_STORES


class PositionCounts:
    """The numbers of positions in tensors of one format."""

    def __init__(self, format: TensorFormat) -> None:
        self.format = format
        self._stores = [
            store.at(format, number) if (store := LEVEL_STORES.get(level.format.name)) is not None else None
            for number, level in enumerate(format.levels)
        ]
        self._is_computed = any(level.format.access.computed for level in format.levels)

    def below(self, parents: int, extents: Sequence[int], begin: int, end: int) -> int:
        """How many the last of the levels from `begin` up to `end` has at most, if those above have so many."""
        if not self._is_computed:
            return parents * prod(extents[begin:end])
        for number in range(begin, end):
            store = self._stores[number]
            parents = parents * extents[number] if store is None else store.positions(parents, extents[number])
        return parents

    def of_index(self, levels: Sequence[Any], shape: tuple[int, ...]) -> int:
        """How many the innermost level has: the levels are those of a tensor, in memory of the host or of a GPU."""
        count = 1
        extents = [self.format.level_extent(number, shape) for number in range(len(levels))]
        for number, level in enumerate(levels):
            properties = self.format.levels[number].format.properties
            if level.coordinates is not None:
                count = level.coordinates.size
            elif properties.has_known_positions:
                count = self.below(count, extents, number, number + 1)
            else:
                delimiters = [array.name for array in properties.arrays if array.length in ("segments", "bounds")]
                found = level.array(delimiters[-1])
                count = int((found if isinstance(found, np.ndarray) else found.to_numpy())[-1])
        return count
