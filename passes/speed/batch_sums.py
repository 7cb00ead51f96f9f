"""`batch-sums`: sums that rows are multiplied by are computed for a batch of iterations at a time."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from irtensor.core.argument_layout import tensor_named
from irtensor.core.diagnostics import remark
from irtensor.dialects.loop.loop import ForOp, GetOp, LoadOp, SetOp, StoreOp
from irtensor.dialects.loop.loop_types import is_scalar_element
from irtensor.passes.speed.allow_vector_functions import is_vector_function
from irtensor.passes.speed.support.batches import Batches, are_long_dimensions, may_have_batches
from irtensor.passes.speed.support.loop_bodies import LoopBody
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass, option


@dataclass(frozen=True)
class BatchSumsPass(TensorPass):
    """Split a loop that adds rows times sums to one row into two, for some iterations at a time.

    Before: `for %p { %t = cell; for %e { set ..., %t }; for %d { %y[%d] = %y[%d] + get %t * %v[%crd[%p] * %n + %d] } }`
    After:  `for %q in steps of 256 {
             for %p in %q { %t = cell; for %e { set ..., %t }; store get %t, %batch[%p - %q] };
             for %p in %q { %s = %batch[%p - %q]; for %d { %y[%d] = %y[%d] + %s * %v[...] } } }`
    A loop that does nothing but add to a row has the row in registers meanwhile, which are written once instead of in
    each iteration. The same for one number instead of the row, as the least of the sums: no sum waits for the one
    before, and the second loop takes a vector of sums at a time. There, loops iterate over dimensions that may be long.
    The sums of a batch stay in the nearest cache. The first loop only reads what the whole function leaves as it is, so
    that it may run ahead. Loads and arithmetic that both sides need are repeated, loops never are. Everything is
    combined in the same order.
    """

    name = "batch-sums"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {"batch-functions": "functions of the sums are computed for a batch, too, where there are any"}
    before = {"accumulate-in-registers": "rows are in registers there"}

    size: int = option("The iterations of a batch.", 256)

    def on_function(self, function: FuncOp) -> None:
        # Inner loops first: those around are made anew, with their bodies.
        for loop in reversed(operations_in(function, ForOp)):
            if may_have_batches(loop):
                self._batch(loop)

    def _batch(self, loop: ForOp) -> None:
        body = operations_of(loop.body.block)
        if not 1 <= sum([type(op) is ForOp for op in body]) == sum([bool(op.regions) for op in body]) <= 2:
            return
        split = LoopBody(loop)
        found = next((op for op in body if isinstance(op, GetOp) and _is_sum(op, split)), None)
        if found is None or any(map(is_vector_function, body)):
            return
        ahead = split.needed(found.value)
        behind = set[Operation]().union(*split.needed_by_effects({found.value}))
        if not split.may_run_ahead(ahead) or any(op.regions for op in ahead & behind):
            return
        inside = [op for op in ahead if isinstance(op, ForOp)]
        if inside and (
            _adds_to_a_row(loop, behind) or (are_long_dimensions(loop, *inside) and _adds_to_a_number(loop, behind))
        ):
            self._tell(inside)
            _divide(loop, found.value, ahead, behind, self.size)

    def _tell(self, sums: list[ForOp]) -> None:
        loads = [op for one in sums for op in operations_in(one, LoadOp)]
        tensors = [*dict.fromkeys(tensor_named(load.buffer.name_hint) for load in loads)]
        names = " and ".join(f"'{name}'" for name in tensors)
        of = f" of elements of {names}" if names else ""
        remark(f"sums{of} are computed for {self.size} iterations at a time", by=self.name, about=tensors)


def _is_sum(read: GetOp, body: LoopBody) -> bool:
    return read.cell in body.cells and is_scalar_element(read.value.type)


def _adds_to_a_number(loop: ForOp, part: Collection[Operation]) -> bool:
    """Whether all that operations do is to combine something with one number, the same one in all iterations."""
    changes = [op for op in part if isinstance(op, StoreOp | SetOp)]
    if len(changes) != 1 or any(op.regions for op in part):
        return False
    change = changes[0]
    if isinstance(change, SetOp):
        return any(isinstance(op, GetOp) and op.cell is change.cell for op in part)
    target = change.buffer, change.index
    is_one = not any(loop.is_ancestor(operand.owner) for operand in target)
    return is_one and any(isinstance(op, LoadOp) and (op.buffer, op.index) == target for op in part)


def _adds_to_a_row(loop: ForOp, part: Collection[Operation]) -> bool:
    """Whether all that inner loops change is elements of a row, the same one in all iterations of the loop."""
    varies: set[SSAValue] = {loop.induction}
    for op in operations_of(loop.body.block):
        varies.update(op.results)
    stores = 0
    for inner in part:
        for op in operations_of(inner.body.block) if isinstance(inner, ForOp) else ():
            if any(operand in varies for operand in op.operands):
                varies.update(op.results)
            if op.regions or isinstance(op, SetOp) or (isinstance(op, StoreOp) and op.index in varies):
                return False
            stores += isinstance(op, StoreOp)
        if isinstance(inner, StoreOp | SetOp):
            return False
    return stores > 0


def _divide(
    loop: ForOp, value: SSAValue, ahead: Collection[Operation], behind: Collection[Operation], size: int
) -> None:
    """Put the two parts in loops of their own, inside of a loop over batches."""
    batches = Batches(loop, size)
    room = batches.room(value.type)
    first = batches.add_loop()
    first.take(ahead)
    first.store(value, room)
    second = batches.add_loop()
    second.load(room, value)
    second.take(behind)
    batches.replace()
