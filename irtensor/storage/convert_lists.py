"""Conversion between two forms of a list of coordinates: the levels below stay as they are."""

from __future__ import annotations

from collections.abc import Sequence

from irtensor.core.tensor_format import TensorFormat
from irtensor.levels.level_stores import LEVEL_STORES
from irtensor.storage.index_overflow import check_coordinate_widths
from irtensor.storage.level_storage import LevelStorage
from irtensor.storage.list_store import ListStore


def convert_lists(
    shape: tuple[int, ...], source: TensorFormat, levels: Sequence[LevelStorage], target: TensorFormat
) -> tuple[LevelStorage, ...] | None:
    """The levels in a format that differs in one level, where that lists coordinates in both; else None.

    Other levels are the same arrays, and the values belong to the same positions. Takes time for the coordinates of the
    level that differs. Raises UserError [index-overflow].
    """
    if len(source.levels) != len(target.levels):
        return None
    pairs = zip(source.structure, target.structure, strict=True)
    changed = [number for number, (one, other) in enumerate(pairs) if one != other]
    if len(changed) != 1 or source.levels[changed[0]].expression != target.levels[changed[0]].expression:
        return None
    number = changed[0]
    given, wanted = (_store_of(format, number) for format in (source, target))
    # A child of each entry has the coordinates of the list as its own.
    below = source.levels[number + 1 : number + 2]
    if given is None or wanted is None or any(level.format.pattern.branchless for level in below):
        return None
    check_coordinate_widths(target, shape)
    moved = wanted.of_list(given.segments(levels[number]), given.coordinates(levels[number]), target, number)
    return (*levels[:number], moved, *levels[number + 1 :])


def _store_of(format: TensorFormat, number: int) -> ListStore | None:
    level = format.levels[number].format
    store = LEVEL_STORES.get(level.name)
    return store if isinstance(store, ListStore) and level.unique and level.ordered else None
