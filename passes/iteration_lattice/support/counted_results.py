"""Marks the loops that append to results whose entries are to be counted before."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from irtensor.dialects.loop.loop import AppendOp, ForOp, SetOp
from irtensor.dialects.support.create_operation import create_block
from irtensor.dialects.support.is_inside import replace_inside
from irtensor.passes.level_formats.result_writer import ResultWriter
from irtensor.passes.level_formats.tensor_writer import TensorWriter
from irtensor.passes.support.emit import Emitter

# Attribute of loops whose entries are counted by one run of the loop, and stored by another.
COUNTED = "counted"


def mark_counted(block: Block, writers: Iterable[TensorWriter]) -> None:
    """Mark the loop of a function that appends to a counted result; several, and a merge of lists, are put into one."""
    for writer in writers:
        if not isinstance(writer, ResultWriter) or not writer.is_counted:
            continue
        loops = [op for op in block.ops if any(_counts(inner, writer) for inner in op.walk())]
        if loops:
            is_one = len(loops) == 1 and isinstance(loops[0], ForOp)
            loop = loops[0] if is_one else _in_one(block, loops)
            loop.attributes[COUNTED] = UnitAttr()


def _counts(op: Operation, writer: ResultWriter) -> bool:
    return isinstance(op, AppendOp) and op.counter in writer.counts.values()


def _in_one(block: Block, loops: list[Operation]) -> ForOp:
    """A loop of one iteration in which is all that is done from the first of some loops on, until nothing more is done
    with the cells that these set, as where a merge stands in its lists: it has such cells for itself."""
    operations = list(block.ops)
    numbers = {op: number for number, op in enumerate(operations)}
    first, last = numbers[loops[0]], numbers[loops[-1]]
    sets = [op for one in operations[first : last + 1] for op in one.walk() if isinstance(op, SetOp)]
    cells = [cell for cell in dict.fromkeys(op.cell for op in sets) if cell.owner in operations[:first]]
    users = [block.find_ancestor_op_in_block(use.operation) for cell in cells for use in cell.uses]
    last = max(last, *(numbers[op] for op in users if op is not None), 0)
    before = create_block()
    emit = Emitter(before)
    around = emit.insert(ForOp.of(emit.index(0), emit.index(1)))
    Rewriter.inline_block(before, InsertPoint.before(loops[0]))
    Emitter(around.body.block).take(operations[first : last + 1])
    for cell in cells:
        _own(cell, around)
    return around


def _own(cell: SSAValue, around: ForOp) -> None:
    """Let a loop begin with a cell of its own, which holds what another one does."""
    emit = Emitter(create_block())
    replace_inside(around, cell, emit.cell(emit.get(cell)))
    Rewriter.inline_block(emit.block, InsertPoint.at_start(around.body.block))
