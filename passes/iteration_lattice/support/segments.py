"""Segments: the gaps and the pieces of an operand one after the other, as chunks of equal rank.

Two phases for each piece would be two loops for each combination with the pieces of others. As segments they all meet
in one merge, in whose iterations each operand is a gap or a piece: a switch.
"""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType, UnitAttr
from xdsl.ir import Attribute, Block, SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import (
    JumperOp,
    LookupOp,
    RunOp,
    SequenceOp,
    SpikeOp,
    StepperOp,
    SwitchOp,
    YieldOp,
    looplet_payload,
    yielded,
)
from irtensor.dialects.support.constant_index import constant_index
from irtensor.dialects.support.create_operation import clone_operation, create_block, create_region
from irtensor.passes.iteration_lattice.support.absent_payload import OptionalNest
from irtensor.passes.iteration_lattice.support.coiteration import inline_region
from irtensor.passes.iteration_lattice.support.known_values import Known, is_same, known_value
from irtensor.passes.support.emit import Emitter, is_successor
from irtensor.passes.support.erase_unused import erase_unused
from irtensor.passes.support.operations_in import operations_of

_index = IndexType()


def piece_phase(sequence: SequenceOp) -> int | None:
    """The number of the phase that has all pieces of a sequence, if there are only equal gaps before and behind it."""
    rest = _run_payload(sequence.nests[-1])
    if rest is None:
        return None
    if len(sequence.nests) > 3:
        return None
    if has_one_piece(sequence):
        gap = rest if len(sequence.nests) == 2 else _run_payload(sequence.nests[0])
    else:
        gap = _gap_of_list(sequence.nests[0]) if len(sequence.nests) == 2 else None
    return len(sequence.nests) - 2 if gap is not None and is_same(gap, rest) else None


def has_one_piece(sequence: SequenceOp) -> bool:
    """Whether the phase before the last one is a single piece, and no list of them.

    At the beginning that is a block: of two runs, either may be the gap.
    """
    piece = sequence.nests[-2].owner
    return isinstance(piece, LookupOp) or (len(sequence.nests) > 2 and isinstance(piece, RunOp))


def has_segments(sequence: SequenceOp) -> bool:
    """Whether a sequence that `piece_phase` knows has to become one of segments, to be merged."""
    return has_one_piece(sequence) or not isinstance(_chunk(sequence.nests[0]), SpikeOp)


def as_segments(sequence: SequenceOp, lo: SSAValue, hi: SSAValue, emit: Emitter) -> SSAValue:
    """The same nest as a list of gaps and pieces, or as one that is looked up, and a gap; the range is [lo, hi).

    The cursor of a list stands at the first piece that ends behind `lo`; that of the segments does so as well.
    """
    if not has_one_piece(sequence):
        segments = _segments_of_list(sequence, lo, emit)
    elif len(sequence.nests) == 3:
        segments = _segments_of_phases(sequence, lo, hi, emit)
    else:
        return emit.insert(SequenceOp.of(sequence.ends, (_looked_up(sequence, emit), sequence.nests[-1]))).result
    return emit.insert(SequenceOp.of((segments.stop,), (segments.result, sequence.nests[-1]))).result


def _looked_up(sequence: SequenceOp, emit: Emitter) -> SSAValue:
    """A block at the beginning of the range, and the gap behind it, looked up at each coordinate.

    Up to where the last of several such blocks ends, there is one at each coordinate.
    """
    lookup, gap = sequence.nests[0].owner, sequence.nests[1].owner
    assert isinstance(lookup, LookupOp) and isinstance(gap, RunOp)
    zero, body = emit.index(0), create_block((_index,))
    inner = Emitter(body)
    is_inside = inner.compare("slt", body.args[0], sequence.ends[0])
    inner.insert(YieldOp.of(*inline_region(lookup.body, body.args, inner)))
    whole = emit.insert(LookupOp.of(looplet_payload(lookup.result), create_region(body))).result
    return OptionalNest(is_inside, gap.payload, zero).of(whole, body, emit)


def _segments_of_list(sequence: SequenceOp, lo: SSAValue, emit: Emitter) -> StepperOp:
    """Segment 2p is the gap before piece p, and 2p + 1 the piece."""
    stepper = sequence.nests[0].owner
    assert isinstance(stepper, StepperOp)

    def begin_of(piece: SSAValue, inner: Emitter) -> SSAValue:
        nest = inline_region(stepper.chunk, (piece, inner.add(piece, inner.index(1))), inner)[0].owner
        assert isinstance(nest, SequenceOp)
        return nest.ends[0]

    load, chunk = create_block((_index,)), create_block((_index, _index))
    inner = Emitter(load)
    piece, is_piece = _numbered(load.args[0], inner)
    (end,) = inline_region(stepper.load, (piece,), inner)
    inner.insert(YieldOp.of(inner.select(is_piece, end, begin_of(piece, inner))))
    inner = Emitter(chunk)
    zero = inner.index(0)
    piece, is_piece = _numbered(chunk.args[0], inner)
    nest = inline_region(stepper.chunk, (piece, inner.add(piece, inner.index(1))), inner)[0].owner
    assert isinstance(nest, SequenceOp)
    inner.insert(YieldOp.of(_choice(is_piece, nest.nests[1], nest.nests[0], zero, inner)))
    for block in (load, chunk):
        erase_unused(operations_of(block))
    two, first = emit.index(2), emit.get(stepper.cursor)
    cursor = emit.mul(first, two)
    if constant_index(lo) != 0:
        # The first piece may have begun.
        ahead = Emitter(create_block())
        is_there = ahead.compare("slt", first, stepper.end)
        begin = begin_of(ahead.select(is_there, first, ahead.index(0)), ahead)
        cursor_in = ahead.add(cursor, ahead.to_index(ahead.both(is_there, ahead.compare("sle", begin, lo))))
        cell = ahead.cell(cursor_in)
        erase_unused([op for op in operations_of(ahead.block) if cell.owner is not op])
        emit.take(operations_of(ahead.block))
    else:
        cell = emit.cell(cursor)
    return _segments(cell, emit.mul(stepper.end, two), stepper.stop, load, chunk, sequence, emit)


def _segments_of_phases(sequence: SequenceOp, lo: SSAValue, hi: SSAValue, emit: Emitter) -> StepperOp:
    """Segment 0 is the gap before the only piece, and 1 the piece."""
    begin, stop = sequence.ends
    if not is_successor(stop, begin):
        stop = emit.max(begin, stop)
    if sequence.within is None:
        begin, stop = emit.min(begin, hi), emit.min(stop, hi)
    load, chunk = create_block((_index,)), create_block((_index, _index))
    inner = Emitter(load)
    is_piece = inner.compare("ne", load.args[0], inner.index(0))
    inner.insert(YieldOp.of(inner.select(is_piece, stop, begin)))
    inner = Emitter(chunk)
    zero = inner.index(0)
    is_piece = inner.compare("ne", chunk.args[0], zero)
    piece = sequence.nests[1]
    if isinstance(piece.owner, LookupOp):
        piece = inner.insert(clone_operation(piece.owner, {})).result
    inner.insert(YieldOp.of(_choice(is_piece, piece, sequence.nests[-1], zero, inner)))
    passed = [emit.to_index(emit.compare("sle", end, lo)) for end in (begin, stop)]
    return _segments(emit.cell(emit.add(*passed)), emit.index(2), stop, load, chunk, sequence, emit)


def _segments(
    cursor: SSAValue, end: SSAValue, stop: SSAValue, load: Block, chunk: Block, sequence: SequenceOp, emit: Emitter
) -> StepperOp:
    regions = create_region(load), create_region(chunk)
    properties: dict[str, Attribute] = {"empty": UnitAttr()}
    return emit.insert(StepperOp.of(cursor, end, stop, *regions, looplet_payload(sequence.result), properties))


def _numbered(segment: SSAValue, emit: Emitter) -> tuple[SSAValue, SSAValue]:
    """The number of the piece that a segment is, or that is behind it, and whether it is one."""
    is_piece = emit.compare("ne", emit.both(segment, emit.index(1)), emit.index(0))
    return emit.divide(segment, emit.index(2)), is_piece


def _choice(is_piece: SSAValue, piece: SSAValue, gap: SSAValue, zero: SSAValue, emit: Emitter) -> SSAValue:
    """A piece or a gap, also at each coordinate of a piece whose elements differ."""
    if not isinstance(piece.owner, LookupOp):
        return emit.insert(SwitchOp.of(is_piece, piece, gap)).result
    assert isinstance(gap.owner, RunOp)
    return OptionalNest(is_piece, gap.owner.payload, zero).of(piece, piece.owner.body.block, emit)


def _gap_of_list(nest: SSAValue) -> Known | None:
    """What a list has before each of its entries or pieces, if that is known."""
    chunk = _chunk(nest)
    if isinstance(chunk, SpikeOp):
        return known_value(chunk.gap)
    if isinstance(nest.owner, StepperOp) and nest.owner.nonunique is None and isinstance(chunk, SequenceOp):
        return _run_payload(chunk.nests[0]) if len(chunk.nests) == 2 else None
    return None


def _chunk(nest: SSAValue) -> object:
    stepper = nest.owner
    return yielded(stepper.chunk)[0].owner if isinstance(stepper, StepperOp | JumperOp) else None


def _run_payload(nest: SSAValue) -> Known | None:
    return known_value(nest.owner.payload) if isinstance(nest.owner, RunOp) else None
