"""Which operands of a call have entries at the same coordinates: kernels iterate over them together, without a
merge."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from weakref import ref

import numpy as np

from irtensor.core.tensor_format import TensorFormat
from irtensor.core.wide_formats import with_widths_of
from irtensor.frontend.expression_tree import Index, Statement, accesses
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.storage.level_storage import LevelStorage

# Operands with fewer entries are merged in the time that it takes to compare them.
_LEAST = 5000
# So many numbers are compared before all others, and at a time: lists that differ do so among the first, as a rule.
_FIRST, _AT_A_TIME = 256, 1 << 16


class EqualEntries:
    """Compares operands that a statement reads at the same index variables."""

    def __init__(self, pairs: Sequence[tuple[int, int]], count: int) -> None:
        self._pairs = pairs
        self._count = count

    @staticmethod
    def of(statement: Statement, names: Sequence[str]) -> EqualEntries | None:
        """For the operands of a statement; None if it reads no two of them alike."""
        read: dict[str, set[tuple[Index, ...]]] = {name: set() for name in names}
        for access in accesses(statement.expression):
            read[access.tensor].add(access.indices)
        alike = [read[name] for name in names]
        count = len(names)
        pairs = [(a, b) for b in range(count) for a in range(b) if alike[a] == alike[b] != {()}]
        return EqualEntries(pairs, count) if pairs else None

    def of_operands(self, data: Sequence[Any]) -> tuple[int | None, ...] | None:
        """For each operand, the first one before it that has entries at the same coordinates; None if there is none."""
        found: dict[int, int] = {}
        for a, b in self._pairs:
            if b not in found and a not in found and _have_equal_entries(data[a], data[b]):
                found[b] = a
        return tuple(map(found.get, range(self._count))) if found else None


def with_equal_entries(
    described: Sequence[OperandDescription], known: Sequence[int | None]
) -> list[OperandDescription]:
    """Operands, each with the one before it that has the same entries."""
    return [one._replace(entries_of=number) for one, number in zip(described, known, strict=True)]


def _have_equal_entries(a: Any, b: Any) -> bool:
    """Whether two operands are Tensors of one format, up to widths, with the same positions and coordinates."""
    if type(a) is np.ndarray or type(b) is np.ndarray:
        return False
    if a.values.size < _LEAST or a.values.size != b.values.size or a.shape != b.shape:
        return False
    if not _are_alike(a.format, b.format) or all([level.coordinates is None for level in a.levels]):
        return False
    # Coordinates that differ are found in the last levels, as a rule.
    return all(map(_are_equal, a.levels[::-1], b.levels[::-1]))


@lru_cache(maxsize=256)
def _are_alike(a: TensorFormat, b: TensorFormat) -> bool:
    """Whether formats are equal up to widths and fills, and store no fill values among their entries."""
    # Blocks, diagonals and bands are often read as lists without their fill values.
    if a.may_hold_fill or b.may_hold_fill:
        return False
    # One of two symmetric operands may be read with its mirrors, and the other one without.
    if a.symmetric or b.symmetric:
        return False
    first, second = a.with_fill(None), b.with_fill(None)
    return first == second or with_widths_of(first, second) == second


def _are_equal(a: LevelStorage, b: LevelStorage) -> bool:
    """Whether two levels store the same; results are cached, as index arrays do not change."""
    if a is b or (a.entries is not None and a.entries is b.entries):
        return True
    x, y = a.coordinates, b.coordinates
    if y is not None and a.unlike is not None and a.unlike() is y:
        return False
    if x is not None and y is not None and len(x) == len(y) and any(x[n] != y[n] for n in _samples(len(x))):
        return False
    arrays = a.arrays(), b.arrays()
    if [one.shape for one in arrays[0]] != [one.shape for one in arrays[1]]:
        return False
    if not all(map(_equal_arrays, *arrays)):
        a.unlike = None if y is None else ref(y)
        return False
    a.entries = b.entries = a.entries or b.entries or object()
    return True


def _samples(length: int) -> Sequence[int]:
    """Where lists that differ do so, as a rule."""
    return (0, length // 2, length - 1) if length else ()


def _equal_arrays(a: np.ndarray, b: np.ndarray) -> bool:
    starts = (0, *range(_FIRST, len(a), _AT_A_TIME))
    ends = (*starts[1:], len(a))
    return all(np.array_equal(a[start:end], b[start:end]) for start, end in zip(starts, ends, strict=True))
