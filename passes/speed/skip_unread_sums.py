"""`skip-unread-sums`: what only a loop without iterations would read is not computed."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.argument_layout import tensor_named
from irtensor.core.diagnostics import remark
from irtensor.dialects.loop.loop import CellOp, ConditionOp, ForOp, GetOp, IfOp, LoadOp, SearchOp, SetOp, WhileOp
from irtensor.dialects.support.is_inside import is_inside
from irtensor.passes.cleanup.simplify_loops import is_pure
from irtensor.passes.loop.support.iteration_steps import repeatable_steps
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass

_WITHOUT_EFFECT = frozenset((CellOp, ConditionOp, ForOp, GetOp, IfOp, LoadOp, SearchOp, WhileOp))


class SkipUnreadSumsPass(TensorPass):
    """Ask whether a loop along stored entries has any, before what only that loop reads is computed.

    Before: `for %q = %c to %d { ... set %s, %t }; for %p = %a to %b { ... get %t ... }`
    After:  `if %a < %b { for %q = %c to %d { ... set %s, %t } }; for %p = %a to %b { ... get %t ... }`
    A factor that is computed once for a row costs nothing where the row has no entries. Only where %a and %b are read
    from memory: a loop over a whole dimension has iterations.
    """

    name = "skip-unread-sums"
    accepts = ("loop",)
    leaves = ("loop",)
    before = {"divide-parallel-loops": "the branch is a part of what an iteration does"}

    def on_function(self, function: FuncOp) -> None:
        for reader in operations_in(function, ForOp):
            sums = _sums_for(reader)
            if sums:
                _guard(sums, reader)


def _sums_for(reader: ForOp) -> list[Operation]:
    """The loops before another one that compute nothing but cells that only that one reads."""
    block = reader.parent
    assert block is not None
    read = dict.fromkeys([op.cell for op in operations_in(reader, GetOp)])
    cells = [cell for cell in read if isinstance(cell.owner, CellOp) and cell.owner.parent is block]
    if not cells:
        return []
    users = {block.find_ancestor_op_in_block(use.operation) for cell in cells for use in cell.uses} - {reader}
    sums = [op for op in block.ops if op in users]
    alone = all(isinstance(op, ForOp | WhileOp) and computes_only(op, cells) for op in sums)
    return sums if alone and not _sets_any(reader, cells) and all(op.is_before_in_block(reader) for op in sums) else []


def computes_only(loop: Operation, cells: Collection[SSAValue]) -> bool:
    """Whether a loop has no effect but on these cells and on its own."""
    for op in loop.walk():
        if type(op) is SetOp:
            if op.cell not in cells and not is_inside(op.cell, loop):
                return False
        elif not (type(op) in _WITHOUT_EFFECT or is_pure(op)):
            return False
    return True


def _sets_any(loop: ForOp, cells: Collection[SSAValue]) -> bool:
    return any(op.cell in cells for op in operations_in(loop, SetOp))


def _guard(sums: Sequence[Operation], reader: ForOp) -> None:
    """Run loops only if their reader has iterations."""
    block = reader.parent
    assert block is not None
    steps = repeatable_steps(block, reader.lower, reader.upper)
    if steps is None or not any(isinstance(step, LoadOp) for step in steps):
        return
    tensor = next(tensor_named(step.buffer.name_hint) for step in steps if isinstance(step, LoadOp))
    text = f"a sum is computed only where '{tensor}' has entries that use it"
    remark(text, reader, by="skip-unread-sums", about=[tensor])
    before = Emitter(Block())
    for step in steps:
        if not step.is_before_in_block(sums[0]):
            step.detach()
            before.insert(step)
    used = before.compare("slt", reader.lower, reader.upper)
    move_before(before.block, sums[0])
    for loop in sums:
        emit = Emitter(Block())
        branch = emit.insert(IfOp.of(used))
        move_before(emit.block, loop)
        loop.detach()
        branch.then.block.add_op(loop)
