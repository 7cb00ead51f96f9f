"""Lexicographic sorting of coordinates and combining of duplicates, in time and memory of the entries alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from irtensor.runtime.counting_sort import KEY_SIZES, MOST_ENTRIES, positions_by_key, put_in_order
from irtensor.runtime.radix_sort import sort_words
from irtensor.runtime.result_memory import RESULT_MEMORY
from irtensor.storage.level_storage import Array

# One value for each group of consecutive ones, which begin at the numbers given.
Combine = Callable[[Array, Array], Array]

_KEY_BITS = 63
# Compiled code, whose first use in a process takes as long as NumPy does for some 2^18 entries, sorts more than this at
# once, and more than the fewest, for which it is faster, when NumPy has sorted so many.
_MANY_ENTRIES, _FEWEST_ENTRIES, _WORTH_LOADING = 1 << 16, 1 << 12, 1 << 18
# Of how many entries a call of NumPy takes as long as the calls around it.
_CALL = 1 << 12
_sorted_by_numpy = 0
# A key of at most so many times as many coordinates as there are entries is counted in one pass.
_BUCKETS = 2


class _Packing(NamedTuple):
    """Keys side by side in one word each, the last in the lowest bits: key k is shifted by `shifts[k]`."""

    shifts: list[int]
    bits: int

    @staticmethod
    def of(extents: Sequence[int]) -> _Packing:
        shifts: list[int] = []
        bits = 0
        for extent in reversed(extents):
            shifts.append(bits)
            bits += (extent - 1).bit_length() if extent > 1 else 0
        return _Packing(shifts[::-1], bits)

    def pack(self, keys: Sequence[Array]) -> Array:
        words = RESULT_MEMORY.empty(keys[0].shape, np.dtype(np.int64))
        np.left_shift(keys[0], self.shifts[0], out=words, dtype=np.int64)
        for key, shift in zip(keys[1:], self.shifts[1:], strict=True):
            words |= np.left_shift(key, shift, dtype=np.int64) if shift else key
        return words

    def unpack(self, words: Array, keys: Sequence[Array]) -> list[Array]:
        """The keys in the words, of the types of `keys`."""
        unpacked: list[Array] = []
        end = self.bits
        for key, shift in zip(keys, self.shifts, strict=True):
            part = RESULT_MEMORY.empty(key.shape, key.dtype)
            # Conversions to narrow types are part of the operations, which then run in pieces that stay in the cache.
            if shift == 0:
                np.bitwise_and(words, (1 << end) - 1, out=part, casting="unsafe")
            else:
                np.right_shift(words, shift, out=part, casting="unsafe")
                if end < self.bits:
                    part &= min((1 << (end - shift)) - 1, np.iinfo(part.dtype).max)
            unpacked.append(part)
            end = shift
        return unpacked


def sort_entries(
    keys: Sequence[Array], extents: Sequence[int], values: Array, needed: int
) -> tuple[list[Array], Array]:
    """Entries in lexicographic order of the first `needed` keys, most significant first; stable if that is all of them.

    `keys[k]` holds coordinates in [0, extents[k]).
    """
    unsorted = _unsorted_prefix(keys[:needed])
    if unsorted == 0:
        return list(keys), values
    if unsorted == 1 and (found := _sort_by_first(keys, extents[0], values)) is not None:
        return found
    packing = _Packing.of(extents)
    if packing.bits > _KEY_BITS:
        order = _stable_order(keys[:unsorted], extents[:unsorted])
        return [key[order] for key in keys], values[order]
    first = packing.shifts[unsorted - 1]
    words, moved = _sort_words(packing.pack(keys), values, first, packing.bits)
    return packing.unpack(words, keys), moved


def _sort_by_first(keys: Sequence[Array], extent: int, values: Array) -> tuple[list[Array], Array] | None:
    """Entries stably sorted by the first key in one pass of compiled code; None where another way is faster."""
    count, key = values.size, keys[0]
    narrow = count <= MOST_ENTRIES and extent <= _BUCKETS * count
    if not (narrow and key.itemsize in KEY_SIZES and is_for_compiled_code(count)):
        return None
    found = positions_by_key(key, extent)
    if found is None:
        return None
    positions, counts = found
    moved = [put_in_order(array, positions) for array in (*keys[1:], values)]
    return [np.repeat(np.arange(extent, dtype=key.dtype), counts), *moved[:-1]], moved[-1]


def sorted_order(keys: Sequence[Array], extents: Sequence[int]) -> Array | None:
    """The stable permutation that sorts entries by `keys` (most significant first); None if they are sorted.

    `keys[k]` holds coordinates in [0, extents[k]).
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
    """Stable sorting permutation, by as many of the last keys at a time as fit into a word."""
    order = np.arange(keys[0].size, dtype=np.int64)
    end = len(keys)
    while end:
        begin = end - 1
        while begin and _Packing.of(extents[begin - 1 : end]).bits <= _KEY_BITS:
            begin -= 1
        packing = _Packing.of(extents[begin:end])
        words = packing.pack(keys[begin:end])
        _, order = _sort_words(words if end == len(keys) else words[order], order, 0, packing.bits)
        end = begin
    return order


def _sort_words(words: Array, moved: Array, first: int, end: int) -> tuple[Array, Array]:
    """Words, and what moves with them, stably sorted by bits `first` to `end` - 1; bits below are sorted already."""
    if is_for_compiled_code(words.size):
        return sort_words(words, moved, first, end)
    note_numpy(words.size)
    number_bits = max(words.size - 1, 1).bit_length()
    if end + number_bits > _KEY_BITS:
        order = np.argsort(words, kind="stable")
    else:
        # With the entry's number below, plain sorting, which is faster, is stable and yields the permutation.
        numbered = words << number_bits
        numbered |= np.arange(words.size)
        numbered.sort()
        order = numbered & ((1 << number_bits) - 1)
    return words[order], moved[order]


def note_numpy(count: int) -> None:
    """So many entries were sorted, or arranged in another way, by NumPy: after many, compiled code is worth loading."""
    global _sorted_by_numpy
    _sorted_by_numpy += count + _CALL


def is_for_compiled_code(count: int, fewest: int = _FEWEST_ENTRIES) -> bool:
    """Whether compiled code sorts so many entries faster; once loaded, it is as fast for `fewest` entries."""
    return count >= (_MANY_ENTRIES if _sorted_by_numpy < _WORTH_LOADING else fewest)


def distinct_starts(keys: Sequence[Array]) -> Array:
    """Which entries of a sorted sequence differ from the one before them (the first always does)."""
    starts = np.ones(keys[0].size if keys else 0, dtype=bool)
    for number, key in enumerate(keys):
        if number == 0:
            np.not_equal(key[1:], key[:-1], out=starts[1:])
        else:
            starts[1:] |= key[1:] != key[:-1]
    return starts


def add_groups(values: Array, starts: Array) -> Array:
    """Sums of consecutive values, a group beginning at each number in `starts`; of bools it is their `or`."""
    if starts.size == 0:
        return values[:0]
    if values.dtype == bool:
        return np.logical_or.reduceat(values, starts)
    return np.add.reduceat(values, starts, dtype=values.dtype)


def fold_groups(values: Array, starts: Array, apply: Callable[[Array, Array], Array]) -> Array:
    """As `add_groups`, by any associative operation on arrays, in as many calls as the largest group has bits."""
    while values.size > starts.size:
        sizes = np.diff(starts, append=values.size)
        rank = np.arange(values.size) - np.repeat(starts, sizes)
        left = np.flatnonzero((rank % 2 == 0) & (rank + 1 < np.repeat(sizes, sizes)))
        halved = values.copy()
        halved[left] = apply(values[left], values[left + 1])
        values = halved[rank % 2 == 0]
        halves = (sizes + 1) // 2
        starts = np.cumsum(halves) - halves
    return values


def combine_duplicates(keys: Sequence[Array], values: Array, combine: Combine) -> tuple[list[Array], Array]:
    """Entries with different keys from sorted ones, the values of equal keys combined."""
    if not keys:
        return [], combine(values, np.zeros(min(values.size, 1), dtype=np.int64))
    starts = distinct_starts(keys)
    if starts.all():
        return list(keys), values
    first = np.flatnonzero(starts)
    return [key[first] for key in keys], combine(values, first)
