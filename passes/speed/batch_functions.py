"""`batch-functions`: functions that stand between loops are computed for a batch of iterations at a time."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.diagnostics import remark
from irtensor.dialects.algebra.order_of_sums import keeps_order
from irtensor.dialects.loop.loop import ForOp, GetOp, IfOp
from irtensor.dialects.support.create_operation import copy_of, erase_operation, insert_operation
from irtensor.passes.loop.support.segments import Segments, segments_of
from irtensor.passes.speed.allow_vector_functions import is_vector_function
from irtensor.passes.speed.support.batches import Batches, may_have_batches
from irtensor.passes.speed.support.loop_bodies import LoopBody, changed_cells
from irtensor.passes.speed.support.loop_versions import put_in_branch
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass, option

# Entries of a segment that take longer than going through segments twice.
_MANY = 24


@dataclass(frozen=True)
class BatchFunctionsPass(TensorPass):
    """Split a loop that computes a function between its inner loops into three, for some iterations at a time.

    Before: `for %p { %t = cell; for %k { set ..., %t }; %e = exp(get %t); for %d { ... %e ... } }`
    After:  `for %q in steps of 128 {
             for %p in %q { %t = cell; for %k { set ..., %t }; store get %t, %batch[%p - %q] };
             for %k = 0 to %length { store exp(%batch[%k]), %batch[%k] };
             for %p in %q { %e = %batch[%p - %q]; for %d { ... %e ... } } }`
    A loop without loops inside computes functions of a vector at a time, which takes a fraction of the time. Values
    kept in between stay in the nearest cache. The first loop only reads what the whole function leaves as it is, so
    that it may run ahead. Loads and arithmetic that both sides need are repeated. Sums and functions that they need are
    kept in a batch of their own. Functions in the code behind are computed in the same way. A function inside of a loop
    over stored entries that does not depend on that loop is computed for a batch, too, if there are more entries than
    iterations: 24 times more where a loop computes what the function is of, since short loops over entries take longer
    when they take turns no more. Not where sums keep their order, as the functions of the C library are called for each
    number then.
    """

    name = "batch-functions"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {"hoist-invariants": "functions stand where what they are of is known"}
    before = {"allow-vector-functions": "only then are functions in loops that become vectors"}

    size: int = option("The iterations of a batch.", 128)

    def on_function(self, function: FuncOp) -> None:
        if not keeps_order(function):
            for loop in operations_in(function, ForOp):
                self._batch(loop)

    def _batch(self, loop: ForOp) -> None:
        if not may_have_batches(loop):
            return None
        functions = [op for op in operations_of(loop.body.block) if is_vector_function(op)]
        _share(functions)
        if not any([op.regions for op in operations_of(loop.body.block)]):
            # No part of it would be a loop around others.
            return None
        for op in functions:
            if op.parent is not None and (parts := _Parts.of(loop, op)) is not None:
                return self._divide(loop, parts)
        for inner in [op for op in operations_of(loop.body.block) if type(op) is ForOp]:
            segments = segments_of(inner)
            for op in operations_of(inner.body.block) if segments is not None and segments.outer is loop else ():
                if is_vector_function(op) and not any(_is_of(inner, value) for value in op.operands):
                    otherwise, following = copy_of(loop), op.next_op
                    assert following is not None and segments is not None
                    _move_before(op, inner)
                    if (parts := _Parts.of(loop, op)) is not None:
                        _ask_for_long(loop, segments, parts, otherwise)
                        return self._divide(loop, parts)
                    _move_before(op, following)
        return None

    def _divide(self, loop: ForOp, parts: _Parts) -> None:
        condition = ", if each has many entries" if isinstance(loop.parent_op(), IfOp) else ""
        text = f"{parts.function.name[5:]} is computed for {self.size} iterations at a time{condition}"
        remark(text, by="batch-functions")
        for other in _divide(loop, parts, self.size):
            self._batch(other)


def _share(functions: list[Operation]) -> None:
    """Let equal functions of one value, also by several reads of a cell, be one."""
    known: dict[Hashable, Operation] = {}
    for op in functions:
        operands = [value.owner.cell if isinstance(value.owner, GetOp) else value for value in op.operands]
        same = known.setdefault((type(op), *operands), op)
        if same is not op and _reads_the_same(same, op):
            op.results[0].replace_all_uses_with(same.results[0])
            erase_operation(op)


def _reads_the_same(first: Operation, second: Operation) -> bool:
    """Whether no cell changes between the reads of it that two operations use."""
    for one, other in zip(first.operands, second.operands, strict=True):
        if one is not other:
            assert isinstance(one.owner, GetOp) and isinstance(other.owner, GetOp)
            op, end = one.owner, other.owner
            while op is not end:
                if op is None or any(one.owner.cell in changed_cells(inner) for inner in op.walk()):
                    return False
                op = op.next_op
    return True


class _Parts(NamedTuple):
    """What a loop does to find the operand of a function, the function, and what it does with its value."""

    function: Operation
    operand: SSAValue
    ahead: set[Operation]
    kept: list[SSAValue]
    behind: list[set[Operation]]

    @staticmethod
    def of(loop: ForOp, function: Operation) -> _Parts | None:
        """The parts, if they may be loops of their own and one of them has loops inside."""
        varying = [value for value in function.operands if _is_of(loop, value)]
        if len(varying) != 1 or varying[0].type != function.results[0].type:
            return None
        body = LoopBody(loop)
        ahead = body.needed(varying[0])
        values = [value for value in body.kept_of(ahead) if value is not function.results[0]]
        behind = body.needed_by_effects({function.results[0], *values})
        together = set[Operation]().union(*behind)
        kept = [value for value in values if _is_used(value, together)]
        ahead.update(value.owner for value in kept if isinstance(value.owner, Operation))
        if not body.may_run_ahead(ahead) or not any(op.regions for op in ahead | together):
            return None
        if any(op.regions or is_vector_function(op) for op in ahead & together) or function in together:
            return None
        return _Parts(function, varying[0], ahead, kept, behind)


def _is_used(value: SSAValue, part: Collection[Operation]) -> bool:
    return any(op.is_ancestor(use.operation) for use in value.uses for op in part)


def _is_of(loop: ForOp, value: SSAValue) -> bool:
    """Whether a value is computed in the body of a loop, or is its number."""
    owner = value.owner
    return (owner if isinstance(owner, Block) else owner.parent) is loop.body.block


def _divide(loop: ForOp, parts: _Parts, size: int) -> list[ForOp]:
    """Put the parts in loops of their own, inside of a loop over batches. Returns those behind the function."""
    batches = Batches(loop, size)
    value, room = parts.function.results[0], batches.room(parts.operand.type)
    rooms = {one: batches.room(one.type) for one in parts.kept}
    first = batches.add_loop()
    first.take(parts.ahead)
    first.store(parts.operand, room)
    for one in parts.kept:
        first.store(one, rooms[one])
    second = batches.add_loop(from_zero=True)
    second.load(room, parts.operand)
    second.take([parts.function])
    second.store(value, room)
    loops: list[ForOp] = []
    for part in parts.behind:
        third = batches.add_loop()
        third.load(room, value)
        for one in parts.kept:
            if _is_used(one, part):
                third.load(rooms[one], one)
        third.take(part)
        loops.append(third.loop)
    batches.replace()
    return loops


def _move_before(op: Operation, point: Operation) -> None:
    op.detach()
    insert_operation(op, point)


def _ask_for_long(loop: ForOp, segments: Segments, parts: _Parts, otherwise: ForOp) -> None:
    """Put a loop into a branch that runs if the segments of an inner loop have many entries."""
    emit = Emitter(Block())
    begin, end = (emit.load_index(segments.positions, bound) for bound in (loop.lower, loop.upper))
    least = _MANY if any(op.regions for op in parts.ahead) else 1
    many = emit.mul(emit.sub(loop.upper, loop.lower), emit.index(least))
    is_long = emit.compare("sgt", emit.sub(end, begin), many)
    put_in_branch(loop, is_long, emit, then=loop, otherwise=otherwise)
