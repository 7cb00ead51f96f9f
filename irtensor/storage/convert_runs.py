"""Conversion between levels of runs in time of the runs, and runs of results joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from irtensor.core.tensor_format import TensorFormat
from irtensor.levels.level_stores import LEVEL_STORES, store_of
from irtensor.storage.element_types import fill_element, same_bits
from irtensor.storage.level_storage import Array, LevelStorage
from irtensor.storage.pack_coordinates import Packed
from irtensor.storage.packed_runs import Runs
from irtensor.storage.packing import fiber_text, refuse_level
from irtensor.storage.run_store import PieceStore
from irtensor.storage.taken_positions import can_take, occupied, taken


def convert_runs(
    shape: tuple[int, ...],
    source: TensorFormat,
    levels: Sequence[LevelStorage],
    values: Array,
    target: TensorFormat,
    joins: bool = True,
) -> Packed | None:
    """The tensor in a format that differs in levels that have runs in both; else None.

    Runs of an innermost level that touch and have equal values are joined, unless `joins` is false, and a level with
    gaps stores none of the fill value that one without gaps had to store. The runs of other levels stay apart.
    Raises UserError [format-mismatch] where a level does not hold the runs.
    """
    pairs = zip(source.structure, target.structure, strict=False)
    changed = [number for number, (given, wanted) in enumerate(pairs) if given != wanted]
    if len(source.levels) != len(target.levels) or not all(_may_change(shape, source, target, one) for one in changed):
        return None
    if not changed:
        return None
    packed: Packed | None = (tuple(levels), values)
    for number in changed:
        store = _runs_of(source, number)
        # The levels above are those of the target by now.
        given = replace(target, levels=(*target.levels[:number], *source.levels[number:]))
        wanted = replace(target, levels=(*target.levels[: number + 1], *source.levels[number + 1 :]))
        assert store is not None
        drops = given.levels[number].format.pattern.full
        make = partial(_with_runs, joins=joins) if number + 1 == len(levels) else _moved
        if (packed := make(store, shape, number, *packed, wanted, drops)) is None:
            return None
    return packed


def joined_runs(
    shape: tuple[int, ...], format: TensorFormat, levels: Sequence[LevelStorage], values: Array
) -> Packed | None:
    """The tensor with neighbouring runs of equal values joined, and without runs of the fill value where there may be
    gaps; None if there are none of either."""
    if (store := _runs_of(format, len(levels) - 1)) is None:
        return None
    packed = _with_runs(store, shape, len(levels) - 1, levels, values, format, True)
    return None if packed[1].size == values.size else packed


def runs_with_values(
    format: TensorFormat, shape: tuple[int, ...], wanted: LevelStorage, level: LevelStorage, values: Array
) -> Array | None:
    """The values of a level of runs for the runs of another level below the same parents; None where one of these is
    not inside of a run, or the level has none."""
    number = len(format.levels) - 1
    if (store := _runs_of(format, number)) is None:
        return None
    extent = format.level_extent(number, shape)
    inner, outer = (store.runs_of(one, format, number, extent) for one in (wanted, level))
    count = outer.owners.size
    keys = [np.concatenate([getattr(outer, name), getattr(inner, name)]) for name in ("begins", "owners")]
    # Of runs that begin at one coordinate, an empty one is before that which has elements.
    order = np.lexsort((np.arange(keys[0].size) >= count, *keys))
    at = np.empty(order.size, np.int64)
    at[order] = np.cumsum(order < count) - 1
    at = at[count:]
    if (at < 0).any() or (outer.owners[at] != inner.owners).any() or (outer.ends[at] < inner.ends).any():
        return None
    return values[at]


def _with_runs(
    given: PieceStore,
    shape: tuple[int, ...],
    number: int,
    levels: Sequence[LevelStorage],
    values: Array,
    target: TensorFormat,
    drops_fill: bool,
    joins: bool = True,
) -> Packed:
    runs, kept = _present(given, shape, number, levels[number], target)
    values = values if kept is None else values[kept]
    fill = fill_element(target, values.dtype)
    if drops_fill and not target.levels[-1].format.pattern.full:
        stored = np.flatnonzero(~same_bits(values, fill))
        runs, values = runs.selected(stored), values[stored]
    starts = runs.starts_of_equal(values) if joins else np.arange(values.size)
    store, joined = _runs_of(target, number), runs.joined(starts)
    assert store is not None
    if (misfit := store.misfit(joined)) is not None:
        path = _path(shape, target, levels, int(joined.owners[misfit.run]), joined.parents)
        refuse_level(target, number, misfit.problem.format(fiber=fiber_text(target, path)), misfit.help)
    level, at, count = store.level_of(joined)
    made = np.full(count, fill, values.dtype)
    made[at] = values[starts]
    return (*levels[:-1], level), made


def _moved(
    given: PieceStore,
    shape: tuple[int, ...],
    number: int,
    levels: Sequence[LevelStorage],
    values: Array,
    target: TensorFormat,
    drops_fill: bool,
) -> Packed | None:
    """The tensor with the runs of a level stored in another way, and the levels below them arranged alike.

    None where they do not fit, as they may if those with equal children are joined.
    """
    runs, kept = _present(given, shape, number, levels[number], target)
    kept = np.arange(runs.owners.size) if kept is None else kept
    if drops_fill and not target.levels[number].format.pattern.full:
        stored = np.flatnonzero(occupied(shape, target, number + 1, levels, values)[kept])
        runs, kept = runs.selected(stored), kept[stored]
    store = _runs_of(target, number)
    assert store is not None
    if store.misfit(runs) is not None:
        return None
    level, at, count = store.level_of(runs)
    source = np.full(count, -1)
    source[at] = kept
    below, values = taken(shape, target, number + 1, levels, values, source)
    return (*levels[:number], level, *below), values


def _present(
    store: PieceStore, shape: tuple[int, ...], number: int, level: LevelStorage, target: TensorFormat
) -> tuple[Runs, Array | None]:
    """The runs of a level that are not empty, and their positions; None if no run is empty."""
    runs = store.runs_of(level, target, number, target.level_extent(number, shape))
    present = runs.ends > runs.begins
    if present.all():
        return runs, None
    kept = np.flatnonzero(present)
    return runs.selected(kept), kept


def _path(
    shape: tuple[int, ...], format: TensorFormat, levels: Sequence[LevelStorage], position: int, count: int
) -> list[int]:
    """The coordinates that lead to a position of the level above the last one."""
    path = list[int]()
    for number in reversed(range(len(levels) - 1)):
        expression, extent = format.levels[number].expression, format.level_extent(number, shape)
        at = np.array([position])
        climbed = store_of(format, number).climb(levels[number], at, count, extent)
        listed = format.levels[number].format.properties.has_coordinates
        first = 0 if listed else expression.first(shape)
        path.insert(0, first + (0 if climbed.coordinates is None else int(climbed.coordinates[0])))
        position = position if climbed.parents is None else int(climbed.parents[0])
        count = climbed.parent_count
    return path


def _may_change(shape: tuple[int, ...], source: TensorFormat, target: TensorFormat, number: int) -> bool:
    """Whether a level has runs in both formats, over the same dimension, and the levels below it may move."""
    if source.levels[number].expression != target.levels[number].expression:
        return False
    if _runs_of(source, number) is None or _runs_of(target, number) is None:
        return False
    below = source.levels[number + 1 :]
    # Positions do not say how many rows there are where these have no elements.
    return all(can_take(one.format.properties) and source.level_extent(one, shape) for one in below)


def _runs_of(format: TensorFormat, number: int) -> PieceStore | None:
    """The store of a level, if that is one of runs."""
    store = LEVEL_STORES.get(format.levels[number].format.name) if number >= 0 else None
    return store if isinstance(store, PieceStore) else None
