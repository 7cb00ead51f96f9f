"""The levels below some positions, in another order of these, with new positions that have no entry below them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irtensor.core.level_properties import LevelProperties
from irtensor.core.tensor_format import TensorFormat
from irtensor.storage.element_types import fill_element, same_bits
from irtensor.storage.level_storage import Array, LevelStorage
from irtensor.storage.listed_ranges import listed_ranges


def can_take(properties: LevelProperties) -> bool:
    """Whether a level is an array, or one of segments that may be empty, with other arrays for entries alone."""
    if properties.is_array:
        return True
    others = [array for array in properties.arrays if not array.is_per_entry]
    segments = len(others) == 1 and properties.has_segments and others[0].name == "positions"
    return segments and not properties.pattern.full and not properties.pattern.unordered


def occupied(
    shape: tuple[int, ...], format: TensorFormat, number: int, levels: Sequence[LevelStorage], values: Array
) -> Array:
    """Which positions of the level above `number` have an entry below them; those of arrays differ from the fill."""
    innermost = format.levels[-1].format.properties
    is_there = (
        ~same_bits(values, fill_element(format, values.dtype)) if innermost.is_array else np.ones(values.size, bool)
    )
    for level, own in reversed([*zip(levels[number:], format.levels[number:], strict=True)]):
        if own.format.properties.is_array:
            extent = format.level_extent(own, shape)
            is_there = np.logical_or.reduce(is_there.reshape(-1, extent), axis=1)
        else:
            counts = np.concatenate([[0], np.cumsum(is_there)])[level.array("positions")]
            is_there = counts[1:] > counts[:-1]
    return is_there


def taken(
    shape: tuple[int, ...],
    format: TensorFormat,
    number: int,
    levels: Sequence[LevelStorage],
    values: Array,
    source: Array,
) -> tuple[list[LevelStorage], Array]:
    """The levels from `number` on, and the values, where the level above has the positions `source`; -1 is a new one.

    Takes time for their positions and for the entries below.
    """
    made = list[LevelStorage]()
    for level, own in zip(levels[number:], format.levels[number:], strict=True):
        if own.format.properties.is_array:
            extent = format.level_extent(own, shape)
            spread = source[:, np.newaxis] * extent + np.arange(extent)
            source = np.where(source[:, np.newaxis] < 0, -1, spread).reshape(-1)
            made.append(level)
            continue
        positions, safe = level.array("positions"), np.maximum(source, 0)
        # There may be no position at all above that held anything.
        lengths = np.where(source < 0, 0, np.diff(positions, append=positions[-1])[safe])
        source, _ = listed_ranges(positions[safe].astype(np.int64), lengths)
        arrays = {name: array[source] for name, array in level.named().items() if name != "positions"}
        ends = np.concatenate([[0], np.cumsum(lengths)]).astype(positions.dtype)
        made.append(LevelStorage.of({"positions": ends, **arrays}))
    filled = np.full(source.size, fill_element(format, values.dtype), values.dtype)
    filled[source >= 0] = values[source[source >= 0]]
    return made, filled
