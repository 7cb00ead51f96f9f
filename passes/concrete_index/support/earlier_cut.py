"""What an earlier cut left of a nest of fused loops: a part from one corner to another in lexicographic order.

It is read back from the ranges that `cut_nest` gives to loops: the IR alone says what a nest runs over.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from irtensor.dialects.concrete_index.concrete_index import ForallOp
from irtensor.dialects.concrete_index.index_ranges import EntryOp
from irtensor.dialects.storage.storage import format_of
from irtensor.dialects.support.create_operation import copy_of
from irtensor.passes.analysis.ranges import computes_range, range_sources, sources
from irtensor.passes.concrete_index.support.counted_entries import Entries
from irtensor.passes.support.emit import Emitter


class EarlierCut(NamedTuple):
    """A part of a nest: its first corner, where its entries or coordinates are by their numbers, and which it has.

    `coordinates` are those of the element with the number `first`; `end` is the number past the last, or a larger one.
    `after` are the coordinates of the end, if they are known; the contents of a window may end before them.
    """

    corner: tuple[SSAValue, ...]
    coordinates: tuple[SSAValue, ...]
    first: SSAValue
    end: SSAValue
    after: tuple[SSAValue, ...] = ()

    @property
    def tensor(self) -> SSAValue | None:
        """The operand whose entries are numbered; None if coordinates are."""
        owner = self.coordinates[0].owner
        return owner.tensor if isinstance(owner, EntryOp) else None

    def total(self, emit: Emitter) -> SSAValue:
        owner = self.coordinates[0].owner
        if isinstance(owner, EntryOp):
            return _entries(owner).counted(len(owner.coordinates), emit)
        total = _argument(_argument(self.coordinates[0], arith.SelectOp, 0), arith.CmpiOp, 1)
        assert total is not None
        return total

    def coordinates_of(self, number: SSAValue, emit: Emitter) -> list[SSAValue]:
        """The coordinates of the element with another number: computed as those of the first one are."""
        owner = self.coordinates[0].owner
        if isinstance(owner, EntryOp):
            return _entries(owner).at(number, len(owner.coordinates), emit, self._between(owner))
        computed = {self.first: number}
        return [_recomputed(value, computed, emit) for value in self.coordinates]

    def _between(self, entry: EntryOp) -> Sequence[SSAValue]:
        """Where entries of the part are: from its first coordinate to that of the entry behind it, if a search for them
        can begin and end there."""
        levels, behind = format_of(entry.tensor.type).levels, self.after[0].owner if self.after else None
        if len(entry.coordinates) == 1 or entry.by_dimension is not None:
            return ()
        if not levels[len(entry.prefix)].format.pattern.full:
            return ()
        if not isinstance(behind, EntryOp) or behind.tensor is not entry.tensor or behind.number is not self.end:
            return ()
        return self.corner[0], self.after[0]


def earlier_cut(nest: Sequence[ForallOp]) -> EarlierCut | None:
    """What an earlier cut left of a nest; None if its loops have other ranges."""
    if not all(loop.bounds for loop in nest):
        return None
    corner = [nest[0].bounds[0], *(_argument(loop.bounds[0], arith.SelectOp, 1) for loop in nest[1:])]
    # Of a single loop, entries before its window are counted as well.
    coordinates = [_argument(_argument(value, arith.MaxSIOp, 1) or value, arith.SelectOp, 2) for value in corner]
    after = _argument(nest[0].bounds[1], arith.MinSIOp, 1)
    last = after if len(nest) == 1 else _argument(after, arith.AddiOp, 0)
    behind = [last, *(_end_inside(loop.bounds[1], loop is nest[-1]) for loop in nest[1:])]
    first, end = _number(coordinates[0]), _number(last)
    if first is None or end is None or None in coordinates:
        return None
    if any(loop.variable in sources(value) for loop in nest for value in (*_known(corner), first, end)):
        # A loop of the nest was cut by itself, for each iteration of another.
        return None
    return EarlierCut(_known(corner), _known(coordinates), first, end, () if None in behind else _known(behind))


def _end_inside(end: SSAValue, innermost: bool) -> SSAValue | None:
    """The coordinate behind the last under the last coordinates of outer loops; around others that one is included."""
    chosen = _argument(end, arith.SelectOp, 1)
    if innermost:
        return _argument(chosen, arith.MinSIOp, 1) or chosen
    return _argument(_argument(chosen, arith.MinSIOp, 1), arith.AddiOp, 0)


def depends_on_itself(nest: Sequence[ForallOp]) -> bool:
    """Whether the range of a loop is computed from a variable that another loop of the nest binds."""
    variables = {loop.variable for loop in nest}
    return any(variables & range_sources(loop.variable) for loop in nest)


def _entries(entry: EntryOp) -> Entries:
    """What an entry is one of."""
    return Entries(entry.tensor, tuple(entry.prefix), entry.by_dimension is not None)


def _argument(value: SSAValue | None, op_type: type[Operation], number: int) -> SSAValue | None:
    """An operand of the operation that computes a value, if it is of a kind."""
    return value.owner.operands[number] if value is not None and isinstance(value.owner, op_type) else None


def _number(coordinate: SSAValue | None) -> SSAValue | None:
    """The number from which a first coordinate is computed."""
    if coordinate is not None and isinstance(coordinate.owner, EntryOp):
        return coordinate.owner.number
    return _argument(_argument(coordinate, arith.SelectOp, 0), arith.CmpiOp, 0)


def _known(values: Sequence[SSAValue | None]) -> tuple[SSAValue, ...]:
    return tuple(value for value in values if value is not None)


def _recomputed(value: SSAValue, computed: dict[SSAValue, SSAValue], emit: Emitter) -> SSAValue:
    """A value with other values in place of those in `computed`, which also gets values computed on the way."""
    owner = value.owner
    if value not in computed and isinstance(owner, Operation) and computes_range(owner):
        operands = [_recomputed(operand, computed, emit) for operand in owner.operands]
        if operands != list(owner.operands):
            copy = emit.insert(copy_of(owner))
            copy.operands = operands
            computed.update(zip(owner.results, copy.results, strict=True))
    return computed.get(value, value)
