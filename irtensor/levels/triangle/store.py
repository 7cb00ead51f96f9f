"""Triangle level: no arrays; positions count the tuples of coordinates that do not grow."""

from __future__ import annotations

from math import comb, factorial

import numpy as np

from irtensor.core.tensor_format import TensorFormat
from irtensor.storage.level_storage import DENSE_LEVEL, Array, LevelStorage
from irtensor.storage.level_store import Climbed, LevelStore
from irtensor.storage.listed_ranges import listed_ranges
from irtensor.storage.packing import Packing, check_size
from irtensor.storage.storage_check import StorageCheck


class TriangleStore(LevelStore):
    """A position for each coordinate up to that above, of all positions of the level above.

    `depth` is the number of coordinates in a tuple.
    """

    def __init__(self, strict: bool = False, depth: int = 2) -> None:
        self.strict = strict
        self.depth = depth

    def at(self, format: TensorFormat, number: int) -> LevelStore:
        return TriangleStore(self.strict, 1 + format.bounding_levels(number))

    def check(self, storage: StorageCheck, number: int, content: bool) -> None:
        extent, above = storage.extent(number), storage.extent(number - 1)
        if extent != above:
            problem = f"has extent {extent}, and the level above has {above}"
            storage.fail(number, problem, "a triangle is over dimensions of the same extent")
        storage.refuse_duplicates(number, storage.count)
        storage.count = self.positions(storage.count, extent)

    def pack(self, entries: Packing, number: int) -> LevelStorage:
        extent, above = entries.extents[number], entries.extents[number - 1]
        if extent != above:
            problem = f"has extent {extent}, and the level above has {above}"
            entries.refuse_level(number, problem, "a triangle is over dimensions of the same extent")
        path = [key.astype(np.int64, copy=False) for key in entries.keys[number + 1 - self.depth : number + 1]]
        outside = path[-1] > path[-2] - self.strict
        if outside.any():
            at = int(np.argmax(outside))
            problem = f"holds coordinates {'before' if self.strict else 'up to'} that of the level above, but "
            help = "store this dimension in a compressed level, or in a dense one"
            entries.refuse(number, at, f"{problem}{{fiber}} has coordinate {int(path[-1][at])}", help)
        own = sum(self._all_below(one, self.depth - place) for place, one in enumerate(path))
        outer, size = self._sizes(extent)
        entries.parent = entries.parents // outer * size + own
        entries.count = self.positions(entries.count, extent)
        check_size(entries.count, entries.values.dtype, entries.format)
        return DENSE_LEVEL

    def positions(self, parents: int, extent: int) -> int:
        outer, size = self._sizes(extent)
        return parents // outer * size

    def used(self, level: LevelStorage, extent: int, above: Array | None) -> Array | None:
        if above is None:
            return None
        parents = self._tuples(extent)[0]
        wholes = above.size // self._sizes(extent)[0]
        return above.reshape(wholes, -1)[:, parents].ravel() if parents.size else above[:0]

    def climb(self, level: LevelStorage, position: Array | None, count: int, extent: int) -> Climbed:
        here = np.arange(count, dtype=np.int64) if position is None else position
        parents, coordinates = self._tuples(extent)
        outer, size = self._sizes(extent)
        whole, within = np.divmod(here, max(size, 1))
        return Climbed(coordinates[within], whole * outer + parents[within], count // max(size, 1) * outer)

    def _sizes(self, extent: int) -> tuple[int, int]:
        """How many positions a simplex has in the level above, at least one, and in this one."""
        return max(self._tuples_below(extent, self.depth - 1), 1), self._tuples_below(extent, self.depth)

    def _tuples_below(self, number: int, size: int) -> int:
        """How many tuples of so many coordinates there are below a number."""
        return comb(number if self.strict else number + size - 1, size)

    def _all_below(self, numbers: Array, size: int) -> Array:
        """The same for each of several numbers."""
        found = numbers
        for step in range(1, size):
            found = found * (np.maximum(numbers - step, 0) if self.strict else numbers + step)
        return found // factorial(size)

    def _tuples(self, extent: int) -> tuple[Array, Array]:
        """The positions of one simplex: which of the parents' positions, and which coordinate, each belongs to."""
        parents = last = np.arange(extent, dtype=np.int64)
        for _ in range(self.depth - 1):
            lengths = last if self.strict else last + 1
            last, parents = listed_ranges(np.zeros_like(lengths), lengths)
        return parents, last
