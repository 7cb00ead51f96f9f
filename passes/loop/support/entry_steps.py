"""Loops whose iterations all append entries: where those of an iteration go follows from positions and extents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from irtensor.dialects.loop.loop import CounterOp, ForOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.dialects.support.is_inside import is_inside
from irtensor.passes.analysis.polynomials import Polynomial
from irtensor.passes.loop.support.segments import position_read
from irtensor.passes.support.emit import Emitter, is_successor


class _Segments(NamedTuple):
    """From the number of a segment to its first position."""

    positions: SSAValue

    def first(self, number: SSAValue, emit: Emitter) -> SSAValue:
        return emit.load_index(self.positions, number)


class _Width(NamedTuple):
    """From a number to the first of those below it: each number has `width` of them."""

    width: SSAValue

    def first(self, number: SSAValue, emit: Emitter) -> SSAValue:
        is_known = constant_index(self.width) is not None
        return emit.mul(number, self.width if is_known else emit.max(self.width, emit.index(0)))


Steps = tuple[_Segments | _Width, ...]


def positions_in(steps: Steps) -> list[SSAValue]:
    """The positions arrays that are looked up."""
    return [step.positions for step in steps if isinstance(step, _Segments)]


def steps_to(op: Operation, loop: ForOp) -> Steps | None:
    """How the number of an iteration of a loop leads to that of what an operation inside first does for it.

    None if not all iterations of the loops between do it, or these do not follow from values before the loop.
    """
    between = _loops_between(op, loop)
    if between is None:
        return None
    number = Polynomial.of(loop.induction)
    steps: list[_Segments | _Width] = []
    for inner in between:
        positions = _positions_of(inner, number)
        if positions is not None and not is_inside(positions, loop):
            steps.append(_Segments(positions))
            number = Polynomial.of(inner.induction)
        elif constant_index(inner.lower) == 0 and not is_inside(inner.upper, loop):
            steps.append(_Width(inner.upper))
            number = number * Polynomial.of(inner.upper) + Polynomial.of(inner.induction)
        else:
            return None
    return tuple(steps)


def _loops_between(op: Operation, loop: ForOp) -> list[ForOp] | None:
    """The loops around an operation that are inside another, the outermost first; None if it is in anything else."""
    found: list[ForOp] = []
    around = op.parent_op()
    while around is not loop:
        if not isinstance(around, ForOp):
            return None
        found.insert(0, around)
        around = around.parent_op()
    return found


def _positions_of(loop: ForOp, number: Polynomial) -> SSAValue | None:
    """The positions array, if a loop runs over the segment that a number has in it."""
    lower, upper = position_read(loop.lower), position_read(loop.upper)
    if lower is None or upper is None or lower.buffer is not upper.buffer:
        return None
    is_its = Polynomial.of(lower.index) == number and is_successor(upper.index, lower.index)
    return lower.buffer if is_its else None


class KnownCounts:
    """What counters are before any iteration of a loop, by the steps to what it appends to each."""

    def __init__(self, loop: ForOp, steps: Mapping[SSAValue, Steps], emit: Emitter) -> None:
        self.steps = steps
        self._starts = {counter: _start_of(counter, emit) for counter in steps}
        self._origins = {counter: _first(loop.lower, path, emit) for counter, path in steps.items()}
        self.totals = self.before(emit.max(loop.lower, loop.upper) if steps else loop.upper, emit)
        """What they are after the loop."""
        self.appended = {c: emit.sub(total, self._starts[c]) for c, total in self.totals.items()}
        """How much of that the loop appends."""

    def before(self, iteration: SSAValue, emit: Emitter) -> dict[SSAValue, SSAValue]:
        """Emit what each counter is where an iteration begins."""
        return {
            counter: emit.add(self._starts[counter], emit.sub(_first(iteration, path, emit), self._origins[counter]))
            for counter, path in self.steps.items()
        }


def _start_of(counter: SSAValue, emit: Emitter) -> SSAValue:
    made = counter.owner
    assert isinstance(made, CounterOp)
    return emit.index(0) if made.start is None else made.start


def _first(iteration: SSAValue, steps: Steps, emit: Emitter) -> SSAValue:
    for step in steps:
        iteration = step.first(iteration, emit)
    return iteration
