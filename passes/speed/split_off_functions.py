"""`split-off-functions`: functions of sums are computed for a whole row, by a loop of their own."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from irtensor.core.argument_layout import tensor_named
from irtensor.core.arithmetic import FLOAT
from irtensor.core.diagnostics import remark
from irtensor.dialects.algebra.order_of_sums import keeps_order
from irtensor.dialects.loop.loop import ForOp, GetOp, LoadOp, SetOp, StoreOp
from irtensor.dialects.support.create_operation import clone_operation
from irtensor.dialects.support.is_inside import is_inside
from irtensor.passes.analysis.races import PARALLEL
from irtensor.passes.cleanup.simplify_loops import is_pure
from irtensor.passes.loop.support.captured_values import is_read_only
from irtensor.passes.loop.support.long_functions import takes_long
from irtensor.passes.loop.support.scalar_emitter import kind_of
from irtensor.passes.speed.support.row_stores import only_row_store, remove_unused
from irtensor.passes.support.operations_in import is_argument, operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass


class SplitOffFunctionsPass(TensorPass):
    """Store what functions are of in the row of results, and compute the functions when the row is complete.

    Before: `for %j { %t = cell; for %k { set ..., %t }; store exp(get %t * %g), %y[%j] }`
    After:  `for %j { %t = cell; for %k { set ..., %t }; store get %t, %y[%j] };
             for %j { store exp(%y[%j] * %g), %y[%j] }`
    A loop without loops inside computes functions of a vector at a time, which takes a fraction of the time. In return,
    each element is written and read once more. Nothing else in the loop may have to do with the row, its elements have
    the type of the stored values, and everything else that the functions need is known outside of the sums. Not where
    sums keep their order, as the functions of the C library are called for each number then.
    """

    name = "split-off-functions"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {"keep-functions": "functions that are summed as well are in the same loop as their sum"}
    before = {
        "divide-parallel-loops": "both loops are divided among threads",
        "lower-algebra-to-arith": "functions are operators",
    }

    def on_function(self, function: FuncOp) -> None:
        if not keeps_order(function):
            _split_in(function)


def _split_in(function: FuncOp) -> None:
    for loop in operations_in(function, ForOp):
        body = operations_of(loop.body.block)
        if {*loop.attributes} <= {PARALLEL} and any(op.regions for op in body) and any(map(_is_slow, body)):
            stored = only_row_store(loop)
            if stored is not None:
                _split(loop, stored)


def _is_slow(op: Operation) -> bool:
    """Whether a function has vectors, which those of complex numbers have not."""
    return takes_long(op) and kind_of(op.results[0].type) == FLOAT


def _split(loop: ForOp, stored: StoreOp) -> None:
    for kept in _candidates(loop, stored):
        indexing, rest = _needed(loop, stored.index, ()), _needed(loop, stored.value, kept)
        if indexing is not None and rest is not None and any(map(_is_slow, rest)):
            break
    else:
        return
    name = tensor_named(stored.buffer.name_hint)
    text = f"functions in a row of '{name}' are computed in a loop of their own, after its sums"
    remark(text, by="split-off-functions", about=[name])
    following = ForOp.of(loop.lower, loop.upper, loop.attributes)
    following.induction.name_hint = loop.induction.name_hint
    assert loop.parent is not None
    loop.parent.insert_op_after(following, loop)
    block, values = following.body.block, {loop.induction: following.induction}
    for op in operations_of(loop.body.block):
        if op in indexing:
            block.add_op(clone_operation(op, values))
    index = values.get(stored.index, stored.index)
    load = LoadOp.of(stored.buffer, index)
    block.add_op(load)
    values.update(dict.fromkeys(kept, load.value))
    for op in operations_of(loop.body.block):
        if op in rest:
            block.add_op(clone_operation(op, values))
    block.add_op(StoreOp.of(values[stored.value], stored.buffer, index))
    stored.operands[0] = kept[0]
    remove_unused(loop)


def _candidates(loop: ForOp, stored: StoreOp) -> Iterator[tuple[SSAValue, ...]]:
    """Values that may be stored first: what cells hold when the sums are complete, by all names, or what a function is
    of."""
    body = operations_of(loop.body.block)
    sums = max(number for number, op in enumerate(body) if op.regions)
    after = body[sums + 1 :]
    if any(isinstance(op, SetOp) for op in after):
        return
    complete: dict[SSAValue, list[SSAValue]] = {}
    for op in after:
        if isinstance(op, GetOp):
            complete.setdefault(op.cell, []).append(op.value)
    found = [*complete.values(), *([operand] for op in after if _is_slow(op) for operand in op.operands)]
    for values in found:
        if values[0].type == stored.value.type and is_inside(values[0], loop):
            yield tuple(values)


def _needed(loop: ForOp, value: SSAValue, kept: Collection[SSAValue]) -> set[Operation] | None:
    """What a loop computes a value by from those that are kept; None if it needs what its sums leave besides."""
    found: set[Operation] = set()
    waiting = [value]
    while waiting:
        value = waiting.pop()
        op = value.owner
        if value in kept or not isinstance(op, Operation) or not loop.is_ancestor(op) or op in found:
            continue
        if not (is_pure(op) or _is_the_same(op, loop)):
            return None
        found.add(op)
        waiting += op.operands
    return found


def _is_the_same(op: Operation, loop: ForOp) -> bool:
    """Whether an operation reads what a loop does not change."""
    if isinstance(op, LoadOp):
        return is_argument(op.buffer) and is_read_only(op.buffer)
    if not isinstance(op, GetOp) or is_inside(op.cell, loop):
        return False
    return not any(isinstance(use.operation, SetOp) and loop.is_ancestor(use.operation) for use in op.cell.uses)
