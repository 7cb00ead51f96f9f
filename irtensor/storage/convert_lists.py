"""Conversion between two forms of a list of coordinates: the levels below stay as they are."""

from __future__ import annotations

from irtensor.core.tensor_format import TensorFormat
from irtensor.levels.level_stores import LEVEL_STORES
from irtensor.storage.conversion import Conversion, Source, changed_levels
from irtensor.storage.list_store import ListStore
from irtensor.storage.pack_coordinates import Packed


def _suits(source: TensorFormat, target: TensorFormat) -> bool:
    """Whether formats differ in one level, which lists coordinates in both."""
    changed = changed_levels(source, target)
    if changed is None or len(changed) != 1:
        return False
    number = changed[0]
    # A child of each entry has the coordinates of the list as its own.
    below = source.levels[number + 1 : number + 2]
    stores = _store_of(source, number), _store_of(target, number)
    return None not in stores and not any(level.format.pattern.branchless for level in below)


def _convert(source: Source, target: TensorFormat) -> Packed:
    """Other levels are the same arrays, and the values belong to the same positions. Takes time for the coordinates of
    the level that differs.
    """
    changed, levels = changed_levels(source.format, target), source.levels
    assert changed is not None
    number = changed[0]
    given, wanted = (_store_of(format, number) for format in (source.format, target))
    assert given is not None and wanted is not None
    moved = wanted.of_list(given.segments(levels[number]), given.coordinates(levels[number]), target, number)
    return (*levels[:number], moved, *levels[number + 1 :]), source.values


def _store_of(format: TensorFormat, number: int) -> ListStore | None:
    level = format.levels[number].format
    store = LEVEL_STORES.get(level.name)
    return store if isinstance(store, ListStore) and level.unique and level.ordered else None


LISTS = Conversion(_suits, _convert)
