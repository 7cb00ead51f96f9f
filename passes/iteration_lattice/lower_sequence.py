"""`lower-sequence`: the product of phases becomes ordered lattice points (Kjolstad 2020, 3.3; Ahrens 2024, 4)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import IndexType, ModuleOp, UnitAttr
from xdsl.ir import Block, SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import (
    CoiterateOp,
    JumperOp,
    LookupOp,
    PointOp,
    RunOp,
    SequenceOp,
    StepperOp,
)
from irtensor.dialects.support.create_operation import create_block, create_region
from irtensor.dialects.support.expect import expect
from irtensor.passes.iteration_lattice.support.coiteration import (
    Facts,
    count_copies,
    emit_coiterate,
    erase_unused,
    has_stand_in,
    nests_of,
    probe_with,
    replace,
    rewrite_all,
    stand_in,
    waits_for_others,
)
from irtensor.passes.iteration_lattice.support.cutting import with_end
from irtensor.passes.iteration_lattice.support.phase_points import (
    MOST_COMBINATIONS,
    VOID,
    Point,
    all_points,
    contributing,
    foldable,
    pruned_points,
)
from irtensor.passes.iteration_lattice.support.seeking import has_lists, seek, seek_all
from irtensor.passes.iteration_lattice.support.segments import as_segments, has_segments
from irtensor.passes.support.emit import Emitter, is_successor, move_before
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass, option

_index = IndexType()
_PHASES = {"StepperOp": "stored", "JumperOp": "stored", "RunOp": "gap", "LookupOp": "block"}


@dataclass(frozen=True)
class LowerSequencePass(TensorPass):
    """Enumerate the combinations of phases that do anything; each is a loop over the range in which it holds.

    Before: `coiterate over (sequence until %s nests %a, %fill), (sequence until %t nests %b, %fill) { body }`
    After:  `point %c to min(%s, %t) { coiterate over %a, %b }; point %c to %s { coiterate over %a }; ...`
    Combinations of no effect vanish, as do those that an earlier one already covers. Above `max-points` combinations,
    and above other loops, operands that only contribute are not split: they stay in one loop and count as exhausted
    by a sentinel.
    """

    name = "lower-sequence"
    accepts = ("iteration_lattice.coiterate",)
    leaves = ("iteration_lattice", "iteration_lattice.coiterate", "storage", "algebra", "loop")
    max_points: int = option("The most combinations of phases that get a loop each.", 3)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite_all(op, lambda coiterate: lower_sequence(coiterate, self.max_points))


def lower_sequence(op: CoiterateOp, max_points: int = 3) -> bool:
    """Split one coiterate at the phases of its sequences."""
    sequences = dict(nests_of(op, SequenceOp))
    if not sequences or waits_for_others(op, SequenceOp):
        return False
    folded: frozenset[int] = frozenset()
    if prod(len(sequence.nests) for sequence in sequences.values()) > MOST_COMBINATIONS:
        folded, needed = foldable(op, sequences)
        _fold_as_segments(op, sequences, folded)
        points = list(pruned_points(op, sequences, folded, dict.fromkeys(needed, 0)))
    else:
        points = list(all_points(op, sequences, folded))
        unions = contributing(points, sequences)
        # Above other loops, points would multiply their code for the sake of an operand's last few fibers.
        crowded = len(unions) > 1 and operations_in(op.body, CoiterateOp)
        if crowded or sum(1 for point in points if point.used is not VOID) > max_points:
            folded = unions
            _fold_as_segments(op, sequences, folded)
            points = list(all_points(op, sequences, folded))
    while points and points[-1].used is VOID:
        points.pop()
    block = create_block()
    _emit_points(op, points, folded, Emitter(block))
    replace(op, block)
    return True


def _fold_as_segments(op: CoiterateOp, sequences: dict[int, SequenceOp], folded: Collection[int]) -> None:
    """Let each operand that is not split be one list of gaps as well as pieces, and a gap."""
    numbers = [number for number in folded if has_segments(sequences[number])]
    if not numbers:
        return
    ahead = create_block()
    emit = Emitter(ahead)
    seek_all(op, emit)
    op.entered = UnitAttr()
    for number in numbers:
        before, segments = op.nests[number], as_segments(sequences[number], op.lo, op.hi, emit)
        op.operands[2 + number] = segments
        erase_unused(before)
        sequences[number] = expect(segments.owner, SequenceOp)
    move_before(ahead, op)


def _emit_points(op: CoiterateOp, points: Sequence[Point], folded: frozenset[int], emit: Emitter) -> None:
    if not points:
        return
    seek_all(op, emit)
    if len(points) == 1:
        end, live = _range_end(op, points[0], folded, emit)
        nests = _nests_in(op, points[0], emit)
        emit_coiterate(emit, op.body.block, op.lo, end, nests, Facts(entered=True, live=live), last=True)
        return
    # Nothing happens before the first point that has an effect.
    first, lo = next(number for number, point in enumerate(points) if point.used is not VOID), op.lo
    for point in points[:first]:
        lo = emit.max(lo, _range_end(op, point, folded, emit)[0])
    if first + 1 == len(points) and _is_block(op, points[first]):
        end = _range_end(op, points[first], folded, emit)[0]
        nests = _nests_in(op, points[first], emit)
        emit_coiterate(emit, op.body.block, lo, end, nests, Facts(), last=True)
        return
    running = emit.cell(lo)
    running.name_hint = "c"
    bodies: list[Block] = []
    for number, point in enumerate(points[first:], first):
        end, live = _range_end(op, point, folded, emit)
        body = create_block((_index, _index))
        inner = Emitter(body)
        if point.used is not VOID:
            for late in _late(point, points[:number]):
                seek(late, body.args[0], inner)
            nests = _nests_in(op, point, inner)
            facts = Facts(unit=_is_unit(op, point), entered=True, live=live)
            last = point is points[-1]
            emit_coiterate(inner, op.body.block, body.args[0], body.args[1], nests, facts, last=last)
        phases = [_PHASES.get(type(nest.owner).__name__, "part") for nest in point.nests]
        emit.insert(PointOp.of(running, end, phases, create_region(body)))
        bodies.append(body)
    count_copies(bodies)


def _is_block(op: CoiterateOp, point: Point) -> bool:
    """Whether a plain loop visits a point, which does nothing if its range is empty."""
    return not _is_unit(op, point) and all(isinstance(nest.owner, LookupOp | RunOp) for nest in point.nests)


def _late(point: Point, earlier: Sequence[Point]) -> Iterator[SSAValue]:
    """The nests of a point whose cursors may stand before its range: points before it did not iterate over them."""
    # A point that begins behind a phase of a sequence leaves nothing for points of that phase.
    before = [
        other
        for other in earlier
        if all(other.phases[number] <= point.phases[number] for number in point.bounding if number in other.phases)
    ]
    for number, nest in enumerate(point.nests):
        phase = point.phases.get(number, 0)
        same = [other for other in before if other.phases.get(number, 0) == phase]
        if isinstance(nest.owner, StepperOp | JumperOp):
            is_there = not point.visits(number) or (phase == 0 and all(other.visits(number) for other in same))
        else:
            # Which lists a sequence or a switch has visited is not known.
            is_there = phase == 0 and not same
        if not is_there:
            yield nest


def _is_unit(op: CoiterateOp, point: Point) -> bool:
    """Whether the range of a point is a single coordinate: then no list in it is iterated over."""
    if any(map(has_lists, point.nests)):
        return False
    return op.unit is not None or any(_is_one_coordinate(op, number, point.phases[number]) for number in point.phases)


def _is_one_coordinate(op: CoiterateOp, number: int, phase: int) -> bool:
    if phase == 0:
        return False
    return is_successor(_end_of(op, number, phase), _end_of(op, number, phase - 1))


def _range_end(
    op: CoiterateOp, point: Point, folded: frozenset[int], emit: Emitter
) -> tuple[SSAValue, list[int] | None]:
    """Where a point ends, and the operands that cannot run out before (None: the end may cut a chunk)."""
    ends = list(point.ends)
    lists: dict[int, SSAValue] = {}
    blocks: list[SSAValue] = []
    for number, nest in enumerate(point.nests):
        if isinstance(nest.owner, StepperOp | JumperOp) and point.visits(number):
            lists[number] = nest.owner.stop
        elif number in folded and number in point.used:
            blocks.append(expect(op.nests[number].owner, SequenceOp).ends[0])
    if any(end not in lists.values() for end in ends):
        # Something else ends the range, such as a mask, or a list that is not visited.
        is_inside = op.full is not None and all(map(partial(_ends_within, op), point.bounding))
        return emit.min(*ends) if is_inside else emit.min(op.hi, *ends), None
    if not ends and (lists or blocks) and folded and not _has_gap_effect(op, point, folded):
        ends.append(emit.max(*lists.values(), *blocks))
    if op.full is None or not ends or blocks:
        # A block may go on behind the last entry of all lists.
        return emit.min(op.hi, *ends), None
    return emit.min(*ends), [n for n, stop in lists.items() if n not in folded and stop in point.ends]


def _ends_within(op: CoiterateOp, number: int) -> bool:
    """Whether the phases of a sequence end at stored coordinates of its dimension, or before."""
    sequence = op.nests[number].owner
    assert isinstance(sequence, SequenceOp)
    if sequence.within is not None:
        return True
    listed = sequence.nests[0].owner
    return isinstance(listed, StepperOp | JumperOp) and list(sequence.ends) == [listed.stop]


def _has_gap_effect(op: CoiterateOp, point: Point, folded: frozenset[int]) -> bool:
    """Whether anything happens at coordinates that none of the folded operands stores."""
    nests = list(point.nests)
    for number in folded:
        sequence = op.nests[number].owner
        assert isinstance(sequence, SequenceOp)
        nests[number] = sequence.nests[-1]
    return probe_with(op, nests).effect


def _nests_in(op: CoiterateOp, point: Point, emit: Emitter) -> list[SSAValue]:
    """The nests of a point, in forms that hold in its range.

    A run stands for a nest whose payload does not matter: its range may end before that of the point. Of a nest that
    may go on behind the range, the end is not that of the range.
    """
    nests = list(point.nests)
    for number, nest in enumerate(nests):
        if number not in point.used and not isinstance(nest.owner, RunOp) and has_stand_in(nest):
            nests[number] = stand_in(emit, nest)
        elif not isinstance(nest.owner, StepperOp | JumperOp):
            end = _end_of(op, number, point.phases.get(number))
            if end is not op.hi or point.ends:
                nests[number] = with_end(nest, end, emit)
    return nests


def _end_of(op: CoiterateOp, number: int, phase: int | None) -> SSAValue:
    """Where a nest ends, or a phase of it if it is a sequence that is split."""
    sequence = op.nests[number].owner
    if phase is None or not isinstance(sequence, SequenceOp) or phase == len(sequence.ends):
        return op.hi
    return sequence.ends[phase]
