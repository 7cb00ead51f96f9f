"""The memory that a tensor would take in another format: counted without making it, on some of its slices where that
is enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from irtensor.core.argument_layout import array_width
from irtensor.core.storage_levels import Level, LevelExpression
from irtensor.core.tensor_format import TensorFormat
from irtensor.storage.level_storage import Array
from irtensor.storage.stored_tensor import StoredTensor
from irtensor.storage.unpack_coordinates import unpack

# Of so many entries all are looked at.
_FEW = 1 << 16
# Slices of the outermost dimension that are taken together: full blocks of all usual sizes are in them.
_TOGETHER = 240


class Size(NamedTuple):
    """How many elements are stored, and the bytes of all arrays."""

    elements: float
    bytes: float


class Entries:
    """The coordinates of the entries of a tensor, and those of some of its slices, as of a smaller tensor."""

    def __init__(self, tensor: StoredTensor) -> None:
        self.shape = tensor.shape
        self.item_bytes = tensor.dtype.itemsize
        held = tensor.held()
        self.rows: Sequence[Array] = unpack(tensor.shape, tensor.format, held.levels, held.values)[0]
        self.count = self.rows[0].size
        self._few = _some_slices(self.shape, self.rows, tensor.format.dimension_order[0])

    def size_in(self, format: TensorFormat) -> Size:
        """The size of the tensor in a format; about that, unless one row or diagonal more may change all."""
        shape, rows = (self.shape, self.rows) if any([_needs_all(level) for level in format.levels]) else self._few
        size = _size(format, shape, rows, self.item_bytes)
        more = self.count / (rows[0].size or 1)
        return Size(size.elements * more, size.bytes * more)


def _needs_all(level: Level) -> bool:
    """Whether the longest row decides how much is stored, or on which diagonals there is an entry."""
    return level.format.properties.equal_segments or level.expression.other is not None


def _some_slices(shape: tuple[int, ...], rows: Sequence[Array], outer: int) -> tuple[tuple[int, ...], Sequence[Array]]:
    """Slices of the outermost dimension, in groups that are spread evenly, with about `_FEW` entries."""
    extent, count = shape[outer], rows[outer].size
    groups = -(-extent // _TOGETHER)
    step = count // _FEW
    if step < 2 or groups < 2 * step:
        return shape, rows
    group, offset = np.divmod(rows[outer], _TOGETHER)
    taken, rest = np.divmod(group, step)
    chosen = rest == 0
    if not chosen.any():
        return shape, rows
    found = [row[chosen] for row in rows]
    found[outer] = (taken * _TOGETHER + offset)[chosen]
    slices = -(-groups // step) * _TOGETHER
    return (*shape[:outer], slices, *shape[outer + 1 :]), found


def _size(format: TensorFormat, shape: tuple[int, ...], rows: Sequence[Array], item_bytes: int) -> Size:
    """The size of a tensor with entries at these coordinates."""
    total, positions = 0, 1
    # At which position of the level each entry is.
    at = np.zeros(rows[0].size, np.int64)
    for number, level in enumerate(format.levels):
        properties, extent, parents = level.format.properties, format.level_extent(number, shape), positions
        slots = at if properties.pattern.branchless else at * extent + _coordinates(level.expression, rows, shape)
        if properties.equal_segments:
            positions = parents * _most_of_one(at, parents)
        elif properties.access.positional and not properties.pattern.branchless:
            positions, at = parents * extent, slots
        elif not level.format.unique and not properties.pattern.branchless:
            positions, at = at.size, np.arange(at.size)
        elif not properties.pattern.branchless:
            positions, at = _distinct(slots, parents * extent)
        for array in properties.arrays:
            # Each entry may be a block of its own.
            is_per_parent = array.length in ("parents", "segments")
            length = array.static_length(parents if is_per_parent else positions)
            total += length * (array_width(format, number, array) or 8) // 8
    return Size(positions, total + positions * item_bytes)


def _coordinates(expression: LevelExpression, rows: Sequence[Array], shape: tuple[int, ...]) -> Array:
    row = rows[expression.dimension]
    if expression.other is not None:
        # The difference of narrow numbers may not be as narrow.
        return row.astype(np.int64) - rows[expression.other] - expression.first(shape)
    if expression.form == "floordiv":
        return row // expression.factor
    return row % expression.factor if expression.form == "mod" else row


def _is_sparse(numbers: Array, bound: int) -> bool:
    """Whether an array with a slot for each number below a bound is much larger than the numbers are."""
    return bound > 8 * numbers.size + 64


def _most_of_one(numbers: Array, bound: int) -> int:
    """How often the most frequent one of these numbers below a bound occurs."""
    near = _distinct(numbers, bound)[1] if _is_sparse(numbers, bound) else numbers
    return int(np.bincount(near).max(initial=0))


def _distinct(values: Array, bound: int) -> tuple[int, Array]:
    """How many of these numbers below a bound are different, and which of them, in order, each is."""
    if _is_sparse(values, bound):
        found, numbers = np.unique(values, return_inverse=True)
        return found.size, numbers
    seen = np.zeros(bound, bool)
    seen[values] = True
    before = np.cumsum(seen) - 1
    return int(before[-1] + 1) if bound else 0, before[values]
