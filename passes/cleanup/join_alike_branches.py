"""`join-alike-branches`: branches that do the same with other arrays are one piece of code that is told which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue

from irtensor.dialects.loop.loop import ForOp, IfOp, LoadOp, WhileOp
from irtensor.dialects.loop.loop_types import BufferType
from irtensor.dialects.support.constant_index import constant_index
from irtensor.dialects.support.create_operation import erase_operation
from irtensor.dialects.support.is_inside import is_inside
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass, option


@dataclass(frozen=True)
class JoinAlikeBranchesPass(TensorPass):
    """Select what two branches read from, where they have loops that are the same otherwise.

    Which of two operands has the next entry is random, so that a branch is mispredicted every other time, while a
    select costs next to nothing beside the loop.

    Before: `if %c { for %p = %a to %b { store %v[%p], ... } } else { for %q = %d to %e { store %w[%q], ... } }`
    After:  `%x = select %c, %v, %w; %lo = select %c, %a, %d; %hi = select %c, %b, %e;
             for %p = %lo to %hi { store %x[%p], ... }`

    Only where the branches read from different arrays. Those that a constant tells apart are left, as loops are that
    have a known number of iterations.
    """

    name = "join-alike-branches"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {"count-entries": "numbers of entries are known from the arrays that loops iterate over"}
    before = {"separate-full-blocks": "copies of loops made for speed differ only in facts known about them"}

    limit: int = option("The largest number of values that are selected.", 16)

    def on_function(self, function: FuncOp) -> None:
        # Branches inside of a branch come first: operations that two of three share are selected from again.
        for branch in reversed(operations_in(function, IfOp)):
            if operations_in(branch.then, ForOp, WhileOp):
                self._join(branch)

    def _join(self, branch: IfOp) -> None:
        if not branch.otherwise.blocks:
            return
        then, otherwise = branch.then.block, branch.otherwise.block
        made = _leading_selects(otherwise)
        likeness = _Likeness(branch, made)
        if not likeness.of_blocks(operations_of(then), operations_of(otherwise)[len(made) :]):
            return
        pairs = likeness.pairs
        if len(pairs) > self.limit or not any(isinstance(value.type, BufferType) for value, _ in pairs):
            return
        for op in made:
            op.detach()
        emit = Emitter(Block(made))
        for (value, other), uses in pairs.items():
            chosen = emit.select(branch.condition, value, other)
            for user, index in uses:
                user.operands[index] = chosen
        move_before(emit.block, branch)
        move_before(then, branch)
        erase_operation(branch)


def _leading_selects(block: Block) -> list[Operation]:
    """What a block begins with if branches inside of it were joined."""
    return list(takewhile(lambda op: isinstance(op, arith.SelectOp), block.ops))


@dataclass
class _Likeness:
    """Compares the two branches of `branch`, one operation after the other."""

    branch: IfOp
    made: Sequence[Operation]
    """What the second branch begins with, and what will be outside of it."""
    same: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """Each value of the first branch, and the equal one in the second."""
    pairs: dict[tuple[SSAValue, SSAValue], list[tuple[Operation, int]]] = field(
        default_factory=dict[tuple[SSAValue, SSAValue], list[tuple[Operation, int]]]
    )
    """Values from outside that differ, and the operands of the first branch that have the first of them."""

    def of_blocks(self, one: Sequence[Operation], other: Sequence[Operation]) -> bool:
        return len(one) == len(other) and all(map(self._of_operations, one, other))

    def _of_operations(self, one: Operation, other: Operation) -> bool:
        if type(one) is not type(other) or one.attributes != other.attributes or one.properties != other.properties:
            return False
        if [value.type for value in one.results] != [value.type for value in other.results]:
            return False
        if len(one.operands) != len(other.operands) or len(one.regions) != len(other.regions):
            return False
        if not all(self._of_operands(one, other, number) for number in range(len(one.operands))):
            return False
        self.same.update(zip(one.results, other.results, strict=True))
        return all(map(self._of_regions, one.regions, other.regions))

    def _of_regions(self, one: Region, other: Region) -> bool:
        if len(one.blocks) != len(other.blocks):
            return False
        for block, like in zip(one.blocks, other.blocks, strict=True):
            if [value.type for value in block.args] != [value.type for value in like.args]:
                return False
            self.same.update(zip(block.args, like.args, strict=True))
            if not self.of_blocks(operations_of(block), operations_of(like)):
                return False
        return True

    def _of_operands(self, one: Operation, other: Operation, number: int) -> bool:
        value, like = one.operands[number], other.operands[number]
        if value in self.same:
            return self.same[value] is like
        if value is like:
            return True
        if is_inside(like, self.branch) and like.owner not in self.made:
            return False
        if value.type != like.type or constant_index(value) is not None or constant_index(like) is not None:
            return False
        is_read = isinstance(value.type, BufferType) and isinstance(one, LoadOp)
        if not is_read and not isinstance(value.type, IndexType | IntegerType | AnyFloat):
            return False
        self.pairs.setdefault((value, like), []).append((one, number))
        return True
