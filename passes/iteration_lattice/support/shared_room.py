"""Which entries the points of a sequence append between them, and how many at most: room is made once for all."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Generic, NamedTuple, TypeVar

from xdsl.ir import Operation, SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import MergeOp, PointOp, WalkOp
from irtensor.dialects.loop.loop import GetOp
from irtensor.dialects.support.is_inside import is_inside
from irtensor.passes.support.emit import Emitter

_Level = TypeVar("_Level")
# A cell that moves along the entries of an operand, and where they end.
Cursor = tuple[SSAValue, SSAValue]


class Appended(NamedTuple, Generic[_Level]):
    """The levels of results that an operation appends to."""

    # At most one entry per iteration of the operation, which is a loop.
    direct: Collection[_Level]
    nested: Collection[_Level]


def sequences(operations: Sequence[Operation]) -> Iterator[tuple[Operation, ...]]:
    """Operations in order; points that follow each other along one running coordinate are together."""
    for _, group in groupby(operations, lambda op: op.running if type(op) is PointOp else op):
        yield tuple(group)


def shared_room(
    points: Sequence[Operation], appended: Callable[[Operation], Appended[_Level]]
) -> dict[_Level, dict[Cursor, None]]:
    """Levels that loops in several points append to, and the cursors that these loops move.

    Every entry comes with a step of one of them, so that there are no more entries than there are steps to the ends.
    """
    found: dict[_Level, dict[Cursor, None]] = {}
    loops: dict[_Level, int] = {}
    excluded: set[_Level] = set()
    for point in points:
        for op in point.regions[0].block.ops if isinstance(point, PointOp) else ():
            if not op.regions:
                continue
            direct, nested = appended(op)
            cursors = _cursors(op, point)
            excluded.update(nested)
            if cursors is None:
                excluded.update(direct)
            else:
                for level in direct:
                    found.setdefault(level, {}).update(dict.fromkeys(cursors))
                    loops[level] = loops.get(level, 0) + 1
    return {level: cursors for level, cursors in found.items() if loops[level] > 1 and level not in excluded}


def _cursors(op: Operation, point: Operation) -> list[Cursor] | None:
    """The cursors that a loop steps along, each iteration at least one; None if they are not known before the point."""
    if isinstance(op, MergeOp) and op.cut is None:
        cursors = list(zip(op.cursors, op.ends, strict=True))
    elif isinstance(op, WalkOp) and isinstance(op.begin.owner, GetOp):
        cursors = [(op.begin.owner.cell, op.end)]
    else:
        return None
    return None if any(is_inside(value, point) for cursor in cursors for value in cursor) else cursors


def steps(cursors: Iterable[Cursor], emit: Emitter) -> SSAValue:
    """How many steps cursors are away from their ends together."""
    total = emit.index(0)
    for cursor, end in cursors:
        total = emit.add(total, emit.sub(end, emit.get(cursor)))
    return total
