"""Builds tensors level by level from a plain list of entries: slow, and independent of `irtensor.storage`.

Unlike `Tensor.from_coo` it can shuffle nonordered levels, split duplicates and store explicit fill values, so it makes
every storage that a format allows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from irtensor.core.level_format import LevelFormat
from irtensor.core.storage_levels import LevelExpression
from irtensor.core.tensor_format import TensorFormat
from irtensor.tensors.tensor import Tensor

_Entry = tuple[tuple[int, ...], object]
_Part = tuple[int, list[_Entry]]


@dataclass
class _Level:
    positions: list[int] = field(default_factory=lambda: [0])
    coordinates: list[int] = field(default_factory=list)
    flags: list[bool] = field(default_factory=list)
    begins: list[int] = field(default_factory=list)


def build_storage(
    coordinates: Sequence[tuple[int, ...]],
    values: np.ndarray,
    shape: tuple[int, ...],
    format: TensorFormat,
    random: np.random.Generator,
) -> Tensor:
    """A tensor that stores `values[n]` at `coordinates[n]` (in dimension order); nonordered levels are shuffled.

    Equal coordinates are stored as duplicates, which the innermost level must allow.
    """
    expressions = [level.expression for level in format.levels]
    entries = [(tuple(_coordinate(c, one) for one in expressions), v) for c, v in zip(coordinates, values, strict=True)]
    groups: list[list[_Entry]] = [entries]
    levels = [_Level() for _ in format.levels]
    widths = [0] * len(format.levels)
    for number in range(len(format.levels)):
        first, extent = expressions[number].first(shape), format.level_extent(number, shape)
        innermost = number + 1 == len(format.levels)
        split: list[list[_Entry]] = []
        splits = [_split(group, number, format, range(first, first + extent), random) for group in groups]
        if format.levels[number].format.properties.equal_segments:
            widths[number] = max([1, *map(len, splits)]) + int(random.integers(2))
            splits = [_in_slots(parts, widths[number], format.levels[number].format.name, extent) for parts in splits]
        for parts in splits:
            assert not innermost or all(len(part) <= 1 for _, part in parts), "the innermost level allows no duplicates"
            if format.levels[number].format.pieces == "runs":
                runs = _joined(parts, number, format.levels[number].format.pattern.full, random)
                levels[number].begins += [begin for begin, _, _ in runs]
                parts = [(end, part) for _, end, part in runs]
            split += [part for _, part in parts]
            levels[number].coordinates += [coordinate for coordinate, _ in parts]
            levels[number].flags += [bool(part) for _, part in parts]
            levels[number].positions.append(len(split))
        groups = split
    elements = np.full(len(groups), 0 if format.fill is None else format.fill, values.dtype)
    for position, group in enumerate(groups):
        if group:
            elements[position] = group[0][1]
    rows = zip(levels, format.levels, widths, strict=True)
    arrays = [_arrays(stored, level.format, width, random) for stored, level, width in rows]
    return Tensor.from_buffers(shape, format, arrays, None if format.is_pattern else elements)


def _coordinate(coordinates: tuple[int, ...], expression: LevelExpression) -> int:
    """The coordinate of a level: of a dimension, or the diagonal, the difference to another one."""
    return coordinates[expression.dimension] - (0 if expression.other is None else coordinates[expression.other])


def _split(
    group: list[_Entry], number: int, format: TensorFormat, every: range, random: np.random.Generator
) -> list[tuple[int, list[_Entry]]]:
    """The children of one parent, whose level has `every` coordinate: coordinate and entries of each."""
    level = format.levels[number].format
    if level.name == "offset":
        return [(0, group)]
    if level.name in ("dense", "bitmap", "range") or level.pieces == "runs":
        return [(c, [entry for entry in group if entry[0][number] == c]) for c in every]
    paths: dict[object, list[_Entry]] = {}
    for place, entry in enumerate(sorted(group, key=lambda entry: entry[0][number:])):
        paths.setdefault(_path(entry[0], number, format, place), []).append(entry)
    parts = [(path[0][0][number], path) for path in paths.values()]
    if not level.ordered and level.name != "singleton":
        parts = [parts[k] for k in random.permutation(len(parts))]
    return parts


def _in_slots(parts: list[_Part], width: int, name: str, extent: int) -> list[_Part]:
    """The children of one parent in a segment of `width` slots: a hash table, or in order and padded."""
    if name == "padded":
        return [*parts, *[(extent, list[_Entry]())] * (width - len(parts))]
    slots: list[_Part] = [(-1, [])] * width
    for coordinate, group in parts:
        place = coordinate % width
        while slots[place][0] >= 0:
            place = (place + 1) % width
        slots[place] = (coordinate, group)
    return slots


def _joined(
    parts: list[_Part], number: int, full: bool, random: np.random.Generator
) -> list[tuple[int, int, list[_Entry]]]:
    """Runs, from a coordinate up to another one, in which the same is stored; some that could be one are two."""
    runs: list[tuple[int, int, list[_Entry]]] = []
    for coordinate, group in parts:
        if not group and not full:
            continue
        below = sorted([(entry[0][number + 1 :], repr(entry[1])) for entry in group])
        before = runs[-1] if runs else (0, -1, [])
        same = below == sorted([(entry[0][number + 1 :], repr(entry[1])) for entry in before[2]])
        if before[1] == coordinate and same and random.integers(4):
            runs[-1] = (before[0], coordinate + 1, before[2])
        else:
            runs.append((coordinate, coordinate + 1, group))
    return runs


def _path(coordinates: tuple[int, ...], number: int, format: TensorFormat, place: int) -> object:
    """What distinguishes the children of a nonunique level: the coordinates down to the next level that is unique."""
    for end in range(number, len(format.levels)):
        if format.levels[end].format.unique:
            return coordinates[number : end + 1]
    return place


def _blocks(level: _Level, random: np.random.Generator) -> dict[str, list[int]]:
    """The same entries in blocks; some that could be one are two."""
    positions, ends, offsets = [0], list[int](), [0]
    for begin, end in pairwise(level.positions):
        for place in range(begin, end):
            at = level.coordinates[place]
            if place > begin and ends[-1] == at and random.integers(4):
                ends[-1], offsets[-1] = at + 1, place + 1
            else:
                ends.append(at + 1)
                offsets.append(place + 1)
        positions.append(len(ends))
    return {"positions": positions, "ends": ends, "offsets": offsets}


def _arrays(level: _Level, format: LevelFormat, width: int, random: np.random.Generator) -> Any:
    if format.properties.has_pieces:
        return _blocks(level, random)
    if format.pieces == "runs":
        arrays = {"positions": level.positions, "begins": level.begins, "coordinates": level.coordinates}
        return {array.name: arrays[array.name] for array in format.properties.arrays}
    if format.properties.has_flags:
        return np.array(level.flags, np.bool_)
    if format.properties.equal_segments:
        return [width], level.coordinates
    positions = level.positions if format.properties.has_positions else None
    return positions, level.coordinates if format.properties.has_coordinates else None
