"""`skip-idle-loops`: a loop around merges with a list that stays empty throughout is not entered."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import arith
from xdsl.dialects.builtin import UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue

from irtensor.dialects.loop.loop import CellOp, ConditionOp, ForOp, GetOp, IfOp, SetOp, WhileOp
from irtensor.dialects.support.create_operation import clone_operation
from irtensor.passes.cleanup.hoist_invariants import is_speculatable
from irtensor.passes.loop.support.iteration_steps import does_only, repeatable_steps
from irtensor.passes.support.emit import Emitter, compares, move_before
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass


class SkipIdleLoopsPass(TensorPass):
    """Ask once, before a loop, whether a list that all of its iterations merge with has any entries.

    Before: `for %p = %a to %b { ...; while (%q < %end and %r < %last) { ... } }`, where %q starts at %begin
    After:  `if %begin < %end attributes {unlikely} { for %p = %a to %b { ... } }`
    Around it `if %a < %b { ... }`, where %begin and %end may only be read if there is an iteration. Only where an
    iteration does nothing but that merge, and neither %begin nor %end depends on %p. A row of a sparse factor that has
    no entries then costs nothing for the entries that it would be multiplied with.
    """

    name = "skip-idle-loops"
    accepts = ("loop",)
    leaves = ("loop",)
    before = {
        "divide-parallel-loops": "merges are recognised in the form that they are lowered to",
        "append-without-branch": "merges are recognised in the form that they are lowered to",
    }

    def on_function(self, function: FuncOp) -> None:
        for loop in operations_in(function, ForOp):
            merge = _only_merge(loop)
            if merge is not None:
                _guard(loop, merge)


def _only_merge(loop: ForOp) -> WhileOp | None:
    """The merge that is all a loop does."""
    merges = [op for op in operations_of(loop.body.block) if type(op) is WhileOp]
    return merges[0] if len(merges) == 1 and does_only(loop, merges[0]) else None


def _guard(loop: ForOp, merge: WhileOp) -> None:
    """Put a loop under the first of its merge's conditions that no iteration changes."""
    for begin, end in _ranges(merge, loop):
        steps = repeatable_steps(loop.body.block, begin, end)
        if steps is None or any(loop.induction in values for values in ((begin, end), *(op.operands for op in steps))):
            continue
        assert loop.parent is not None
        before = inner = Emitter(Block())
        if not all(map(is_speculatable, steps)):
            runs = before.insert(IfOp.of(before.compare("slt", loop.lower, loop.upper)))
            inner = Emitter(runs.then.block)
        known: dict[SSAValue, SSAValue] = {}
        for step in steps:
            inner.insert(clone_operation(step, known))
        stored = inner.compare("slt", known.get(begin, begin), known.get(end, end))
        branch = inner.insert(IfOp.of(stored))
        # What it is for: a list of a sparse factor. A full one hides a branch that is foreseen wrongly.
        branch.attributes["unlikely"] = UnitAttr()
        move_before(before.block, loop)
        loop.detach()
        branch.then.block.add_op(loop)
        return


def _ranges(merge: WhileOp, loop: ForOp) -> Iterator[tuple[SSAValue, SSAValue]]:
    """Where the cursors of a merge start in an iteration, and the ends that all of them have to stay below."""
    condition = merge.condition.block.last_op
    assert isinstance(condition, ConditionOp)
    open_values: list[SSAValue] = [condition.operands[0]]
    while open_values:
        owner = open_values.pop(0).owner
        if isinstance(owner, arith.AndIOp):
            open_values += owner.operands
        elif compares(owner, "slt"):
            read = owner.lhs.owner
            if isinstance(read, GetOp) and (begin := _start(read.operands[0], merge, loop)) is not None:
                yield begin, owner.rhs


def _start(cell: SSAValue, merge: WhileOp, loop: ForOp) -> SSAValue | None:
    """What a cell has when a merge begins: it is made in the iteration, and set by the merge alone."""
    made = cell.owner
    if not isinstance(made, CellOp) or made.parent is not loop.body.block:
        return None
    sets = [use.operation for use in cell.uses if isinstance(use.operation, SetOp)]
    return made.operands[0] if all(merge.is_ancestor(op) for op in sets) else None
