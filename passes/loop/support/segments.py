"""Loops over segments: one segment of a positions array per iteration of the loop around."""

from __future__ import annotations

from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.ir import Block, SSAValue

from irtensor.dialects.loop.loop import ForOp, LoadOp
from irtensor.passes.support.emit import Emitter, is_successor


class Segments(NamedTuple):
    """A loop from `positions[x]` to `positions[x + 1]`, where x counts the iterations of the loop `outer`."""

    positions: SSAValue
    outer: ForOp


def segments_of(loop: ForOp) -> Segments | None:
    """The segments that a loop runs over, or None if its bounds are not two neighbours of a positions array."""
    lower, upper = position_read(loop.lower), position_read(loop.upper)
    if lower is None or upper is None or lower.buffer is not upper.buffer or not is_successor(upper.index, lower.index):
        return None
    segment = lower.index.owner
    outer = segment.parent_op() if isinstance(segment, Block) else None
    if not isinstance(outer, ForOp) or lower.index is not outer.induction:
        return None
    return None if outer.is_ancestor(lower.buffer.owner) else Segments(lower.buffer, outer)


def position_read(value: SSAValue) -> LoadOp | None:
    """The read of a positions array that a loop bound comes from."""
    owner = value.owner
    if isinstance(owner, arith.IndexCastOp):
        owner = owner.input.owner
    return owner if isinstance(owner, LoadOp) else None


def outermost(loop: ForOp) -> ForOp:
    """The loop whose iterations are those segments whose segments ... `loop` runs over."""
    segments = segments_of(loop)
    return loop if segments is None else outermost(segments.outer)


def begin_of_all(loop: ForOp, emit: Emitter) -> SSAValue:
    """Where the first segment begins, known before the outermost loop. Segments lie one behind the other."""
    segments = segments_of(loop)
    return loop.lower if segments is None else emit.load_index(segments.positions, begin_of_all(segments.outer, emit))


def end_of_all(loop: ForOp, emit: Emitter) -> SSAValue:
    """Where the last segment ends, known before the outermost loop."""
    segments = segments_of(loop)
    return loop.upper if segments is None else emit.load_index(segments.positions, end_of_all(segments.outer, emit))
