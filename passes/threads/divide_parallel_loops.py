"""`divide-parallel-loops`: a loop whose iterations may run at the same time becomes parts of equal work for threads."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from irtensor.core.diagnostics import AskedBy, UserError
from irtensor.dialects.algebra.algebra import ApplyOp
from irtensor.dialects.loop.loop import (
    AS_IT_IS,
    ForOp,
    ParallelOp,
    ReserveOp,
    StoreOp,
)
from irtensor.dialects.loop.loop_parallel import parallel_loop_around
from irtensor.dialects.support.create_operation import clone_operation, erase_operation
from irtensor.dialects.support.is_inside import replace_inside
from irtensor.passes.analysis.races import AUTOMATIC, OVER, PARALLEL, unmark
from irtensor.passes.loop.support.division import Division, sizes_of
from irtensor.passes.loop.support.function_memory import memory_for
from irtensor.passes.loop.support.parallel_state import ParallelState, Reduction, state_of
from irtensor.passes.loop.support.shared_between_iterations import Shared
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass


class DivideParallelLoopsPass(TensorPass):
    """Divide loops marked `parallel` into parts of about equal work, as many as are worth a thread each.

    Before: `loop.for %i = %lo to %hi attributes {parallel = "none"} { body }`
    After:  `%n = loop.parts %work; loop.parallel %p = 0 to %n { ...; loop.for %i = %first to %last { body } }`
    The work of an iteration is read off the positions arrays of the segments inside, and where a part begins is found
    by bisection. Memory of the function's own that an iteration starts anew is made once per part; a cell that
    iterations reduce into is one per part as well, combined afterwards in the order of the parts. A loop that turns out
    to be sequential is left as it is if it was marked automatically, and refused if it was marked by a schedule.
    """

    name = "divide-parallel-loops"
    accepts = ("loop",)
    leaves = ("loop", "algebra")
    before = {"lower-algebra-to-arith": "what parts reduce is combined by operators of algebra"}
    needs = "threads"

    def on_function(self, function: FuncOp) -> None:
        for loop in operations_in(function, ForOp):
            if PARALLEL in loop.attributes:
                _divide_marked(loop, function.body.block)


def _divide_marked(loop: ForOp, entry: Block) -> None:
    mark = loop.attributes[PARALLEL]
    if parallel_loop_around(loop) is not None or operations_in(loop, ParallelOp):
        # Its iterations are one thread's already, or the work in them is divided.
        unmark(loop)
        return
    try:
        state = state_of(loop)
    except Shared as reason:
        if mark != AUTOMATIC:
            over = loop.attributes.get(OVER)
            name = over.data if isinstance(over, StringAttr) else loop.induction.name_hint or "it"
            message = f"the loop over {name} cannot be parallel: {reason}"
            asked_by = AskedBy(("parallelize",), name)
            raise UserError("parallel-dependence", message, op=loop, help=reason.help, asked_by=asked_by) from None
        unmark(loop)
        return
    _divide(loop, state, entry)
    unmark(loop)


def _divide(loop: ForOp, state: ParallelState, entry: Block) -> None:
    block = loop.parent
    assert block is not None
    before, after = Emitter(Block()), Emitter(Block())
    division = Division(loop, before, sizes_of(state.setup))
    parts = division.parts
    # What each part has reduced to.
    partial = [memory_for(parts, one.cell.initial.type, entry, before) for one in state.reductions]
    parallel = ParallelOp.of(before.index(0), parts)
    parallel.location = loop.location
    emit = Emitter(parallel.body.block)
    part = parallel.induction
    part.name_hint = "part"
    _copy_setup(state, loop, emit)
    cells = [_private_cell(reduction, loop, emit) for reduction in state.reductions]
    bounds = division.bounds(part, emit)
    move_before(before.block, loop)
    block.insert_op_before(parallel, loop)
    loop.detach()
    loop.operands[0], loop.operands[1] = bounds
    emit.insert(loop)
    for reduction, cell, buffer in zip(state.reductions, cells, partial, strict=True):
        emit.insert(StoreOp.of(emit.get(cell), buffer, part))
        _combine(reduction, buffer, parts, after)
    Rewriter.inline_block(after.block, InsertPoint.after(parallel))
    _erase_unused(state.setup)


# What every part has for itself.


def _copy_setup(state: ParallelState, loop: ForOp, emit: Emitter) -> None:
    copies: dict[SSAValue, SSAValue] = {}
    for op in (*state.setup, *state.cells):
        emit.insert(clone_operation(op, copies))
    for old, new in copies.items():
        replace_inside(loop, old, new)


def _erase_unused(setup: Sequence[Operation]) -> None:
    """Erase memory that only parts of parallel loops used: each part has its own now."""
    for op in reversed(setup):
        used = [use.operation for result in (*op.results, *op.operands[:1]) for use in result.uses]
        if isinstance(op, ReserveOp):
            unused = all(isinstance(user, ReserveOp) for user in used)
        else:
            unused = not any(result.first_use for result in op.results)
        if unused:
            erase_operation(op)


# Reductions.


def _private_cell(reduction: Reduction, loop: ForOp, emit: Emitter) -> SSAValue:
    cell = emit.cell(emit.constant(reduction.identity, reduction.cell.initial.type))
    cell.name_hint = reduction.cell.cell.name_hint
    replace_inside(loop, reduction.cell.cell, cell)
    return cell


def _combine(reduction: Reduction, partial: SSAValue, parts: SSAValue, emit: Emitter) -> None:
    """The cell combined with the result of one part after the other."""
    loop = emit.insert(ForOp.of(emit.index(0), parts, AS_IT_IS))
    inner, cell = Emitter(loop.body.block), reduction.cell.cell
    operands = (inner.get(cell), inner.load(partial, loop.induction))
    combined = ApplyOp.of(reduction.operator, operands, operands[0].type)
    combined.fastmath = reduction.example.fastmath
    inner.set(inner.insert(combined).result, cell)
