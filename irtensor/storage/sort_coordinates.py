"""Lexicographic sorting of coordinates and combining of duplicates, in time and memory of the entries alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irtensor.dialects.diagnostics import UserError
from irtensor.storage.level_storage import Array

_KEY_BITS = 63


def sorted_order(keys: Sequence[Array], extents: Sequence[int]) -> Array | None:
    """The stable permutation that sorts entries by `keys` (most significant first); None if they are sorted.

    `keys[k]` holds int64 coordinates in [0, extents[k]).
    """
    unsorted = _unsorted_prefix(keys)
    if unsorted == 0:
        return None
    return _stable_order(keys[:unsorted], extents[:unsorted])


def _unsorted_prefix(keys: Sequence[Array]) -> int:
    """The least number of leading keys to sort by: the rest is in order already, as in a transposition."""
    return next((start for start in range(len(keys)) if is_sorted(keys[start:])), len(keys))


def is_sorted(keys: Sequence[Array]) -> bool:
    """Whether entries are in lexicographic order of `keys`, duplicates allowed."""
    # Most unsorted arrays show it early, and the full test costs several passes.
    return _is_sorted([key[:1024] for key in keys]) and _is_sorted(keys)


def _is_sorted(keys: Sequence[Array]) -> bool:
    if not keys or keys[0].size < 2:
        return True
    ordered = keys[-1][1:] >= keys[-1][:-1]
    for key in reversed(keys[:-1]):
        ordered &= key[1:] == key[:-1]
        ordered |= key[1:] > key[:-1]
    return bool(ordered.all())


def _stable_order(keys: Sequence[Array], extents: Sequence[int]) -> Array:
    """Stable sorting permutation by passes over packed words.

    Each pass sorts words of as many key bits as fit above the entry number, so plain integer sorting is stable and
    yields the permutation; nothing is linearised beyond 63 bits.
    """
    entries = keys[0].size
    number_bits = max(entries - 1, 1).bit_length()
    order: Array | None = None
    word: Array | None = None
    used = number_bits
    for key, extent in zip(reversed(keys), reversed(extents), strict=True):
        bits = max(extent - 1, 1).bit_length()
        if word is not None and used + bits > _KEY_BITS:
            order = _apply_pass(word, number_bits, order)
            word, used = None, number_bits
        if used + bits > _KEY_BITS:
            permuted = key if order is None else key[order]
            step = np.argsort(permuted, kind="stable")
            order = step if order is None else order[step]
            continue
        shifted = key.astype(np.int64, copy=False) << used
        word = shifted if word is None else np.bitwise_or(word, shifted, out=word)
        used += bits
    if word is not None:
        order = _apply_pass(word, number_bits, order)
    assert order is not None
    return order


def _apply_pass(word: Array, number_bits: int, order: Array | None) -> Array:
    if order is not None:
        word = word[order]
    word |= np.arange(word.size, dtype=np.int64)
    word.sort()
    word &= (1 << number_bits) - 1
    return word if order is None else order[word]


def distinct_starts(keys: Sequence[Array]) -> Array:
    """Which entries of a sorted sequence differ from the one before them (the first always does)."""
    starts = np.zeros(keys[0].size, dtype=bool) if keys else np.zeros(0, dtype=bool)
    starts[:1] = True
    for key in keys:
        starts[1:] |= key[1:] != key[:-1]
    return starts


def add_groups(values: Array, starts: Array) -> Array:
    """Sums of consecutive values, a group beginning at each number in `starts`; of bools it is their `or`."""
    if starts.size == 0:
        return values[:0]
    if values.dtype == bool:
        return np.logical_or.reduceat(values, starts)
    return np.add.reduceat(values, starts, dtype=values.dtype)


def combine_duplicates(
    keys: Sequence[Array], values: Array, policy: str, dimensions: Sequence[Array]
) -> tuple[list[Array], Array]:
    """Sum entries of equal coordinates ('sum'), or refuse them ('error'), in sorted `keys`.

    `dimensions` are the coordinates as the user gave them, for the error text.
    """
    if not keys:
        if policy == "error" and values.size > 1:
            raise UserError("duplicate-coordinates", f"a scalar is given {values.size} times")
        return [], add_groups(values, np.zeros(min(values.size, 1), dtype=np.int64))
    starts = distinct_starts(keys)
    if starts.all():
        return list(keys), values
    if policy == "error":
        entry = int(np.argmin(starts))
        place = ", ".join(str(int(coordinates[entry])) for coordinates in dimensions)
        raise UserError(
            "duplicate-coordinates",
            f"the element at ({place}) is given more than once",
            help="pass duplicates='sum' to add the values, or duplicates='keep' with a nonunique format",
        )
    first = np.flatnonzero(starts)
    return [key[first] for key in keys], add_groups(values, first)
