"""Unique levels above singletons: which stored tensors have one child for each of their coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from irtensor.core.tensor_format import TensorFormat
from irtensor.storage.level_storage import Array, LevelStorage
from irtensor.storage.listed_ranges import numbers_of_segments
from irtensor.storage.packing import refuse_several_children
from irtensor.storage.sort_coordinates import sorted_order


def levels_with_one_child(format: TensorFormat) -> tuple[int, ...]:
    """The unique levels that list coordinates with one position each in the level below."""
    levels = [level.format for level in format.levels]
    return tuple(
        number
        for number, (level, below) in enumerate(pairwise(levels))
        if level.unique and level.properties.has_coordinates and below.pattern.branchless
        if below.properties.has_coordinates and not level.properties.equal_segments
    )


def check_children(format: TensorFormat, levels: Sequence[LevelStorage], unique: Sequence[int]) -> None:
    """Raise UserError [format-mismatch] where a coordinate of one of the levels `unique` is stored several times.

    Whether that happens depends on what a kernel computes: it appends whole entries.
    """
    for level in unique:
        first = level
        while levels[first].positions is None:
            first -= 1
        positions = levels[first].positions
        # Differences of narrow numbers may not be as narrow.
        coordinates = [one.coordinates for one in levels[first : level + 1] if one.coordinates is not None]
        listed = [one.astype(np.int64, copy=False) for one in coordinates]
        assert positions is not None
        keys: list[Array] = [numbers_of_segments(positions), *listed]
        bounds = [int(key.max()) - min(int(key.min()), 0) + 1 if key.size else 1 for key in keys]
        shifted = [key - min(int(key.min()), 0) if key.size else key for key in keys]
        order = sorted_order(shifted, bounds)
        refuse_several_children(format, level, keys if order is None else [key[order] for key in keys])
