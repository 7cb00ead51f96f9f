"""`append-at-once`: a loop that appends as much in each iteration appends it all at once, behind the loop."""

from __future__ import annotations

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import Rewriter

from irtensor.dialects.loop.loop import AppendOp, CountOp, ForOp, GetOp
from irtensor.dialects.support.is_inside import is_inside
from irtensor.passes.analysis.races import PARALLEL
from irtensor.passes.cleanup.hoist_invariants import hoist_in
from irtensor.passes.loop.support.iteration_steps import erase_idle
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_of
from irtensor.passes.support.pass_base import TensorPass


class AppendAtOncePass(TensorPass):
    """Compute the position of an entry from its iteration where each iteration appends as many.

    Before: `loop.for %p = %lo to %hi { %q = loop.count %n; ...; loop.append %e to %n }`
    After:  `%c = loop.count %n; %b = %c - %lo * %e;
             loop.for %p = %lo to %hi { %q = %b + %p * %e; ... }; loop.append max(%hi - %lo, 0) * %e to %n`
    A loop that has nothing else to do is gone: what only counts entries takes no time for each of them. The iterations
    that are left do not have the counter in common.
    """

    name = "append-at-once"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {
        "count-all-entries": "a loop that counts is made from one that appends",
        "count-entries": "a loop that counts is made from one that appends",
    }
    before = {"spread-loops": "lanes share a loop whose iterations have nothing in common"}

    def on_function(self, function: FuncOp) -> None:
        _in_block(function.body.block)


def _in_block(block: Block) -> None:
    """Append at once what loops in a block append, inner ones first."""
    for op in operations_of(block):
        for region in op.regions:
            for inner in region.blocks:
                _in_block(inner)
        if type(op) is ForOp and PARALLEL not in op.attributes and not isinstance(op.upper.owner, GetOp):
            for append in [one for one in op.body.block.ops if isinstance(one, AppendOp)]:
                if is_inside(append.entries, op):
                    # What an inner loop appends at once may be known before this one.
                    hoist_in(block)
                counts = _counts_before(append, op)
                if counts is not None:
                    _append_behind(op, append, counts)
            erase_idle(op)


def _counts_before(append: AppendOp, loop: ForOp) -> list[CountOp] | None:
    """What reads a counter in an iteration, before the entries are appended; None if anything else is done with it."""
    if is_inside(append.counter, loop) or is_inside(append.entries, loop):
        return None
    users = [use.operation for use in append.counter.uses if loop.is_ancestor(use.operation)]
    counts = [user for user in users if isinstance(user, CountOp)]
    if len(counts) + 1 < len(users):
        return None
    behind = append.next_op
    while behind is not None:
        if any(behind.is_ancestor(count) for count in counts):
            return None
        behind = behind.next_op
    return counts


def _append_behind(loop: ForOp, append: AppendOp, counts: list[CountOp]) -> None:
    before = Emitter(Block())
    base = before.sub(before.count(append.counter), before.mul(loop.lower, append.entries)) if counts else None
    iterations = before.max(before.sub(loop.upper, loop.lower), before.index(0))
    entries = before.mul(iterations, append.entries)
    move_before(before.block, loop)
    for count in counts:
        assert base is not None
        _replace(count, base, loop.induction, append.entries)
    append.detach()
    append.operands[0] = entries
    assert loop.parent is not None
    loop.parent.insert_op_after(append, loop)


def _replace(count: CountOp, base: SSAValue, iteration: SSAValue, entries: SSAValue) -> None:
    """Let the position of an entry be `base + iteration * entries`."""
    emit = Emitter(Block())
    position = emit.add(base, emit.mul(iteration, entries))
    position.name_hint = count.count.name_hint
    move_before(emit.block, count)
    count.count.replace_all_uses_with(position)
    Rewriter.erase_op(count)
