"""`lower-assembly`: cells count the entries appended to a result, and ends of segments are stored."""

from __future__ import annotations

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.loop.loop import (
    AppendOp,
    AssembledOp,
    CloseOp,
    CounterOp,
    CounterType,
    CountOp,
    FillOp,
    GetOp,
    SetSizeOp,
)
from irtensor.dialects.loop.loop_types import held_type
from irtensor.dialects.support.create_operation import erase_operation
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import operations_in
from irtensor.passes.support.pass_base import TensorPass
from irtensor.passes.support.wrong_stage import wrong_stage


class LowerAssemblyPass(TensorPass):
    """Let counters be cells that count the appended entries.

    Before: `%c = loop.counter; ... { %q = loop.count %c; ...; loop.append %n to %c }; loop.close %pos[%i] at %c;
             loop.assembled %values, %c * %width + %first`
    After:  `%c = loop.cell %0; ... { %q = loop.get %c; ...; %e = loop.get %c; loop.set %e + %n, %c };
             %e = loop.get %c; loop.store %e, %pos[%i]; %e = loop.get %c; loop.set_size %values, %e * %width + %first`

    Nothing asks any more what an entry is.
    """

    name = "lower-assembly"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {
        "count-entries": "entries are counted by a run of the loop that appends them and stores nothing",
        "divide-appending-loops": "parts of a loop have counters of their own",
        "append-without-branch": "an entry that may be none is one that is appended in a branch",
    }

    def on_function(self, function: FuncOp) -> None:
        for argument in function.body.block.args:
            if isinstance(argument.type, CounterType):
                message = "a counter cannot be an argument: it ends with its function"
                raise wrong_stage(function, self.name, message, "count with loop.counter, and store the number")
        for counter in operations_in(function, CounterOp):
            _lower(counter)


def _lower(counter: CounterOp) -> None:
    emit = Emitter(Block())
    cell = emit.cell(emit.index(0) if counter.start is None else counter.start)
    cell.name_hint = counter.counter.name_hint
    for use in list(counter.counter.uses):
        _lower_use(use.operation, cell)
    _replace(counter, emit)


def _lower_use(op: Operation, cell: SSAValue) -> None:
    emit = Emitter(Block())
    count = emit.insert(GetOp.of(cell)).value
    match op:
        case CountOp():
            count.name_hint = op.count.name_hint
            op.count.replace_all_uses_with(count)
        case AppendOp():
            emit.set(emit.add(count, op.entries), cell)
        case CloseOp() if op.to is not None:
            element = held_type(op.positions)
            emit.insert(FillOp.of(emit.narrow(count, element), op.positions, op.index, op.to))
        case CloseOp():
            emit.store_index(count, op.positions, op.index)
        case AssembledOp():
            size = emit.add(emit.mul(count, op.width), op.first)
            emit.insert(SetSizeOp.of(op.growable, size))
        case _:
            raise wrong_stage(op, LowerAssemblyPass.name)
    _replace(op, emit)


def _replace(op: Operation, emit: Emitter) -> None:
    move_before(emit.block, op)
    erase_operation(op)
