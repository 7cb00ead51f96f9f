"""`load-invariants`: an element that all iterations of a loop load is loaded once, if there is an iteration."""

from __future__ import annotations

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.loop.buffer_uses import is_only_read
from irtensor.dialects.loop.loop import ForOp, IfOp, LoadOp
from irtensor.passes.cleanup.hoist_invariants import is_speculatable
from irtensor.passes.llvm.support.compile_effort import is_settled
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass


class LoadInvariantsPass(TensorPass):
    """Load what does not depend on the iterations of an innermost loop before it, behind the question whether it runs.

    Before: `loop.for %p = %a to %b { %v = loop.load %C[%k]; ... }`
    After:  `loop.if %a < %b { %v = loop.load %C[%k]; loop.for %p = %a to %b { ... } }`
    Only of arrays that the function does not write, and in loops that LLVM is told not to change: in others LLVM hoists
    such loads itself. The first iteration would load the same, and a loop asks whether it runs in any case.
    """

    name = "load-invariants"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {
        "accumulate-in-registers": "what a row repeats is known once its elements are in vectors",
        "prefetch-gathers": "the reads of a loop are recognised there",
        "carry-elements": "the reads of a loop are recognised there",
    }
    before = {"hint-loops": "loops that are told to stay as they are have no other hints yet"}

    def on_function(self, function: FuncOp) -> None:
        for loop in operations_in(function, ForOp):
            if is_settled(loop) and not any([inner.regions for inner in operations_of(loop.body.block)]):
                _rewrite(loop)


def _rewrite(loop: ForOp) -> None:
    moved = _invariants(loop)
    if not any(isinstance(op, LoadOp) for op in moved):
        return
    emit = Emitter(Block())
    branch = emit.insert(IfOp.of(emit.compare("slt", loop.lower, loop.upper)))
    move_before(emit.block, loop)
    inside = Emitter(branch.then.block)
    inside.take(moved)
    inside.take([loop])


def _invariants(loop: ForOp) -> list[Operation]:
    """What computes the same in each iteration: loads, and arithmetic."""
    varying: set[SSAValue] = {loop.induction}
    found: list[Operation] = []
    for op in operations_of(loop.body.block):
        stays = not (is_speculatable(op) or (isinstance(op, LoadOp) and is_only_read(op.buffer)))
        if stays or not varying.isdisjoint(op.operands):
            varying.update(op.results)
        else:
            found.append(op)
    return found
