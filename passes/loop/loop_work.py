"""How much work the first turns of a loop are, as code: from the positions arrays of the segments inside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.loop import ForOp, LoadOp, WhileOp
from irtensor.dialects.loop_parallel import is_inside
from irtensor.passes.emit import Emitter, is_successor

# What a turn of the divided loop costs by itself, in turns of inner loops.
_TURN = 2
# Turns of a loop of unknown length, and how many turns of a loop along an extent are as long as one over entries.
_GUESS = 8
_LANES = 4


@dataclass(frozen=True)
class _Term:
    """Turns of one loop: from turn k of the outermost on, positions are looked up in one array after the other."""

    positions: tuple[SSAValue, ...]
    factors: tuple[SSAValue | int, ...]
    """What multiplies the number: lengths of loops known before, or guesses."""
    counts: bool = True
    """Whether the loop's index is a position that the outermost turns lead to, so that what it indexes can be read."""


class LoopWork:
    """The work of the turns of a loop up to any of them, in turns of inner loops."""

    def __init__(self, loop: ForOp) -> None:
        self.loop = loop
        self.terms = [_Term((), (_TURN,))]
        self._collect(loop.body.block, loop, _Term((), ()))
        self._products: list[SSAValue] = []

    @property
    def is_even(self) -> bool:
        """Whether all turns are the same work, as far as is known."""
        return not any(term.positions for term in self.terms)

    def _collect(self, block: Block, around: ForOp, term: _Term) -> None:
        for op in block.ops:
            if isinstance(op, ForOp):
                inner = self._inner(op, around.induction, term)
                self.terms.append(inner)
                self._collect(op.body.block, op, inner)
                continue
            inner = term
            if isinstance(op, WhileOp):
                inner = _Term(term.positions, (*term.factors, _GUESS), counts=False)
                segments = [_Term((*term.positions, array), term.factors) for array in self._segments(around, term)]
                # The loops of a merge, while all lists last and for what is left of one, go along the same segments.
                self.terms += [segment for segment in segments if segment not in self.terms]
            for region in op.regions:
                for nested in region.blocks:
                    self._collect(nested, around, inner)

    def _inner(self, loop: ForOp, induction: SSAValue, term: _Term) -> _Term:
        positions = segment_positions(loop, induction)
        if positions is not None and term.counts and not is_inside(positions, self.loop):
            return _Term((*term.positions, positions), term.factors)
        if is_inside(loop.lower, self.loop) or is_inside(loop.upper, self.loop):
            return _Term(term.positions, (*term.factors, _GUESS), counts=False)
        return _Term(term.positions, (*term.factors, loop.lower, loop.upper), counts=False)

    def _segments(self, loop: ForOp, term: _Term) -> list[SSAValue]:
        """The positions arrays that a loop reads at its index and at the next one."""
        read: dict[SSAValue, set[bool]] = {}
        for op in loop.body.block.ops if term.counts else ():
            if isinstance(op, LoadOp) and not is_inside(op.buffer, self.loop):
                if op.index is loop.induction:
                    read.setdefault(op.buffer, set()).add(False)
                elif is_successor(op.index, loop.induction):
                    read.setdefault(op.buffer, set()).add(True)
        return [buffer for buffer, found in read.items() if len(found) == 2]

    def prepare(self, emit: Emitter) -> None:
        """Emit what does not depend on the turn, before the loop."""
        self._products = [self._product(term.factors, emit) for term in self.terms]

    def _product(self, factors: Sequence[SSAValue | int], emit: Emitter) -> SSAValue:
        product = emit.index(1)
        remaining = iter(factors)
        for factor in remaining:
            if isinstance(factor, int):
                product = emit.mul(product, emit.index(factor))
                continue
            length = emit.sub(next(remaining), factor)  # pyright: ignore[reportArgumentType]
            rounded = emit.add(length, emit.index(_LANES - 1))
            product = emit.mul(product, emit.divide(rounded, emit.index(_LANES)))
        return product

    def before(self, turn: SSAValue, emit: Emitter) -> SSAValue:
        """Emit the work of all turns before one; grows with every turn."""
        total = emit.index(0)
        for term, product in zip(self.terms, self._products, strict=True):
            total = emit.add(total, emit.mul(entries_before(turn, term.positions, emit), product))
        return total


def entries_before(turn: SSAValue, positions: Sequence[SSAValue], emit: Emitter) -> SSAValue:
    """Emit how many entries, or what their number is off by the same for all turns, come before those of a turn."""
    for array in positions:
        turn = emit.load_index(array, turn)
    return turn


def segment_positions(loop: ForOp, induction: SSAValue) -> SSAValue | None:
    """The positions array of which a loop runs over the segment that a number has."""
    lower, upper = _load(loop.lower), _load(loop.upper)
    if lower is None or upper is None or lower.buffer is not upper.buffer:
        return None
    return lower.buffer if lower.index is induction and is_successor(upper.index, induction) else None


def _load(value: SSAValue) -> LoadOp | None:
    owner: Operation | Block = value.owner
    if isinstance(owner, arith.IndexCastOp):
        owner = owner.input.owner
    return owner if isinstance(owner, LoadOp) else None
