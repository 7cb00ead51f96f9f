"""Where the lists lie that loops below another one iterate over, taken together over all of its iterations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import IfOp, MergeOp, PlaceOp, PointOp, WalkOp
from irtensor.dialects.loop.loop import CellOp, GetOp
from irtensor.dialects.loop.loop_memory import LoadOp
from irtensor.dialects.storage.storage import ArrayOp, is_array
from irtensor.passes.support.emit import Emitter, is_successor


class Segments(NamedTuple):
    """The segments of a level below the positions that one cursor of a loop moves along."""

    tensor: SSAValue
    level: int
    cursor: int

    def length(self, loop: MergeOp | WalkOp, emit: Emitter) -> SSAValue:
        """The entries in all of them: consecutive segments are adjacent."""
        if isinstance(loop, MergeOp):
            begin, end = emit.get(loop.cursors[self.cursor]), loop.ends[self.cursor]
        else:
            begin, end = loop.begin, loop.end
        positions = emit.insert(ArrayOp.of(self.tensor, "positions", self.level)).result
        return emit.sub(emit.load_index(positions, end), emit.load_index(positions, begin))


def segments_below(op: Operation, appends: Callable[[Operation], bool | None]) -> set[Segments] | None:
    """Segments with an entry for each iteration of the loops in an operation that append; None if none are known.

    `appends` says of a loop whether it does, None where a loop inside of it does. No entry counts for two iterations:
    an iteration of the operation has positions of its own, and iterates over a segment below one of them once.
    """
    if not isinstance(op, MergeOp | WalkOp):
        return None
    found: set[Segments] = set()
    for body in [op.body] if isinstance(op, WalkOp) else op.bodies:
        cursors: dict[Segments, SSAValue] = {}
        for inner in _loops(body.block):
            if (does := appends(inner)) is False:
                continue
            if does is None or (ranges := _ranges(inner)) is None:
                return None
            for begin, end in ranges:
                cell = begin.owner.cell if isinstance(begin.owner, GetOp) else begin
                start, is_cursor = (cell.owner.initial, True) if isinstance(cell.owner, CellOp) else (cell, False)
                segments = _segments(start, end, body.block)
                # Loops that move one cursor go on where the one before ended.
                if segments is None or (segments in cursors and (not is_cursor or cursors[segments] is not cell)):
                    return None
                cursors[segments] = cell
        found.update(cursors)
    return found or None


def _loops(block: Block) -> Iterator[Operation]:
    """The outermost loops in a block."""
    for op in block.ops:
        if isinstance(op, PointOp | PlaceOp | IfOp):
            for region in op.regions:
                yield from _loops(region.block)
        elif op.regions:
            yield op


def _ranges(loop: Operation) -> list[tuple[SSAValue, SSAValue]] | None:
    """The ranges of positions that a loop steps through, each iteration at least one; None if not known."""
    if isinstance(loop, MergeOp) and loop.cut is None:
        return list(zip(loop.cursors, loop.ends, strict=True))
    return [(loop.begin, loop.end)] if isinstance(loop, WalkOp) else None


def _segments(begin: SSAValue, end: SSAValue, body: Block) -> Segments | None:
    """The segments, if each iteration of a loop with this body iterates over the one from `begin` to `end`."""
    first, last = _bound(begin), _bound(end)
    if first is None or last is None or first[:2] != last[:2]:
        return None
    position, after = first[2], last[2]
    if isinstance(position.owner, arith.SelectOp) and isinstance(after.owner, arith.SelectOp):
        # Below a cursor that is not aligned is the segment from 0 to 0.
        chosen, other = position.owner, after.owner
        if (chosen.cond, chosen.rhs) != (other.cond, other.rhs):
            return None
        position, after = chosen.lhs, other.lhs
    if not isinstance(position, BlockArgument) or position.block is not body:
        return None
    loop = body.parent_op()
    if isinstance(loop, WalkOp):
        return Segments(*first[:2], 0) if is_successor(after, position) else None
    assert isinstance(loop, MergeOp)
    count, cursor = len(loop.cursors), position.index - 2
    if not 0 <= cursor < count or after is not body.args[2 + count + cursor]:
        return None
    return Segments(*first[:2], cursor)


def _bound(value: SSAValue) -> tuple[SSAValue, int, SSAValue] | None:
    """The tensor, the level and the index of an element of a positions array."""
    cast = value.owner
    load = cast.operands[0].owner if isinstance(cast, arith.IndexCastOp) else cast
    if not isinstance(load, LoadOp) or not is_array(positions := load.buffer.owner, "positions"):
        return None
    return positions.tensor, positions.level.value.data, load.index
