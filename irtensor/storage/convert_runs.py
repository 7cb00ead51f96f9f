"""Conversion between levels of runs in time of the runs, and runs of results joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from irtensor.core.tensor_format import TensorFormat
from irtensor.levels.level_stores import LEVEL_STORES, store_of
from irtensor.runtime.join_runs import SIZES, join_runs
from irtensor.storage.conversion import Conversion, Source, changed_levels
from irtensor.storage.element_types import fill_element, same_bits
from irtensor.storage.index_overflow import check_position_width
from irtensor.storage.level_storage import Array, LevelStorage, index_dtypes
from irtensor.storage.pack_coordinates import Packed
from irtensor.storage.packed_runs import Runs
from irtensor.storage.packing import fiber_text, refuse_level
from irtensor.storage.run_store import PieceStore, RunStore
from irtensor.storage.sort_coordinates import is_for_compiled_code, note_numpy
from irtensor.storage.taken_positions import can_take, occupied, taken


def _suits(source: TensorFormat, target: TensorFormat) -> bool:
    """Whether formats differ in levels that have runs in both, and the levels below these may move."""
    changed = changed_levels(source, target)
    if not changed:
        return False
    have_runs = all(_runs_of(format, number) is not None for format in (source, target) for number in changed)
    return have_runs and all(can_take(one.format.properties) for one in source.levels[changed[0] + 1 :])


def convert_runs(source: Source, target: TensorFormat, joins: bool = True) -> Packed | None:
    """The tensor in a format that `RUNS` suits; None where these arrays are converted in another way.

    Runs of an innermost level that touch and have equal values are joined, unless `joins` is false, and a level with
    gaps stores none of the fill value that one without gaps had to store. The runs of other levels stay apart.
    Raises UserError [format-mismatch] where a level does not hold the runs.
    """
    shape, format, levels, values = source
    changed = changed_levels(format, target)
    assert changed
    # Positions do not say how many rows there are where these have no elements.
    if not all(format.level_extent(one, shape) for one in format.levels[changed[0] + 1 :]):
        return None
    packed: Packed | None = (tuple(levels), values)
    for number in changed:
        store = _runs_of(format, number)
        # The levels above are those of the target by now.
        given = replace(target, levels=(*target.levels[:number], *format.levels[number:]))
        wanted = replace(target, levels=(*target.levels[: number + 1], *format.levels[number + 1 :]))
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
    fill, covers = fill_element(target, values.dtype), target.levels[-1].format.pattern.full
    store = _runs_of(target, number)
    assert store is not None
    if joins and isinstance(given, RunStore) and isinstance(store, RunStore) and _is_for_compiled_code(values):
        packed = _joined_by_code(shape, levels, values, target, store)
        if packed is not None:
            return packed
    note_numpy(values.size)
    runs, kept = _present(given, shape, number, levels[number], target)
    values = values if kept is None else values[kept]
    # A gap of runs that cover all coordinates is a run of the fill value.
    if (drops_fill and not covers) or (covers and joins):
        stored = np.flatnonzero(~same_bits(values, fill))
        runs, values = runs.selected(stored), values[stored]
    starts = runs.starts_of_equal(values) if joins else np.arange(values.size)
    joined = runs.joined(starts)
    if (misfit := store.misfit(joined)) is not None:
        path = _path(shape, target, levels, int(joined.owners[misfit.run]), joined.parents)
        refuse_level(target, number, misfit.problem.format(fiber=fiber_text(target, path)), misfit.help)
    level, at, count = store.level_of(joined)
    made = np.full(count, fill, values.dtype)
    made[at] = values[starts]
    return (*levels[:-1], level), made


def _is_for_compiled_code(values: Array) -> bool:
    return values.itemsize in SIZES and is_for_compiled_code(values.size, 1)


def _joined_by_code(
    shape: tuple[int, ...], levels: Sequence[LevelStorage], values: Array, target: TensorFormat, store: RunStore
) -> Packed | None:
    """As `_with_runs`, in one pass; None where the arrays are not those of runs any more."""
    number, level = len(levels) - 1, levels[-1]
    found = join_runs(
        level.array("positions"),
        level.array("begins"),
        level.array("coordinates"),
        values,
        fill_element(target, values.dtype),
        target.level_extent(number, shape),
        target.levels[-1].format.pattern.full,
    )
    if found is None:
        return None
    check_position_width(target, number, found.ends.size, "runs")
    positions = found.positions.astype(index_dtypes(target, number)[0])
    return (*levels[:-1], store.of_arrays(positions, found.begins, found.ends)), found.values


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


def _runs_of(format: TensorFormat, number: int) -> PieceStore | None:
    """The store of a level, if that is one of runs."""
    store = LEVEL_STORES.get(format.levels[number].format.name) if number >= 0 else None
    return store if isinstance(store, PieceStore) else None


RUNS = Conversion(_suits, convert_runs)
