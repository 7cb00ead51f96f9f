"""`skip-empty-strips`: of a loop that asks a flag in each iteration, 64 without one are passed over at once."""

from __future__ import annotations

from xdsl.dialects.builtin import UnitAttr, i1
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.loop.loop import SHORT, ForOp, IfOp, LoadOp
from irtensor.dialects.support.create_operation import clone_operation
from irtensor.passes.loop.support.consecutive_indices import is_consecutive
from irtensor.passes.loop.support.iteration_steps import does_only, repeatable_steps
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass

# The bytes of flags that a processor reads and compares in one step or two.
_STRIP = 64


class SkipEmptyStripsPass(TensorPass):
    """Ask for 64 flags at once whether any is set, and pass over those iterations if none is.

    Before: `for %i = %a to %b { if %flags[%i] { work } }`
    After:  `for each strip of 64 iterations { if any of %flags[%i] in the strip { for %i in strip { if %flags[%i] {
             work } } } }`

    Only where an iteration does nothing outside of that branch, flags of neighbouring iterations are neighbours, and
    nothing writes to them. The iterations behind the last whole strip are run as they are. A bitmap of a million
    coordinates with a few entries is walked in the time that it takes to read its flags.
    """

    name = "skip-empty-strips"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {
        "divide-parallel-loops": "the work of an iteration is read off loops that are not in strips yet",
        "list-busy-iterations": "loops that list their iterations have no branch left",
    }
    before = {"poll-interrupts": "a loop over strips asks whether a kernel is interrupted once for each"}

    def on_function(self, function: FuncOp) -> None:
        for loop in operations_in(function, ForOp):
            guard = _only_work(loop)
            steps = None if guard is None else _steps_to_flag(loop, guard)
            if guard is not None and steps is not None:
                _rewrite(loop, guard.condition, steps)


def _only_work(loop: ForOp) -> IfOp | None:
    """The branch under which is all that an iteration does."""
    guard = loop.body.block.last_op
    if loop.attributes or not isinstance(guard, IfOp) or any(block.first_op for block in guard.otherwise.blocks):
        return None
    return guard if does_only(loop, guard) else None


def _steps_to_flag(loop: ForOp, guard: IfOp) -> list[Operation] | None:
    """The operations that read the flag of an iteration; None if a branch is not on one, or flags may change."""
    flag = guard.condition.owner
    if not isinstance(flag, LoadOp) or flag.parent is not loop.body.block or not is_consecutive(flag.index, loop):
        return None
    return repeatable_steps(loop.body.block, guard.condition)


def _rewrite(loop: ForOp, condition: SSAValue, steps: list[Operation]) -> None:
    before = Emitter(Block())
    length = before.sub(loop.upper, loop.lower)
    strips = before.insert(ForOp.of(before.index(0), before.divide_up(length, _STRIP)))
    strips.location = loop.location
    emit = Emitter(strips.body.block)
    first = emit.add(loop.lower, emit.mul(strips.induction, emit.index(_STRIP)))
    end = emit.add(first, emit.index(_STRIP))
    some = emit.cell(emit.number(True, i1))
    whole = Emitter(emit.insert(IfOp.of(emit.compare("sle", end, loop.upper))).then.block)
    whole.set(_any_flag(loop, condition, steps, first, whole), some)
    inner = Emitter(emit.insert(IfOp.of(emit.get(some))).then.block)
    bounds = first, inner.min(end, loop.upper)
    move_before(before.block, loop)
    loop.detach()
    loop.operands[0], loop.operands[1] = bounds
    loop.attributes[SHORT] = UnitAttr()
    inner.insert(loop)


def _any_flag(loop: ForOp, condition: SSAValue, steps: list[Operation], first: SSAValue, emit: Emitter) -> SSAValue:
    """Emit whether any flag of a whole strip is set."""
    found = emit.cell(emit.number(False, i1))
    asked = emit.insert(ForOp.of(emit.index(0), emit.index(_STRIP), {SHORT: UnitAttr()}))
    inner = Emitter(asked.body.block)
    known: dict[SSAValue, SSAValue] = {loop.induction: inner.add(first, asked.induction)}
    for step in steps:
        inner.insert(clone_operation(step, known))
    inner.set(inner.either(inner.get(found), known[condition]), found)
    return emit.get(found)
