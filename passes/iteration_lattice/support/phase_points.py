"""The combinations of phases of several sequences, in an order in which each coordinate belongs to the first.

Each combination of an effect is a lattice point (Kjolstad 2020, 3.3): a range, and the nests that hold in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from xdsl.ir import SSAValue

from irtensor.dialects.iteration_lattice.iteration_lattice import (
    CoiterateOp,
    JumperOp,
    RunOp,
    SequenceOp,
    StepperOp,
)
from irtensor.passes.iteration_lattice.support.coiteration import has_stand_in, probe_with
from irtensor.passes.iteration_lattice.support.segments import has_one_piece, piece_phase

VOID: frozenset[int] = frozenset((-1,))


@dataclass
class Point:
    """One combination of phases: the nests, which of them matter, and where it ends."""

    phases: dict[int, int]
    """Of each sequence that is split, by its number."""
    nests: list[SSAValue]
    used: frozenset[int]
    ends: list[SSAValue]
    """Ends of the phases that bound the range; empty if it lasts to the end of the loop."""
    bounding: frozenset[int]
    """The numbers of the sequences whose phases these are."""

    def visits(self, number: int) -> bool:
        """Whether the loop of this point iterates over the list that a nest is."""
        stepper = self.nests[number].owner
        if self.used is VOID or not isinstance(stepper, StepperOp | JumperOp):
            return False
        return number in self.used or not has_stand_in(self.nests[number])


class _Combination(NamedTuple):
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
            self.found[phases] = _Combination(nests, used if outcome.effect else VOID, body)
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
            if number not in combination.used and _can_be_passed_over(combination.nests[number])
        )

    def lasts(self, phases: tuple[int, ...], bounds: frozenset[int], earlier: Sequence[_Reach]) -> bool:
        """Whether the same happens in all combinations that a point with these bounds meets after the earlier ones."""
        for other in self.all:
            behind = any(other[k] > phases[k] for k in bounds)
            before = any(not any(other[k] > point[k] for k in reach) for point, reach in earlier)
            if not behind and not before and self[other].body != self[phases].body:
                return False
        return True


def _can_be_passed_over(nest: SSAValue) -> bool:
    """Whether a nest that does not matter may go on behind its end: a run stands for it there, or it is one."""
    return not isinstance(nest.owner, RunOp) and has_stand_in(nest)


# The phases of a point, and the numbers of the sequences that bound it.
_Reach = tuple[tuple[int, ...], frozenset[int]]
_MOST_SPLIT = 4
# Of so many operands with a single piece, each combination has a loop of its own.
_MOST_PIECES = 2
MOST_COMBINATIONS = 64


def all_points(op: CoiterateOp, sequences: dict[int, SequenceOp], folded: frozenset[int]) -> Iterator[Point]:
    """Combinations in an order in which every coordinate belongs to the first one that reaches it."""
    combinations = _Combinations(op, sequences, folded)
    earlier: list[_Reach] = []
    seen: set[object] = set()
    for phases in combinations.all:
        combination, bounds = combinations[phases], combinations.bounded(phases)
        if combination.used is not VOID:
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
        numbers = [number for number, _ in combinations.split]
        by_number = dict(zip(numbers, phases, strict=True))
        bounding = frozenset(numbers[k] for k in bounds)
        yield Point(by_number, combination.nests, combination.used, list(ends), bounding)


def _ends(combinations: _Combinations, phases: tuple[int, ...], bounds: frozenset[int]) -> tuple[SSAValue, ...]:
    return tuple(combinations.split[k][1].ends[phases[k]] for k in sorted(bounds))


def pruned_points(
    op: CoiterateOp, sequences: dict[int, SequenceOp], folded: frozenset[int], phases: dict[int, int]
) -> Iterator[Point]:
    """The same for many sequences: where nothing happens in any phase of those left, there is a single point."""
    nests = [sequences[n].nests[0] if n in folded else nest for n, nest in enumerate(op.nests)]
    for number, phase in phases.items():
        nests[number] = sequences[number].nests[phase]
    outcome = probe_with(op, nests)
    left = next((number for number in sequences if number not in folded and number not in phases), None)
    if outcome.effect and left is not None:
        for phase in range(len(sequences[left].nests)):
            yield from pruned_points(op, sequences, folded, {**phases, left: phase})
        return
    used = frozenset(n for n, argument in enumerate(op.body.block.args[1:]) if argument in outcome.used)
    bounding = [n for n, phase in phases.items() if phase < len(sequences[n].ends)]
    ends = [sequences[n].ends[phases[n]] for n in bounding]
    yield Point(phases, nests, used if outcome.effect else VOID, ends, frozenset(bounding))


def foldable(op: CoiterateOp, sequences: dict[int, SequenceOp]) -> tuple[frozenset[int], frozenset[int]]:
    """Sequences that can be folded, by whether something may still happen at their ends or not."""
    found: dict[int, bool] = {}
    for number, sequence in sequences.items():
        if piece_phase(sequence) is not None:
            nests = [*op.nests[:number], sequence.nests[-1], *op.nests[number + 1 :]]
            acts = probe_with(op, nests).effect
            if acts or not has_one_piece(sequence):
                found[number] = acts
    return frozenset(n for n, acts in found.items() if acts), frozenset(n for n, acts in found.items() if not acts)


def contributing(points: Sequence[Point], sequences: dict[int, SequenceOp]) -> frozenset[int]:
    """Sequences some points do without: unions. Only pieces between equal gaps can be folded.

    One or two single pieces take no loop around them.
    """
    live = [point for point in points if point.used is not VOID]
    found = frozenset(
        number
        for number, sequence in sequences.items()
        if (phase := piece_phase(sequence)) is not None and any(point.phases[number] != phase for point in live)
    )
    return found if len(found) > _MOST_PIECES else frozenset(n for n in found if not has_one_piece(sequences[n]))
