"""The elements that fused loops iterate over, by numbers: combinations of coordinates, or the entries of an operand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.ir import Block, SSAValue

from irtensor.dialects.concrete_index.concrete_index import ForallOp
from irtensor.dialects.concrete_index.index_ranges import BoundOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.passes.concrete_index.support.counted_entries import Entries
from irtensor.passes.concrete_index.support.loop_ranges import compute_before
from irtensor.passes.support.emit import Emitter

# So many coordinates are counted: the others belong to the last block. Sums of such numbers do not overflow.
_MOST = 1 << 62


class CountedElements(NamedTuple):
    """Numbered elements: entries of a tensor, or coordinates if there are none.

    Coordinates are those of loops over `ranges`; no range is computed from another's variable.
    """

    entries: Entries | None
    ranges: tuple[tuple[SSAValue, SSAValue], ...]

    @property
    def tensor(self) -> SSAValue | None:
        """The operand whose entries are numbered; None if coordinates are."""
        return None if self.entries is None else self.entries.tensor

    def total(self, emit: Emitter) -> SSAValue:
        if self.entries is not None:
            return self.entries.counted(len(self.ranges), emit)
        extents, limit = self._extents(emit), emit.index(_MOST)
        total = extents[0]
        for extent in extents[1:]:
            fits = emit.compare("sle", total, emit.divide(limit, emit.max(extent, emit.index(1))))
            total = emit.select(fits, emit.mul(total, extent), limit)
        return total

    def coordinates_of(self, number: SSAValue, emit: Emitter) -> Sequence[SSAValue]:
        """The coordinates of the element with a number; the ends of the ranges if none has it."""
        if self.entries is not None:
            return self.entries.at(number, len(self.ranges), emit)
        exists = emit.compare("slt", number, self.total(emit))
        coordinates: list[SSAValue] = []
        for extent in reversed(self._extents(emit)[1:]):
            above = emit.divide(number, emit.max(extent, emit.index(1)))
            coordinates.append(emit.sub(number, emit.mul(above, extent)))
            number = above
        coordinates.append(number)
        pairs = zip(reversed(coordinates), self.ranges, strict=True)
        return [emit.select(exists, emit.add(lo, coordinate), hi) for coordinate, (lo, hi) in pairs]

    def _extents(self, emit: Emitter) -> list[SSAValue]:
        return [hi if constant_index(lo) == 0 else emit.sub(hi, lo) for lo, hi in self.ranges]


def known_total(loop: ForallOp, counted: CountedElements, emit: Emitter) -> SSAValue:
    """How many elements there are, computed before a loop; the value that a schedule states, if it does (`bound`)."""
    computed = Block()
    total = counted.total(Emitter(computed))
    (total,) = compute_before(loop, computed, (total,))
    return next((use.operation.result for use in total.uses if isinstance(use.operation, BoundOp)), total)
