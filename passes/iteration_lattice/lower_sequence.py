"""`lower-sequence`: the product of phases becomes ordered lattice points (Kjolstad 2020, 3.3; Ahrens 2024, 4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Block, SSAValue

from irtensor.core.operators import same_value
from irtensor.dialects.iteration_lattice.iteration_lattice import (
    CoiterateOp,
    JumperOp,
    PointOp,
    RunOp,
    SequenceOp,
    SpikeOp,
    StepperOp,
    yielded,
)
from irtensor.dialects.support.create_operation import create_block, create_region
from irtensor.passes.iteration_lattice.support.coiteration import (
    count_copies,
    emit_coiterate,
    gap_run,
    nests_of,
    probe_with,
    replace,
    rewrite_all,
    waits_for_others,
)
from irtensor.passes.iteration_lattice.support.known_values import Fill, known_value
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass, option

_index = IndexType()
_VOID: frozenset[int] = frozenset((-1,))
_KINDS = {"StepperOp": "stored", "JumperOp": "stored", "RunOp": "gap", "LookupOp": "block"}


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


@dataclass
class _Point:
    """One combination of phases: the nests, which of them matter, and where it ends."""

    phases: tuple[int, ...]
    nests: list[SSAValue]
    used: frozenset[int]
    ends: list[SSAValue]
    """Ends of the phases that bound the range; empty if it lasts to the end of the loop."""


def lower_sequence(op: CoiterateOp, max_points: int = 3) -> bool:
    """Split one coiterate at the phases of its sequences."""
    sequences = dict(nests_of(op, SequenceOp))
    if not sequences or waits_for_others(op, SequenceOp):
        return False
    folded: frozenset[int] = frozenset()
    if prod(len(sequence.nests) for sequence in sequences.values()) > _MOST_COMBINATIONS:
        folded, needed = _foldable(op, sequences)
        points = list(_pruned_points(op, sequences, folded, dict.fromkeys(needed, 0)))
    else:
        points = list(_points(op, sequences, folded))
        contributing = _contributing(points, sequences)
        # Above other loops, points would multiply their code for the sake of an operand's last few fibers.
        crowded = len(contributing) > 1 and operations_in(op.body, CoiterateOp)
        if crowded or sum(1 for point in points if point.used is not _VOID) > max_points:
            folded = contributing
            points = list(_points(op, sequences, folded))
    while points and points[-1].used is _VOID:
        points.pop()
    block = create_block()
    _emit_points(op, points, folded, Emitter(block))
    replace(op, block)
    return True


@dataclass(frozen=True)
class _Combination:
    """What happens where every split sequence is in a certain phase; with equal `body` the same happens."""

    nests: list[SSAValue]
    used: frozenset[int]
    body: object


class _Combinations:
    """The combinations of phases of the sequences in `split`, by their phases."""

    def __init__(self, op: CoiterateOp, sequences: dict[int, SequenceOp], folded: frozenset[int]):
        self.op = op
        self.split = [(number, sequence) for number, sequence in sequences.items() if number not in folded]
        self.nests = [sequences[n].nests[0] if n in folded else nest for n, nest in enumerate(op.nests)]
        self.all = list(product(*(range(len(sequence.nests)) for _, sequence in self.split)))
        self.found: dict[tuple[int, ...], _Combination] = {}

    def __getitem__(self, phases: tuple[int, ...]) -> _Combination:
        if phases not in self.found:
            nests = list(self.nests)
            for (number, sequence), phase in zip(self.split, phases, strict=True):
                nests[number] = sequence.nests[phase]
            outcome = probe_with(self.op, nests)
            arguments = self.op.body.block.args[1:]
            used = frozenset(n for n, argument in enumerate(arguments) if argument in outcome.used)
            body = (frozenset((n, nests[n]) for n in used), outcome.trace)
            self.found[phases] = _Combination(nests, used if outcome.effect else _VOID, body)
        return self.found[phases]

    def bounded(self, phases: tuple[int, ...]) -> frozenset[int]:
        """Numbers of the sequences whose phases end before the loop does."""
        return frozenset(k for k, (_, sequence) in enumerate(self.split) if phases[k] < len(sequence.ends))

    def unused(self, phases: tuple[int, ...]) -> frozenset[int]:
        """Numbers of the sequences that are still to be visited, but do not matter."""
        combination = self[phases]
        numbers = [number for number, _ in self.split]
        return frozenset(
            k
            for k, number in enumerate(numbers)
            if number not in combination.used and not isinstance(combination.nests[number].owner, RunOp)
        )

    def lasts(self, phases: tuple[int, ...], bounds: frozenset[int], earlier: Sequence[_Reach]) -> bool:
        """Whether the same happens in all combinations that a point with these bounds meets after the earlier ones."""
        for other in self.all:
            behind = any(other[k] > phases[k] for k in bounds)
            before = any(not any(other[k] > point[k] for k in reach) for point, reach in earlier)
            if not behind and not before and self[other].body != self[phases].body:
                return False
        return True


# The phases of a point, and the numbers of the sequences that bound it.
_Reach = tuple[tuple[int, ...], frozenset[int]]
_MOST_SPLIT = 4
_MOST_COMBINATIONS = 64


def _points(op: CoiterateOp, sequences: dict[int, SequenceOp], folded: frozenset[int]) -> Iterator[_Point]:
    """Combinations in an order in which every coordinate belongs to the first one that reaches it."""
    combinations = _Combinations(op, sequences, folded)
    earlier: list[_Reach] = []
    seen: set[object] = set()
    for phases in combinations.all:
        combination, bounds = combinations[phases], combinations.bounded(phases)
        if combination.used is not _VOID:
            unused = combinations.unused(phases)
            # Operands that do not matter do not bound a point, unless it would run into what others contribute later.
            if unused and len(phases) <= _MOST_SPLIT and combinations.lasts(phases, bounds - unused, earlier):
                bounds -= unused
            key = (combination.body, _ends(combinations, phases, bounds))
            if key in seen:
                continue
            seen.add(key)
        earlier.append((phases, bounds))
        ends = _ends(combinations, phases, bounds)
        yield _Point(phases, combination.nests, combination.used, list(ends))


def _ends(combinations: _Combinations, phases: tuple[int, ...], bounds: frozenset[int]) -> tuple[SSAValue, ...]:
    return tuple(combinations.split[k][1].ends[phases[k]] for k in sorted(bounds))


def _pruned_points(
    op: CoiterateOp, sequences: dict[int, SequenceOp], folded: frozenset[int], phases: dict[int, int]
) -> Iterator[_Point]:
    """The same for many sequences: where nothing happens in any phase of those left, there is a single point."""
    nests = [sequences[n].nests[0] if n in folded else nest for n, nest in enumerate(op.nests)]
    for number, phase in phases.items():
        nests[number] = sequences[number].nests[phase]
    outcome = probe_with(op, nests)
    left = next((number for number in sequences if number not in folded and number not in phases), None)
    if outcome.effect and left is not None:
        for phase in range(len(sequences[left].nests)):
            yield from _pruned_points(op, sequences, folded, {**phases, left: phase})
        return
    used = frozenset(n for n, argument in enumerate(op.body.block.args[1:]) if argument in outcome.used)
    ends = [sequences[n].ends[phase] for n, phase in phases.items() if phase < len(sequences[n].ends)]
    yield _Point(tuple(phases.values()), nests, used if outcome.effect else _VOID, ends)


def _foldable(op: CoiterateOp, sequences: dict[int, SequenceOp]) -> tuple[frozenset[int], frozenset[int]]:
    """Sequences that can be folded, by whether something may still happen at their ends or not."""
    found: dict[int, bool] = {}
    for number, sequence in sequences.items():
        if _is_foldable(sequence):
            nests = [*op.nests[:number], sequence.nests[-1], *op.nests[number + 1 :]]
            found[number] = probe_with(op, nests).effect
    return frozenset(n for n, acts in found.items() if acts), frozenset(n for n, acts in found.items() if not acts)


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
    if len(sequence.nests) != 2 or not isinstance(stepper, StepperOp | JumperOp) or not isinstance(rest, RunOp):
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
        emit_coiterate(emit, op.body.block, op.lo, end, nests, full=False, live=live, last=True)
        return
    if not points:
        return
    running = emit.cell(op.lo)
    running.name_hint = "c"
    bodies: list[Block] = []
    for point in points:
        end, live = _range_end(op, point, folded, emit)
        body = create_block((_index, _index))
        inner = Emitter(body)
        if point.used is not _VOID:
            nests = _without_unused(point, inner)
            last = point is points[-1]
            emit_coiterate(inner, op.body.block, body.args[0], body.args[1], nests, live=live, last=last)
        kinds = [_KINDS.get(type(nest.owner).__name__, "part") for nest in point.nests]
        emit.insert(PointOp.of(running, end, kinds, create_region(body)))
        bodies.append(body)
    count_copies(bodies)


def _range_end(
    op: CoiterateOp, point: _Point, folded: frozenset[int], emit: Emitter
) -> tuple[SSAValue, list[int] | None]:
    """Where a point ends, and the operands that cannot run out before (None: the end may cut a chunk)."""
    ends = list(point.ends)
    live = [
        number
        for number, nest in enumerate(point.nests)
        if number not in folded and isinstance(nest.owner, StepperOp | JumperOp) and nest.owner.stop in ends
    ]
    if not ends and folded and not _has_gap_effect(op, point, folded):
        stops = [nest.owner.stop for nest in point.nests if isinstance(nest.owner, StepperOp | JumperOp)]
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
    """Steppers whose payload does not matter, be it an entry or a gap, are not visited: the gap will do for them."""
    nests = list(point.nests)
    for number, nest in enumerate(nests):
        if number not in point.used and isinstance(nest.owner, StepperOp | JumperOp):
            nests[number] = gap_run(emit, nest.owner.chunk) or nest
    return nests
