"""Loops and branches, to the `llvm` dialect: blocks and jumps, and in between the question whether to go on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from irtensor.dialects.argument_layout import INTERRUPTED
from irtensor.dialects.create_operation import create_block
from irtensor.dialects.loop import POLL
from irtensor.dialects.loop_parallel import PartsOp
from irtensor.passes.llvm.function_builder import COLD_BRANCH, EQ, SLT, UNLIKELY_BRANCH
from irtensor.passes.llvm.support_functions import add_poll

if TYPE_CHECKING:
    from irtensor.passes.llvm.lower_loop_to_llvm import FunctionLowering

# What the polls of a loop remember: {turns until the next, when the last one was, when signals were looked for last}.
_PACE = llvm.LLVMArrayType(3, i64)


def polls(op: Operation) -> bool:
    """Whether an operation is a loop that asks now and then whether to go on."""
    return POLL in op.attributes


def _for(state: FunctionLowering, op: Operation) -> None:
    """Bottom-tested loop behind a guard: the form LLVM's loop passes want."""
    builder, values = state.builder, state.values
    lower, upper = values[op.operands[0]], values[op.operands[1]]
    source = op.regions[0].block
    countdown = _Countdown(state, op) if polls(op) else None
    body, after = create_block((i64,)), create_block()
    # A loop over parts is over in no time.
    has_loops = builder.has_loops or not isinstance(op.operands[1].owner, PartsOp)
    builder.branch_if(builder.compare(SLT, lower, upper), body, (lower,), after)
    builder.start(body)
    values[source.args[0]] = index = body.args[0]
    if countdown is not None:
        countdown.turn()
    state.lower_block(source)
    following = builder.add(index, builder.integer(1))
    again = builder.compare(SLT, following, upper)
    hints = {"loop_annotation": DictionaryAttr(op.attributes)} if op.attributes else {}
    builder.branch_if(again, body, (following,), after, (), hints)
    builder.has_loops = has_loops
    builder.start(after)


def _while(state: FunctionLowering, op: Operation) -> None:
    builder = state.builder
    head, body, after = create_block(), create_block(), create_block()
    countdown = _Countdown(state, op) if polls(op) else None
    builder.branch(head)
    builder.start(head)
    *operations, condition = op.regions[0].block.ops
    for inner in operations:
        state.lower(inner)
    builder.branch_if(state.values[condition.operands[0]], body, (), after, (), _weights(op))
    builder.start(body)
    if countdown is not None:
        countdown.turn()
    state.lower_block(op.regions[1].block)
    builder.branch(head, hints=DictionaryAttr(op.attributes) if op.attributes else None)
    builder.start(after)


class _Countdown:
    """Turns of a loop until it asks whether to go on: all that they cost is to count in a register.

    A loop around the loop would not even cost that, but LLVM takes longer for one loop more than for a branch.
    """

    def __init__(self, state: FunctionLowering, op: Operation) -> None:
        builder = state.builder
        self.state, self.most = state, op.attributes[POLL]
        self.pace = builder.alloca(_PACE)
        builder.store(builder.integer(0), self.pace, 8)
        self.left = builder.alloca(i64)
        builder.store(builder.integer(2), self.left)

    def turn(self) -> None:
        """Count a turn, and ask before it if it is the last one."""
        builder = self.state.builder
        asked, proceed = create_block(), create_block()
        left = builder.value(llvm.SubOp, (builder.load(self.left, i64), builder.integer(1)), i64)
        builder.store(left, self.left)
        none = builder.compare(EQ, left, builder.integer(0))
        builder.branch_if(none, asked, (), proceed, (), {"branch_weights": COLD_BRANCH})
        builder.start(asked)
        builder.store(self._poll(), self.left)
        builder.branch(proceed)
        builder.start(proceed)

    def _poll(self) -> SSAValue:
        """How many turns there are until the next poll; leaves the function if there shall be none."""
        state, builder = self.state, self.state.builder
        assert isinstance(self.most, IntegerAttr)
        arguments = (state.context(), self.pace, builder.integer(self.most.value.data))
        turns = builder.call(add_poll(state.declarations), arguments, i64)
        stops = builder.compare(EQ, turns, builder.integer(0))
        state.fail_if(stops, builder.integer(INTERRUPTED, i32), create_block())
        return turns


def _weights(op: Operation) -> dict[str, Attribute]:
    return {"branch_weights": UNLIKELY_BRANCH} if "unlikely" in op.attributes else {}


def _if(state: FunctionLowering, op: Operation) -> None:
    builder = state.builder
    then, after = create_block(), create_block()
    source = op.regions[1].first_block
    otherwise = after if source is None or source.is_empty else create_block()
    builder.branch_if(state.values[op.operands[0]], then, (), otherwise, (), _weights(op))
    builder.start(then)
    state.lower_block(op.regions[0].block)
    builder.branch(after)
    if otherwise is not after:
        assert source is not None
        builder.start(otherwise)
        state.lower_block(source)
        builder.branch(after)
    builder.start(after)


CONTROL_HANDLERS: dict[str, Any] = {"loop.for": _for, "loop.while": _while, "loop.if": _if}
