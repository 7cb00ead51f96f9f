"""Windows that loops run over: blocks of one size, up to their limits, and the known bounds of their numbers."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.concrete_index.blocks import block_of, least_of
from irtensor.dialects.concrete_index.concrete_index import ForallOp, LetOp
from irtensor.dialects.concrete_index.index_ranges import BoundOp, EntryCountOp, EntryNumberOp, EntryOp, ExtentOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.passes.analysis.ranges import forall_of, range_bounds, sources
from irtensor.passes.support.emit import compares


def block_size(variable: SSAValue) -> SSAValue | None:
    """How many coordinates the loop over a variable has at the most, the same in each block; None if that is not said:
    its range is not a block, or its size depends on loops."""
    bounds = range_bounds(variable)
    return fixed_size(bounds[0], bounds[1]) if bounds else None


def fixed_size(first: SSAValue, end: SSAValue) -> SSAValue | None:
    """The size of a block in which no loop has a say; a variable that it ends at is in the window of its own loop."""
    block = block_of(first, end)
    if block is not None and not sources(block[1]):
        return block[1]
    bounds = range_bounds(end)
    return fixed_size(first, bounds[1]) if bounds else None


class Known(NamedTuple):
    """Numbers that an index is not less than, and not more than; infinite where nothing is known."""

    least: float = -inf
    most: float = inf

    @property
    def exact(self) -> int | None:
        """The index itself, if it is known."""
        return int(self.most) if self.least == self.most else None


def known_iterations(loop: ForallOp) -> Known:
    """How many iterations a loop has."""
    return known_distance(loop.bounds[0], loop.bounds[1]) if loop.bounds else Known(0)


def known_distance(first: SSAValue, end: SSAValue) -> Known:
    """How many numbers there are from one up to, not including, another."""
    least, most = _Numbers().distance(first, end)
    return Known(max(least, 0), max(most, 0))


def known_number(value: SSAValue) -> Known:
    """The known range of an index, from the constants and the bounds that it is computed from."""
    return _Numbers().of(value)


# Of as many steps of arithmetic, one behind the other, sizes of blocks are made at the most.
_FARTHEST = 64

# Operations of whose results something may be known. Most are none of them, and are not compared with each.
_TOLD = frozenset(
    (
        *(BoundOp, ExtentOp, EntryOp, EntryCountOp, EntryNumberOp, arith.SubiOp, arith.MinSIOp, arith.MaxSIOp),
        *(arith.AddiOp, arith.MuliOp, arith.DivSIOp, arith.CmpiOp, arith.SelectOp),
    )
)


class _Numbers:
    """Looks at each value once, however many others are computed from it, and not at values far behind."""

    def __init__(self) -> None:
        self.found: dict[SSAValue, Known] = {}
        self.depth = 0

    def of(self, value: SSAValue) -> Known:
        if (number := constant_index(value)) is not None:
            return Known(number, number)
        if value not in self.found:
            self.found[value] = self._looked_at(value)
        return self.found[value]

    def _looked_at(self, value: SSAValue) -> Known:
        if self.depth == _FARTHEST:
            return Known()
        owner = value.owner
        self.depth += 1
        found = self._bound(value, owner) if isinstance(owner, Block) else self._computed(owner)
        self.depth -= 1
        return found

    def distance(self, first: SSAValue, end: SSAValue) -> Known:
        """How far an index is beyond another; it may be before it."""
        start, last = self.of(first), self.of(end)
        least, most = last.least - start.most, last.most - start.least
        if (block := block_of(first, end)) is not None:
            size = self.of(block[1])
            least = max(least, size.least if len(least_of(end)) == 1 else -inf)
            most = min(most, size.most)
        return Known(least, most)

    def _bound(self, variable: SSAValue, block: Block) -> Known:
        binder = block.parent_op()
        if isinstance(binder, LetOp):
            return self.of(binder.coordinate)
        loop = forall_of(variable)
        if loop is None or not loop.bounds:
            return Known() if loop is None else Known(0)
        return Known(self.of(loop.bounds[0]).least, self.of(loop.bounds[1]).most - 1)

    def _computed(self, op: Operation) -> Known:
        if type(op) not in _TOLD:
            return Known()
        match op:
            case BoundOp():
                number = op.number.value.data
                return Known(number, number) if op.is_exact else Known(0, self.of(op.extent).most)
            case ExtentOp() | EntryOp() | EntryCountOp() | EntryNumberOp():
                return Known(0)
            case arith.SubiOp():
                return self.distance(op.rhs, op.lhs)
            case arith.MinSIOp() | arith.MaxSIOp():
                choose = min if isinstance(op, arith.MinSIOp) else max
                a, b = map(self.of, op.operands)
                return Known(choose(a.least, b.least), choose(a.most, b.most))
            case arith.AddiOp() | arith.MuliOp() | arith.DivSIOp() | arith.CmpiOp():
                return _combined(op, *map(self.of, op.operands))
            case arith.SelectOp():
                condition, *branches = map(self.of, op.operands)
                chosen = branches if condition.exact is None else [branches[1 - condition.exact]]
                return Known(min(one.least for one in chosen), max(one.most for one in chosen))
            case _:
                return Known()


def _combined(op: Operation, a: Known, b: Known) -> Known:
    """The bounds of a combination of two numbers; products and quotients are asked about where none is negative."""
    match op:
        case arith.AddiOp():
            return Known(a.least + b.least, a.most + b.most)
        case arith.CmpiOp():
            return _compared(op, a, b)
        case arith.MuliOp() if a.least >= 0 and b.least >= 0:
            most = inf if inf in (a.most, b.most) else a.most * b.most
            return Known(a.least * b.least, most)
        case arith.DivSIOp() if b.least > 0:
            most = a.most if a.most in (inf, 0) else a.most // b.least
            least = a.least // b.most if a.least >= 0 and b.most < inf else min(a.least, 0)
            return Known(least, max(most, 0))
        case _:
            return Known()


def _compared(op: arith.CmpiOp, a: Known, b: Known) -> Known:
    """A condition as a number."""
    if compares(op, "slt"):
        certain, never = a.most < b.least, a.least >= b.most
    elif compares(op, "sle"):
        certain, never = a.most <= b.least, a.least > b.most
    else:
        certain, never = False, False
    return Known(int(certain), int(not never))
