"""`lower-sequence`: the product of phases becomes ordered lattice points (Kjolstad 2020, 3.3; Ahrens 2024, section 4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from xdsl.context import Context
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Block, Region, SSAValue

from irtensor.dialects.iteration_lattice import CoiterateOp, PointOp, RunOp, SequenceOp, SpikeOp, StepperOp, yielded
from irtensor.dialects.operators import same_value
from irtensor.passes.emit import Emitter
from irtensor.passes.iteration_lattice.coiteration import (
    emit_coiterate,
    nests_of,
    probe_with,
    replace,
    rewrite_all,
)
from irtensor.passes.iteration_lattice.specialize import Fill, known_value
from irtensor.passes.pass_base import TensorPass

_index = IndexType()
_KINDS = {"StepperOp": "stored", "JumperOp": "stored", "RunOp": "gap", "LookupOp": "block"}


@dataclass(frozen=True)
class LowerSequencePass(TensorPass):
    """Enumerate the combinations of phases that do anything; each is a loop over the range in which it holds.

    Before: `coiterate %lo to %hi over (sequence until %s nests %a, %fill), (sequence until %t nests %b, %fill) { body }`
    After:  `point %c to min(%s, %t) { coiterate over %a, %b }; point %c to %s { coiterate over %a }; ...`
    Combinations of no effect vanish, as do those that an earlier one already covers. Above `max-points` combinations,
    operands that only contribute are not split: they stay in one loop and count as exhausted by a sentinel.
    """

    name = "lower-sequence"
    max_points: int = 3

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite_all(op, lambda coiterate: lower_sequence(coiterate, self.max_points))


@dataclass
class _Point:
    """One combination of phases: the nests, which of them matter, and where it ends."""

    phases: tuple[int, ...]
    nests: list[SSAValue]
    used: frozenset[int]
    ends: list[SSAValue]
    """Ends of the phases that bound the range; empty if it lasts to the end of the loop."""

    @property
    def key(self) -> tuple[tuple[int, SSAValue], ...]:
        return tuple((number, self.nests[number]) for number in sorted(self.used))


def lower_sequence(op: CoiterateOp, max_points: int = 3) -> bool:
    """Split one coiterate at the phases of its sequences."""
    sequences = dict(nests_of(op, SequenceOp))
    if not sequences:
        return False
    points = list(_points(op, sequences, frozenset()))
    folded: frozenset[int] = frozenset()
    if sum(1 for point in points if point.used is not _VOID) > max_points:
        folded = _contributing(points, sequences)
        points = list(_points(op, sequences, folded))
    while points and points[-1].used is _VOID:
        points.pop()
    block = Block()
    _emit_points(op, points, folded, Emitter(block))
    replace(op, block)
    return True


_VOID: frozenset[int] = frozenset((-1,))


def _points(op: CoiterateOp, sequences: dict[int, SequenceOp], folded: frozenset[int]) -> Iterator[_Point]:
    """Combinations in an order in which every coordinate belongs to the first one that reaches it."""
    seen: set[tuple[tuple[int, SSAValue], ...]] = set()
    split = [number for number in sequences if number not in folded]
    for phases in product(*(range(len(sequences[number].nests)) for number in split)):
        nests = list(op.nests)
        ends: dict[int, SSAValue] = {}
        for number in folded:
            nests[number] = sequences[number].nests[0]
        for number, phase in zip(split, phases, strict=True):
            nests[number] = sequences[number].nests[phase]
            if phase < len(sequences[number].ends):
                ends[number] = sequences[number].ends[phase]
        outcome = probe_with(op, nests)
        arguments = op.body.block.args[1:]
        used = frozenset(number for number, argument in enumerate(arguments) if argument in outcome.used)
        if not outcome.effect:
            yield _Point(phases, nests, _VOID, list(ends.values()))
            continue
        for number in range(len(nests)):
            if number not in used and not isinstance(nests[number].owner, RunOp):
                ends.pop(number, None)
        point = _Point(phases, nests, used, list(ends.values()))
        if point.key not in seen:
            seen.add(point.key)
            yield point


def _contributing(points: Sequence[_Point], sequences: dict[int, SequenceOp]) -> frozenset[int]:
    """Sequences some points do without: unions. Only a stepper followed by a run of its own gap can be folded."""
    live = [point for point in points if point.used is not _VOID]
    return frozenset(
        number
        for position, (number, sequence) in enumerate(sequences.items())
        if _is_foldable(sequence) and any(point.phases[position] > 0 for point in live)
    )


def _is_foldable(sequence: SequenceOp) -> bool:
    stepper, rest = sequence.nests[0].owner, sequence.nests[-1].owner
    if len(sequence.nests) != 2 or not isinstance(stepper, StepperOp) or not isinstance(rest, RunOp):
        return False
    spike = yielded(stepper.chunk)[0].owner
    if not isinstance(spike, SpikeOp):
        return False
    gap, payload = known_value(spike.gap), known_value(rest.payload)
    if gap is None or payload is None or isinstance(gap, Fill) or isinstance(payload, Fill):
        return gap is payload and gap is not None
    return same_value(gap, payload)


def _emit_points(op: CoiterateOp, points: Sequence[_Point], folded: frozenset[int], emit: Emitter) -> None:
    if len(points) == 1:
        end, live = _range_end(op, points[0], folded, emit)
        nests = _without_unused(points[0], emit)
        emit_coiterate(emit, op.body.block, op.lo, end, nests, full=False, live=live)
        return
    if not points:
        return
    running = emit.cell(op.lo)
    running.name_hint = "c"
    for point in points:
        end, live = _range_end(op, point, folded, emit)
        body = Block(arg_types=(_index, _index))
        inner = Emitter(body)
        if point.used is not _VOID:
            nests = _without_unused(point, inner)
            emit_coiterate(inner, op.body.block, body.args[0], body.args[1], nests, live=live)
        kinds = [_KINDS.get(type(nest.owner).__name__, "part") for nest in point.nests]
        emit.insert(PointOp.of(running, end, kinds, Region(body)))


def _range_end(
    op: CoiterateOp, point: _Point, folded: frozenset[int], emit: Emitter
) -> tuple[SSAValue, list[int] | None]:
    """Where a point ends, and the operands that cannot run out before (None: the end may cut a chunk)."""
    ends = list(point.ends)
    live = [
        number
        for number, nest in enumerate(point.nests)
        if number not in folded and isinstance(nest.owner, StepperOp) and nest.owner.stop in ends
    ]
    if not ends and folded and not _has_gap_effect(op, point, folded):
        stops = [nest.owner.stop for nest in point.nests if isinstance(nest.owner, StepperOp)]
        ends.append(emit.max(*stops))
    if op.full is None or not ends:
        return emit.min(op.hi, *ends), None
    return emit.min(*ends), live


def _has_gap_effect(op: CoiterateOp, point: _Point, folded: frozenset[int]) -> bool:
    """Whether anything happens at coordinates that none of the folded operands stores."""
    nests = list(point.nests)
    for number in folded:
        sequence = op.nests[number].owner
        assert isinstance(sequence, SequenceOp)
        nests[number] = sequence.nests[-1]
    return probe_with(op, nests).effect


def _without_unused(point: _Point, emit: Emitter) -> list[SSAValue]:
    """Steppers whose payload does not matter are not visited: any payload will do for them."""
    nests = list(point.nests)
    for number, nest in enumerate(nests):
        owner = nest.owner
        if number not in point.used and isinstance(owner, StepperOp):
            spike = yielded(owner.chunk)[0].owner
            if isinstance(spike, SpikeOp) and known_value(spike.gap) is not None:
                gap = spike.gap.owner.clone()  # pyright: ignore
                nests[number] = emit.insert(RunOp.of(emit.insert(gap).results[0])).result
    return nests
