"""Conversion between levels of runs in time of the runs, and runs of results joined."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irtensor.core.tensor_format import TensorFormat
from irtensor.levels.level_stores import LEVEL_STORES
from irtensor.storage.element_types import fill_element, same_bits
from irtensor.storage.level_storage import Array, LevelStorage
from irtensor.storage.pack_coordinates import Packed
from irtensor.storage.run_store import RunStore


def convert_runs(
    shape: tuple[int, ...], source: TensorFormat, levels: Sequence[LevelStorage], values: Array, target: TensorFormat
) -> Packed | None:
    """The tensor in a format that differs in the innermost level, where that has runs in both; else None.

    Runs that touch and have equal values are joined, and a level with gaps stores no runs of the fill value.
    """
    given, wanted = _runs_of(source), _runs_of(target)
    if given is None or wanted is None or source.structure[:-1] != target.structure[:-1]:
        return None
    if source.levels[-1].expression != target.levels[-1].expression:
        return None
    return _with_runs(given, wanted, shape, levels, values, target)


def joined_runs(
    shape: tuple[int, ...], format: TensorFormat, levels: Sequence[LevelStorage], values: Array
) -> Packed | None:
    """The tensor with neighbouring runs of equal values joined, and without runs of the fill value where there may be
    gaps; None if there are none of either."""
    store = _runs_of(format)
    assert store is not None
    packed = _with_runs(store, store, shape, levels, values, format)
    return None if packed[1].size == values.size else packed


def _with_runs(
    given: RunStore,
    wanted: RunStore,
    shape: tuple[int, ...],
    levels: Sequence[LevelStorage],
    values: Array,
    target: TensorFormat,
) -> Packed:
    number = len(levels) - 1
    runs = given.runs_of(levels[-1], target, number, target.level_extent(number, shape))
    fill = fill_element(target, values.dtype)
    if not target.levels[-1].format.pattern.full:
        kept = np.flatnonzero(~same_bits(values, fill))
        runs, values = runs.selected(kept), values[kept]
    starts = runs.starts_of_equal(values)
    level, at, count = wanted.level_of(runs.joined(starts))
    stored = np.full(count, fill, values.dtype)
    stored[at] = values[starts]
    return (*levels[:-1], level), stored


def _runs_of(format: TensorFormat) -> RunStore | None:
    """The store of the innermost level, if that is one of runs."""
    store = LEVEL_STORES.get(format.levels[-1].format.name) if format.levels else None
    return store if isinstance(store, RunStore) else None
