"""Marks the loops that append to results whose entries are to be counted before."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Block, Operation

from irtensor.dialects.diagnostics import UserError
from irtensor.dialects.loop import AppendOp, ForOp, WhileOp
from irtensor.passes.analysis.iteration_graph import name_of
from irtensor.passes.level_formats.result_writer import ResultWriter
from irtensor.passes.level_formats.tensor_writer import TensorWriter

# Attribute of loops whose entries are counted by one run of the loop, and stored by another.
COUNTED = "counted"


def mark_counted(block: Block, writers: Iterable[TensorWriter]) -> None:
    """Mark the loop of a function that appends to a counted result; it has to be the only one, and merge no lists."""
    for writer in writers:
        if not isinstance(writer, ResultWriter) or not writer.is_counted:
            continue
        loops = [op for op in block.ops if any(_counts(inner, writer) for inner in op.walk())]
        if len(loops) != 1 or not isinstance(loops[0], ForOp):
            raise _refused(writer, loops)
        loops[0].attributes[COUNTED] = UnitAttr()


def _counts(op: Operation, writer: ResultWriter) -> bool:
    return isinstance(op, AppendOp) and op.counter in writer.counts.values()


def _refused(writer: ResultWriter, loops: list[Operation]) -> UserError:
    name = name_of(writer.tensor)
    if len(loops) > 1:
        problem = f"entries of '{name}' are appended by {len(loops)} loops, one after the other"
    elif loops and isinstance(loops[0], WhileOp):
        problem = f"the outermost loop that appends to '{name}' merges lists, so that no iterations can be divided"
    else:
        problem = f"no loop appends entries to '{name}'"
    help = "assemble it by append, or make a dense level of the result the outermost loop"
    result = writer.tensor.owner
    assert isinstance(result, Operation)
    return UserError("illegal-assemble", f"assemble: {problem}", op=result, help=help)
