"""`unspread-loops`: loops on blocks, teams, lanes and threads become plain loops, which a CPU runs as well."""

from __future__ import annotations

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import HasParent

from irtensor.dialects.loop.loop import BarrierOp, ForOp, ParallelOp, ReduceOp, SharedOp, YieldOp
from irtensor.dialects.loop.loop_types import held_type
from irtensor.dialects.loop.loop_units import units_of
from irtensor.dialects.support.create_operation import create_operation, insert_operation
from irtensor.passes.loop.support.function_memory import memory_for
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass
from irtensor.passes.support.wrong_stage import wrong_stage


class UnspreadLoopsPass(TensorPass):
    """Run what blocks, teams, lanes and threads do one after the other: a CPU then computes what a GPU would.

    Before: `loop.parallel %t = 0 to 128 on threads { ...; loop.reduce %v into %sum (%a, %b) { %c = %a + %b } }`
    After:  `loop.for %t = 0 to 128 { ...; %a = loop.get %sum; %c = %a + %v; loop.set %c, %sum }`

    Barriers are removed. Memory that the threads of a block share becomes memory of the function. Parallel loops
    without units stay. For tests: a statement that is spread over a GPU is compiled for the CPU, and gives the same.
    """

    name = "unspread-loops"
    accepts = ("loop",)
    leaves = ("loop",)

    def on_function(self, function: FuncOp) -> None:
        loops = [loop for loop in operations_in(function, ParallelOp) if units_of(loop) is not None]
        for inner in [inner for loop in loops for inner in loop.body.block.ops]:
            if _is_of_iteration(inner):
                message = f"each iteration has its own '{inner.name}', which a plain loop cannot have"
                raise wrong_stage(inner, self.name, message, "make it in front of the loop, or with loop.shared")
        for shared in operations_in(function, SharedOp):
            _share(shared, function.body.block)
        for reduction in operations_in(function, ReduceOp):
            _combine(reduction)
        for barrier in operations_in(function, BarrierOp):
            Rewriter.erase_op(barrier)
        for loop in loops:
            _run_in_order(loop)


def _is_of_iteration(op: Operation) -> bool:
    """Whether an operation makes memory of an iteration: it may stand in a parallel loop, and in no other."""
    return any(ParallelOp in trait.op_types for trait in op.get_traits_of_type(HasParent))


def _share(shared: SharedOp, entry: Block) -> None:
    """No two blocks run at the same time, so that one memory is enough."""
    emit = Emitter(Block())
    memory = memory_for(emit.index(shared.count.value.data), held_type(shared.buffer), entry, emit)
    memory.name_hint = shared.buffer.name_hint
    # Behind the scratch, which `memory_for` has put first.
    Rewriter.inline_block(emit.block, InsertPoint.after(_first(entry)))
    _replace(shared, [memory])


def _first(entry: Block) -> Operation:
    first = entry.first_op
    assert first is not None
    return first


def _combine(reduction: ReduceOp) -> None:
    body = reduction.body.block
    last = body.last_op
    assert isinstance(last, YieldOp)
    emit = Emitter(Block())
    before, value = body.args
    before.replace_all_uses_with(emit.get(reduction.cell))
    value.replace_all_uses_with(reduction.value)
    emit.take(operations_of(body)[:-1])
    emit.set(last.value, reduction.cell)
    move_before(emit.block, reduction)
    _replace(reduction, [])


def _run_in_order(loop: ParallelOp) -> None:
    body = loop.detach_region(loop.body)
    plain = create_operation(ForOp, (loop.lower, loop.upper), regions=(body,), attributes=loop.attributes)
    plain.location = loop.location
    insert_operation(plain, loop)
    _replace(loop, [])


def _replace(op: Operation, results: list[SSAValue]) -> None:
    for old, new in zip(op.results, results, strict=True):
        old.replace_all_uses_with(new)
    Rewriter.erase_op(op)
