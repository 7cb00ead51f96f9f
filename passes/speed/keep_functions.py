"""`keep-functions`: functions of elements that a later loop computes again are kept in the row that it stores."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.argument_layout import tensor_named
from irtensor.core.diagnostics import remark
from irtensor.dialects.loop.loop import ForOp, LoadOp, StoreOp
from irtensor.dialects.support.create_operation import clone_operation, erase_operation
from irtensor.passes.cleanup.simplify_loops import is_pure
from irtensor.passes.loop.support.long_functions import takes_long
from irtensor.passes.loop.support.value_sources import sources_of
from irtensor.passes.speed.support.equal_sums import Equality
from irtensor.passes.speed.support.memory_effects import effects_of, memory_behind
from irtensor.passes.speed.support.row_stores import only_row_store, remove_unused
from irtensor.passes.support.operations_in import operations_between, operations_of
from irtensor.passes.support.pass_base import TensorPass


class KeepFunctionsPass(TensorPass):
    """Let a loop that sums functions of elements store them where a later loop over the same range stores its results.

    Before: `for %l { %e = exp(%x[%l] - get %m); set get %s + %e, %s };
             for %j { %e = exp(%x[%j] - get %m); store %e / get %s, %y[%j] }`
    After:  `for %l { %e = exp(%x[%l] - get %m); store %e, %y[%l]; set get %s + %e, %s };
             for %j { store %y[%j] / get %s, %y[%j] }`
    That is a softmax. Functions are those that take longer than an element is written and read, which are computed by a
    library; the row of results is written anyway. Nothing else may have to do with the row between the loops, and its
    elements have the type of the function. The result is what it was, to the bit, where the same function is called.
    """

    name = "keep-functions"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {
        "simplify-loops": "equal values outside of the loops are then one value each",
        "fuse-equal-loops": "what one loop computes for two results is not computed again",
    }
    before = {"lower-algebra-to-arith": "functions are operators"}

    def on_function(self, function: FuncOp) -> None:
        _keep_in(function.body.block)


def _keep_in(block: Block) -> None:
    """Look at the loops of a block, and at those inside of its operations."""
    loops = [op for op in operations_of(block) if type(op) is ForOp and _is_plain(op)]
    for number, second in enumerate(loops):
        if (stored := only_row_store(second)) is not None:
            any(_keep(first, second, stored) for first in reversed(loops[:number]))
    for op in operations_of(block):
        for region in op.regions:
            for inner in region.blocks:
                _keep_in(inner)


def _is_plain(loop: ForOp) -> bool:
    """Whether an innermost loop, which no part of the program divides, calls functions."""
    operations = operations_of(loop.body.block)
    return not loop.attributes and not any(op.regions for op in operations) and any(map(takes_long, operations))


def _keep(first: ForOp, second: ForOp, stored: StoreOp) -> bool:
    between = operations_between(first, second)
    effects, last, row = effects_of(first, *between), effects_of(second), memory_behind(stored.buffer)
    if effects is None or last is None or row is None or row in effects.reads | effects.writes:
        return False
    indexing = _indexing(stored.index, second, first)
    if stored.buffer.owner in between:
        return False
    outside = Equality((effects.writes | last.writes) - {row})
    if indexing is None or not outside.of_ranges(second, first):
        return False
    for again, value in _equal_values(first, second, outside):
        if again.type == stored.value.type:
            _replace(first, second, stored, again, value, indexing)
            return True
    return False


def _indexing(index: SSAValue, loop: ForOp, first: ForOp) -> list[Operation] | None:
    """What computes an index of a loop from values that are known where the first loop begins; None if others do."""
    needed: list[Operation] = []
    waiting = [index]
    while waiting:
        op = waiting.pop().owner
        if not isinstance(op, Operation) or op in needed or not (op.parent is first.parent or loop.is_ancestor(op)):
            continue
        if op.parent is first.parent and op.is_before_in_block(first):
            continue
        if not is_pure(op):
            return None
        needed.append(op)
        waiting += op.operands
    blocks = [op for op in needed if op.parent is first.parent], [op for op in needed if op.parent is not first.parent]
    return [op for block in blocks for op in sorted(block, key=_number)]


def _number(op: Operation) -> int:
    assert op.parent is not None
    return op.parent.get_operation_index(op)


def _equal_values(first: ForOp, second: ForOp, outside: Equality) -> Iterator[tuple[SSAValue, SSAValue]]:
    """The values with functions in them that the second loop computes, and the first has; the last ones first."""
    known = [op.results[0] for op in operations_of(first.body.block) if is_pure(op) and _calls(op, first)]
    for op in reversed(operations_of(second.body.block)):
        if is_pure(op) and _calls(op, second):
            inside = outside.in_loops(second, first)
            for value in known:
                if inside.of_values(op.results[0], value):
                    yield op.results[0], value


def _calls(op: Operation, loop: ForOp) -> bool:
    """Whether a loop computes a value by a function."""
    makers = [value.owner for value in sources_of(op.results) if isinstance(value.owner, Operation)]
    return any(takes_long(maker) and loop.is_ancestor(maker) for maker in makers)


def _replace(
    first: ForOp, second: ForOp, stored: StoreOp, again: SSAValue, value: SSAValue, indexing: list[Operation]
) -> None:
    name = tensor_named(stored.buffer.name_hint)
    text = f"functions that two loops need are computed once, and kept in the row of '{name}' meanwhile"
    remark(text, by="keep-functions", about=[name])
    buffer, owner = stored.buffer, value.owner
    assert isinstance(owner, Operation)
    index = _copied(indexing, stored.index, {second.induction: first.induction}, owner)
    first.body.block.insert_op_after(StoreOp.of(value, buffer, index), owner)
    if stored.value is again:
        erase_operation(second)
        return
    owner = again.owner
    assert isinstance(owner, Operation)
    kept = LoadOp.of(buffer, _copied([op for op in indexing if second.is_ancestor(op)], stored.index, {}, owner))
    second.body.block.insert_op_before(kept, owner)
    again.replace_all_uses_with(kept.value)
    remove_unused(second)


def _copied(
    indexing: list[Operation], index: SSAValue, values: dict[SSAValue, SSAValue], before: Operation
) -> SSAValue:
    """The index, computed again before an operation."""
    assert before.parent is not None
    for op in indexing:
        before.parent.insert_op_before(clone_operation(op, values), before)
    return values.get(index, index)
