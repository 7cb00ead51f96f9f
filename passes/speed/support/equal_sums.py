"""Finds loops that compute the same into cells, in two blocks that are executed one after the other."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.algebra.algebra import ApplyOp, operator_of
from irtensor.dialects.loop.loop import CellOp, ForOp, GetOp, IfOp, LoadOp, SetOp
from irtensor.passes.cleanup.simplify_loops import is_pure
from irtensor.passes.speed.support.memory_effects import memory_behind
from irtensor.passes.support.operations_in import operations_in

_COMMUTATIVE = (arith.AddiOp, arith.MuliOp)
_COMPARED = (CellOp, ForOp, IfOp, SetOp)


@dataclass
class Equality:
    """Says which values of one piece of code equal values of another, where memory of `changing` may not be read."""

    changing: Container[SSAValue]
    same: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """What binds values, and cells: those of the second piece and what they are in the first."""
    blocks: dict[Block, Block] = field(default_factory=dict[Block, Block])

    def of_values(self, one: SSAValue, other: SSAValue) -> bool:
        """Whether a value of the second piece is that of the first."""
        if one is other or self.same.get(one) is other:
            return True
        left, right = one.owner, other.owner
        if isinstance(left, Block) or isinstance(right, Block) or not _is_alike(left, right):
            return False
        if not self._may_be_equal(left, right):
            return False
        pairs = list(zip(left.operands, right.operands, strict=True))
        equal = all(self.of_values(*pair) for pair in pairs)
        if not equal and _is_commutative(left):
            equal = all(map(self.of_values, left.operands, reversed(right.operands)))
        if equal:
            self.same[one] = other
        return equal

    def _may_be_equal(self, one: Operation, other: Operation) -> bool:
        """Whether operations of one kind give the same for equal operands."""
        if isinstance(one, GetOp):
            assert one.parent is not None
            if self.is_constant(one.cell):
                return True
            return self.blocks.get(one.parent) is other.parent and _steps_before(one) == _steps_before(other)
        if isinstance(one, LoadOp):
            return self.is_constant(one.buffer)
        return is_pure(one)

    def is_constant(self, index: SSAValue) -> bool:
        """Whether a cell, or an element of an array, is the same at any time."""
        memory = memory_behind(index)
        return memory is not None and memory not in self.changing

    def of_loops(self, one: ForOp, other: ForOp) -> bool:
        """Whether loops over the same range do the same."""
        if not (_is_alike(one, other) and self.of_ranges(one, other)):
            return False
        self.same[one.induction] = other.induction
        return self._of_blocks(one.body.block, other.body.block)

    def in_loops(self, one: ForOp, other: ForOp) -> Equality:
        """Equal values inside of loops, in the same iteration of both."""
        same = {**self.same, one.induction: other.induction}
        return Equality(self.changing, same, {**self.blocks, one.body.block: other.body.block})

    def of_ranges(self, one: ForOp, other: ForOp) -> bool:
        return self.of_values(one.lower, other.lower) and self.of_values(one.upper, other.upper)

    def _of_blocks(self, one: Block, other: Block) -> bool:
        """Whether blocks do the same, one step after the other; what steps need is compared where they use it."""
        self.blocks[one] = other
        ours, theirs = list(_steps(one)), list(_steps(other))
        return len(ours) == len(theirs) and all(map(self._of_steps, ours, theirs))

    def _of_steps(self, one: Operation, other: Operation) -> bool:
        if not isinstance(one, _COMPARED) or not _is_alike(one, other):
            return False
        if isinstance(one, ForOp):
            assert isinstance(other, ForOp)
            return self.of_loops(one, other)
        if not all(map(self.of_values, one.operands, other.operands)):
            return False
        self.same.update(zip(one.results, other.results, strict=True))
        inner = [[block for region in op.regions for block in region.blocks] for op in (one, other)]
        return len(inner[0]) == len(inner[1]) and all(map(self._of_blocks, *inner))


def equal_sums(blocks: tuple[Block, Block], equality: Equality) -> Iterator[tuple[ForOp, list[CellOp], list[CellOp]]]:
    """Loops of the second block that compute what one of the first does, each with its cells and those of that."""
    known = [(loop, cells) for loop in blocks[0].ops if isinstance(loop, ForOp) and (cells := _cells_of(loop))]
    for loop in blocks[1].ops:
        cells = _cells_of(loop) if isinstance(loop, ForOp) else []
        for other, others in known if cells else ():
            assert isinstance(loop, ForOp)
            if _are_equal(loop, cells, other, others, equality):
                yield loop, cells, others
                break


def share_sums(blocks: tuple[Block, Block], equality: Equality) -> bool:
    """Whether blocks have equal sums, perhaps in loops over equal ranges."""
    if next(equal_sums(blocks, equality), None) is not None:
        return True
    first, second = ([op for op in block.ops if isinstance(op, ForOp)] for block in blocks)
    for other in first:
        for loop in second:
            if loop.attributes == other.attributes and equality.of_ranges(loop, other):
                inner = equality.in_loops(loop, other)
                if share_sums((other.body.block, loop.body.block), inner):
                    return True
    return False


def _are_equal(loop: ForOp, cells: Sequence[CellOp], other: ForOp, others: Sequence[CellOp], found: Equality) -> bool:
    if len(cells) != len(others):
        return False
    trial = Equality(found.changing, dict(found.same), dict(found.blocks))
    for cell, like in zip(cells, others, strict=True):
        if not trial.of_values(cell.initial, like.initial):
            return False
        trial.same[cell.cell] = like.cell
    return trial.of_loops(loop, other)


def _cells_of(loop: ForOp) -> list[CellOp]:
    """The cells beside a loop that nothing else sets, if they are all that the loop changes."""
    found: dict[CellOp, None] = {}
    for op in loop.walk():
        if isinstance(op, SetOp):
            cell = op.cell.owner
            if not isinstance(cell, CellOp) or not (cell.parent is loop.parent or loop.is_ancestor(cell)):
                return []
            if cell.parent is loop.parent:
                found[cell] = None
        elif not isinstance(op, ForOp | IfOp | CellOp | GetOp | LoadOp) and not is_pure(op):
            return []
    sets = [use.operation for cell in found for use in cell.cell.uses if isinstance(use.operation, SetOp)]
    return list(found) if all(loop.is_ancestor(op) for op in sets) else []


def _is_alike(one: Operation, other: Operation) -> bool:
    return type(one) is type(other) and one.properties == other.properties and one.attributes == other.attributes


def _is_commutative(op: Operation) -> bool:
    return isinstance(op, _COMMUTATIVE) or (
        isinstance(op, ApplyOp) and len(op.operands) == 2 and operator_of(op).commutative
    )


def _steps(block: Block) -> Iterator[Operation]:
    return (op for op in block.ops if not isinstance(op, LoadOp | GetOp) and not is_pure(op))


def _steps_before(op: Operation) -> int:
    assert op.parent is not None
    count = 0
    for step in _steps(op.parent):
        if not step.is_before_in_block(op):
            break
        count += 1
    return count


def has_loops(loop: ForOp) -> bool:
    """Whether there are loops inside of a loop."""
    return len(operations_in(loop, ForOp)) > 1
