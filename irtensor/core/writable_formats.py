"""The formats that a kernel writes which computes index and values of its result at once, nearest to one asked for."""

from __future__ import annotations

from dataclasses import replace

from irtensor.core.level_format import LevelFormat
from irtensor.core.storage_levels import Level
from irtensor.core.tensor_format import TensorFormat


def writable_in_runs(format: TensorFormat) -> TensorFormat:
    """`format.writable` where neighbouring runs of the result are joined: the innermost level may be one that takes
    them."""
    written = format.writable
    name = format.levels[-1].format.properties.joined_from if format.levels and not format.symmetric else None
    if name is None or len(written.levels) != len(format.levels):
        return written
    return replace(written, levels=(*written.levels[:-1], replace(written.levels[-1], format=LevelFormat(name))))


def writable_at_once(format: TensorFormat) -> TensorFormat:
    """The same with the levels that loops write if all entries fit."""
    written = writable_in_runs(format)
    format = format.for_any_entries
    if format.symmetric or format.is_blocked or format.has_diagonals:
        return written
    pairs = zip(format.levels, written.levels, strict=True)
    wide = format.position_width == 64
    levels = tuple(own if _is_written_at_once(own, other, wide) else other for own, other in pairs)
    # Widths of one level alone may be those of all.
    return format if levels == format.levels else replace(written, levels=levels)


def _is_written_at_once(level: Level, otherwise: Level, wide: bool) -> bool:
    """Whether loops write a level of a result, and not the one that is written otherwise; `wide`: positions are.

    Coordinates that a narrow position does not count are found out by the conversion.
    """
    properties = level.format.properties
    if properties.has_positions and not (wide and level.position_width is None):
        return False
    return properties.written_at_once and otherwise.format.name != properties.joined_from
