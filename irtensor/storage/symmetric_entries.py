"""Entries of symmetric tensors: the stored ones, whose coordinates do not decrease, and their mirrors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, permutations

import numpy as np

from irtensor.core.diagnostics import UserError
from irtensor.core.exchanged_dimensions import unequal_neighbours
from irtensor.core.storage_levels import dimension_names
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.element_types import is_rounded
from irtensor.storage.element_types import fill_element, is_fill, same_fill
from irtensor.storage.level_storage import Array
from irtensor.storage.sort_coordinates import distinct_starts, sorted_order


def with_mirrors(coordinates: Sequence[Array], values: Array, format: TensorFormat) -> tuple[list[Array], Array]:
    """All entries of a symmetric tensor, of those of its stored part: these first, then one kind of mirrors at a time.

    Elements below the diagonal, which a level that stores all coordinates has, are not entries.
    """
    given = [coordinates[one] for one in format.symmetric]
    below = decreasing(given)
    if below.any():
        coordinates, values = [row[~below] for row in coordinates], values[~below]
        given = [row[~below] for row in given]
    found = [list(coordinates)]
    parts = [values]
    for order in permutations(range(len(given))):
        unequal = unequal_neighbours(order)
        if not unequal:
            continue
        kept = np.logical_and.reduce([given[one] != given[one + 1] for one in unequal])
        mirrored = [row[kept] for row in coordinates]
        for dimension, source in zip(format.symmetric, order, strict=True):
            mirrored[dimension] = given[source][kept]
        found.append(mirrored)
        parts.append(values[kept])
    return [np.concatenate(rows) for rows in zip(*found, strict=True)], np.concatenate(parts)


def decreasing(coordinates: Sequence[Array]) -> Array:
    """Which entries are not of the stored part, by their coordinates in the symmetric dimensions."""
    return np.logical_or.reduce([first > second for first, second in pairwise(coordinates)])


def check_extents(shape: Sequence[int], format: TensorFormat, subject: str = "the format") -> None:
    """Raise UserError [extent-mismatch] unless all symmetric dimensions of a tensor have one extent."""
    extents = [shape[one] for one in format.symmetric]
    if len(set(extents)) > 1:
        names = dimension_names(format.rank)
        listed = " and ".join(names[one] for one in format.symmetric)
        message = (
            f"{subject} is {format.symmetric_text}, but the extents of {listed} are {', '.join(map(str, extents))}"
        )
        raise UserError("extent-mismatch", message, help=f"use the format without the option: '{format.with_mirrors}'")


def stored_part(
    coordinates: Sequence[Array], values: Array, shape: Sequence[int], format: TensorFormat
) -> tuple[list[Array], Array]:
    """The entries of a symmetric tensor that are stored. All of its entries are given, each of them once.

    Raises UserError [extent-mismatch], and [not-symmetric] for the first pair of mirrors whose values differ; an entry
    that is not given has the fill value.
    """
    check_extents(shape, format)
    rows = np.sort(np.stack([coordinates[one] for one in format.symmetric]).astype(np.int64, copy=False), axis=0)
    keys = [row.astype(np.int64, copy=False) for row in coordinates]
    for dimension, row in zip(format.symmetric, rows, strict=True):
        keys[dimension] = row
    order = sorted_order(keys, shape)
    if order is None:
        order = np.arange(values.size)
    keys, values = [key[order] for key in keys], values[order]
    is_first = distinct_starts(keys)
    starts = np.flatnonzero(is_first)
    groups = np.cumsum(is_first) - 1
    firsts = values[starts]
    differs = np.zeros(starts.size, bool)
    differs[groups[~same_values(values, firsts[groups])]] = True
    heads = [key[starts] for key in keys]
    given = np.diff(starts, append=values.size)
    fill = fill_element(format, values.dtype)
    differs |= (given < _mirror_counts([heads[one] for one in format.symmetric])) & ~is_fill(firsts, fill)
    if differs.any():
        at = int(np.argmax(differs))
        entries = order[starts[at] : starts[at] + given[at]]
        found = {tuple(int(row[entry]) for row in coordinates): entry for entry in entries}
        values_of = dict(zip(found, values[starts[at] : starts[at] + given[at]], strict=True))
        raise _unlike([int(head[at]) for head in heads], lambda one: values_of.get(one, fill), format)
    return heads, firsts


def same_values(first: Array, second: Array) -> Array:
    """Which values are equal, those that are not numbers among them."""
    same = first == second
    return same if not is_rounded(first.dtype) else same | (np.isnan(first) & np.isnan(second))


def _mirror_counts(coordinates: Sequence[Array]) -> Array:
    """How many entries stand for each one of the stored part, itself among them."""
    counts = np.zeros(coordinates[0].size, np.int64)
    for order in permutations(range(len(coordinates))):
        unequal = [coordinates[one] != coordinates[one + 1] for one in unequal_neighbours(order)]
        counts += np.logical_and.reduce(unequal) if unequal else 1
    return counts


def _unlike(coordinate: list[int], value_of: Callable[[tuple[int, ...]], object], format: TensorFormat) -> UserError:
    """The error for an entry with a mirror of another value."""

    def mirrors() -> Iterator[tuple[int, ...]]:
        for order in permutations(format.symmetric):
            mirrored = list(coordinate)
            for dimension, source in zip(format.symmetric, order, strict=True):
                mirrored[dimension] = coordinate[source]
            yield tuple(mirrored)

    first = tuple(coordinate)
    value = value_of(first)
    other = next(one for one in mirrors() if not same_fill(value_of(one), value))
    message = f"the element at {first} is {value}, but its mirror at {other} is {value_of(other)}"
    help = f"make the mirrors equal, or use the format without the option: '{format.with_mirrors}'"
    return UserError("not-symmetric", f"the data are not {format.symmetric_text}: {message}", help=help)
