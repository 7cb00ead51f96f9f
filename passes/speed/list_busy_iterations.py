"""`list-busy-iterations`: which iterations of a loop have work is found out first, without a branch."""

from __future__ import annotations

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.loop.loop import INDEX, ConditionOp, ForOp, IfOp, LoadOp, WhileOp
from irtensor.dialects.support.create_operation import clone_operation, create_operation, erase_operation
from irtensor.passes.loop.support.iteration_steps import does_only, repeatable_steps
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass

# As many iterations at a time as an index has bits.
_STRIP = 64


class ListBusyIterationsPass(TensorPass):
    """Note which of the next 64 iterations of a loop have work, a bit for each, and then run only these.

    Which rows of a sparse factor are empty is random, so that a branch on it is often mispredicted.

    Before: `for %p = %a to %b { %k = %crd[%p]; if %pos[%k] < %pos[%k + 1] attributes {unlikely} { work } }`
    After:  `for each strip of 64 iterations { for %p in strip { bits |= (%pos[%k] < %pos[%k + 1]) << number of %p };
             while bits != 0 { %p = the iteration of the lowest bit; clear that bit; work } }`

    Only where an iteration does nothing outside of that guard, and nothing writes to the memory that the guard reads.
    """

    name = "list-busy-iterations"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {
        "skip-idle-loops": "the branches around idle loops are checked beforehand",
        "divide-parallel-loops": "the work of an iteration is read off loops that are not listed yet",
        "accumulate-in-registers": "segments are recognised in loops that are not listed yet",
    }

    def on_function(self, function: FuncOp) -> None:
        for loop in operations_in(function, ForOp):
            guard = _only_work(loop)
            steps = None if guard is None else repeatable_steps(loop.body.block, guard.condition)
            # A condition that reads nothing is foreseen.
            if guard is not None and steps is not None and any(isinstance(op, LoadOp) for op in steps):
                _rewrite(loop, guard, steps)


def _only_work(loop: ForOp) -> IfOp | None:
    """The rarely taken branch under which is all that an iteration does."""
    guard = loop.body.block.last_op
    if loop.attributes or not isinstance(guard, IfOp) or "unlikely" not in guard.attributes:
        return None
    if guard.otherwise.first_block is not None:
        return None
    return guard if does_only(loop, guard) else None


def _rewrite(loop: ForOp, guard: IfOp, steps: list[Operation]) -> None:
    before = Emitter(Block())
    length = before.add(before.sub(loop.upper, loop.lower), before.index(_STRIP - 1))
    strips = before.insert(ForOp.of(before.index(0), before.divide(length, before.index(_STRIP))))
    emit = Emitter(strips.body.block)
    first = emit.add(loop.lower, emit.mul(strips.induction, emit.index(_STRIP)))
    bits = emit.cell(emit.index(0))
    _emit_listing(loop, guard.condition, steps, first, bits, emit)
    _emit_run(loop, guard, first, bits, emit)
    move_before(before.block, loop)
    erase_operation(loop)


def _emit_listing(
    loop: ForOp, condition: SSAValue, steps: list[Operation], first: SSAValue, bits: SSAValue, emit: Emitter
) -> None:
    """Emit what sets the bits of the iterations of a strip whose condition holds."""
    length = emit.min(emit.sub(loop.upper, first), emit.index(_STRIP))
    listing = emit.insert(ForOp.of(emit.index(0), length))
    inner = Emitter(listing.body.block)
    known: dict[SSAValue, SSAValue] = {loop.induction: inner.add(first, listing.induction)}
    for step in steps:
        inner.insert(clone_operation(step, known))
    holds = inner.to_index(known[condition])
    bit = inner.insert(create_operation(arith.ShLIOp, (holds, listing.induction), (INDEX,))).result
    inner.set(inner.either(inner.get(bits), bit), bits)


def _emit_run(loop: ForOp, guard: IfOp, first: SSAValue, bits: SSAValue, emit: Emitter) -> None:
    """Move the body of a loop to the iterations whose bits are set."""
    run = emit.insert(WhileOp.of())
    run.location = loop.location
    run.attributes["unlikely"] = UnitAttr()
    condition, body = Emitter(run.condition.block), Emitter(run.body.block)
    condition.insert(ConditionOp.of(condition.compare("ne", condition.get(bits), condition.index(0))))
    left = body.get(bits)
    body.set(body.both(left, body.sub(left, body.index(1))), bits)
    lowest = body.insert(create_operation(math.CountTrailingZerosOp, (left,), (INDEX,))).result
    iteration = body.add(first, lowest)
    iteration.name_hint = loop.induction.name_hint
    loop.induction.replace_all_uses_with(iteration)
    for block in (loop.body.block, guard.then.block):
        for op in list(block.ops):
            if op is not guard:
                op.detach()
                body.insert(op)
