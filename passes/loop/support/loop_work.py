"""How much work the first iterations of a loop are, as code: from the positions arrays of the segments inside."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.loop.loop import ForOp, LoadOp, WhileOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.dialects.support.is_inside import is_inside
from irtensor.passes.loop.support.sampled_lengths import Reached, SampledLengths, is_reached
from irtensor.passes.loop.support.segments import position_read
from irtensor.passes.support.emit import Emitter, is_successor
from irtensor.passes.support.step_costs import ITERATIONS

# Iterations of a loop of unknown length.
_GUESS = 8
# More guesses say nothing, and their product has to be a number.
_MOST_GUESSES = 4


class _Term(NamedTuple):
    """Iterations of one loop: from iteration k of the outermost, positions are looked up in array after array."""

    positions: tuple[SSAValue, ...]
    factors: tuple[SSAValue | int, ...]
    """What multiplies the number: lengths of loops known before, or guesses."""
    counts: bool = True
    """Whether the loop's index is a position that the outermost iterations lead to: what it indexes can be read."""
    always: bool = True
    """Whether no condition around the loop keeps it from running."""
    reached: Reached | None = None
    """What the iterations at these positions reach, if it is its length that is multiplied."""


class LoopWork:
    """The work of the iterations of a loop up to any of them, in iterations of inner loops."""

    def __init__(self, loop: ForOp) -> None:
        self.loop = loop
        self.terms = [_Term((), (ITERATIONS.outer,))]
        self._collect(loop.body.block, loop, _Term((), ()))
        # Of the terms whose lengths follow from positions, and for each loop around segments that others reach.
        self._counted: list[tuple[_Term, SSAValue]] = []
        self._sampled: list[tuple[tuple[SSAValue, ...], SampledLengths]] = []

    @property
    def is_even(self) -> bool:
        """Whether no difference between the work of iterations is known."""
        return not any(term.positions or term.reached for term in self.terms)

    @property
    def reads_positions(self) -> bool:
        """Whether the work follows from positions arrays, not only from ranges that are computed from coordinates."""
        return any(term.positions or (term.reached and position_read(term.reached.lower)) for term in self.terms)

    def _collect(self, block: Block, around: ForOp, term: _Term) -> None:
        for op in block.ops:
            if isinstance(op, ForOp):
                inner = self._inner(op, around, term)
                self.terms.append(inner)
                self._collect(op.body.block, op, inner)
                continue
            inner = term
            if isinstance(op, WhileOp):
                inner = term._replace(factors=(*term.factors, _GUESS), counts=False)
                # The loops of a merge, while all lists last and for the rest of one, iterate over the same segments.
                self.terms += [segment for segment in self._segments(around, term) if segment not in self.terms]
            for region in op.regions:
                for nested in region.blocks:
                    self._collect(nested, around, inner._replace(always=False))

    def _inner(self, loop: ForOp, around: ForOp, term: _Term) -> _Term:
        positions = segment_positions(loop, around.induction)
        if positions is not None and term.counts and not is_inside(positions, self.loop):
            return term._replace(positions=(*term.positions, positions))
        offsets = block_offsets(loop, around.induction)
        if offsets is not None and term.counts and not is_inside(offsets, self.loop):
            return term._replace(positions=(*term.positions, offsets), counts=False)
        if not is_inside(loop.lower, self.loop) and not is_inside(loop.upper, self.loop):
            return term._replace(factors=(*term.factors, loop.lower, loop.upper), counts=False)
        reached = Reached(around, loop.lower, loop.upper)
        if loop.parent is around.body.block and self._is_reached(reached, term):
            return term._replace(counts=False, reached=reached)
        return term._replace(factors=(*term.factors, _GUESS), counts=False)

    def _is_reached(self, reached: Reached, term: _Term) -> bool:
        return term.counts and term.always and is_reached(reached, self.loop)

    def _segments(self, loop: ForOp, term: _Term) -> list[_Term]:
        """The segments whose ends a loop reads from positions arrays, at an index and at the next one."""
        found: list[_Term] = []
        reads = [op for op in loop.body.block.ops if isinstance(op, LoadOp)] if term.counts else []
        for lower, upper in product(reads, reads):
            if lower.buffer is not upper.buffer or not is_successor(upper.index, lower.index):
                continue
            if lower.index is loop.induction and not is_inside(lower.buffer, self.loop):
                found.append(term._replace(positions=(*term.positions, lower.buffer)))
                continue
            reached = Reached(loop, lower.value, upper.value)
            if self._is_reached(reached, term):
                found.append(term._replace(counts=False, reached=reached))
        return found

    def prepare(self, emit: Emitter) -> None:
        """Emit what does not depend on the iteration, before the loop."""
        reached: dict[ForOp, list[tuple[Reached, SSAValue]]] = {}
        positions: dict[ForOp, tuple[SSAValue, ...]] = {}
        for term in self.terms:
            times = self._product(term.factors, emit)
            if term.reached is None:
                self._counted.append((term, times))
            else:
                reached.setdefault(term.reached.around, []).append((term.reached, times))
                positions[term.reached.around] = term.positions
        for around, segments in reached.items():
            arrays = positions[around]
            lower, upper = (entries_before(iteration, arrays, emit) for iteration in (self.loop.lower, self.loop.upper))
            self._sampled.append((arrays, SampledLengths((lower, upper), segments, emit, _entry_around(self.loop))))

    def _product(self, factors: Sequence[SSAValue | int], emit: Emitter) -> SSAValue:
        guesses = [factor for factor in factors if isinstance(factor, int)]
        product = emit.index(prod(guesses[:_MOST_GUESSES]))
        bounds = [factor for factor in factors if not isinstance(factor, int)]
        for lower, upper in zip(bounds[::2], bounds[1::2], strict=True):
            length = emit.sub(upper, lower)
            rounded = emit.add(length, emit.index(ITERATIONS.lanes - 1))
            product = emit.mul(product, emit.divide(rounded, emit.index(ITERATIONS.lanes)))
        return product

    def before(self, iteration: SSAValue, emit: Emitter) -> SSAValue:
        """Emit the work of all iterations before one; grows with every iteration."""
        total = emit.index(0)
        for term, times in self._counted:
            total = emit.add(total, emit.mul(entries_before(iteration, term.positions, emit), times))
        for positions, lengths in self._sampled:
            total = emit.add(total, lengths.before(entries_before(iteration, positions, emit), emit))
        return total


def entries_before(iteration: SSAValue, positions: Sequence[SSAValue], emit: Emitter) -> SSAValue:
    """Emit how many entries come before those of an iteration; the number may be off by the same for all iterations."""
    for array in positions:
        iteration = emit.load_index(array, iteration)
    return iteration


def segment_positions(loop: ForOp, induction: SSAValue) -> SSAValue | None:
    """The positions array, if a loop runs over the segment that a number has in it."""
    lower, upper = position_read(loop.lower), position_read(loop.upper)
    if lower is None or upper is None or lower.buffer is not upper.buffer:
        return None
    return lower.buffer if lower.index is induction and is_successor(upper.index, induction) else None


def block_offsets(loop: ForOp, induction: SSAValue) -> SSAValue | None:
    """The positions array, if a loop is as long as the segment that a number has in it, or shorter.

    Such a loop is over the coordinates of a block that ends somewhere, or begins at 0, within a range.
    """
    lower, upper = _within(loop.lower, arith.MaxSIOp), _within(loop.upper, arith.MinSIOp)
    length = upper if constant_index(loop.lower) == 0 else _less(lower, upper)
    if length is None or not isinstance(length.owner, arith.SubiOp):
        return None
    past, first = map(position_read, length.owner.operands)
    if past is None or first is None or past.buffer is not first.buffer:
        return None
    return first.buffer if first.index is induction and is_successor(past.index, induction) else None


def _within(bound: SSAValue, limit: type[arith.MaxSIOp | arith.MinSIOp]) -> SSAValue:
    """What a bound of a loop is where no limit decides it."""
    if not isinstance(bound.owner, limit):
        return bound
    values = [one for one in bound.owner.operands if isinstance(one.owner, arith.SubiOp)]
    return values[0] if len(values) == 1 else bound


def _less(value: SSAValue, than: SSAValue) -> SSAValue | None:
    """By how much a value is computed to be less than another one."""
    computed = value.owner
    return computed.rhs if isinstance(computed, arith.SubiOp) and computed.lhs is than else None


def _entry_around(op: Operation) -> Block:
    """The first block of the function that an operation is in."""
    around: Operation | None = op
    while not isinstance(around, FuncOp):
        assert around is not None
        around = around.parent_op()
    return around.body.block
