"""Loops and branches, to the `llvm` dialect: blocks and jumps, and in between the question whether to go on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, i32, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.core.argument_layout import INTERRUPTED
from irtensor.dialects.loop.loop import COUNTS_TO_POLL, INDEPENDENT, POLL, STRIP, ForOp, WhileOp
from irtensor.dialects.loop.loop_parallel import PartsOp
from irtensor.dialects.support.create_operation import create_block
from irtensor.passes.llvm.support.function_builder import COLD_BRANCH, EQ, RARELY_CALLED, SLT, UNLIKELY_BRANCH
from irtensor.passes.llvm.support.loop_annotation import loop_annotation
from irtensor.passes.llvm.support.ordered_loops import is_ordered
from irtensor.passes.llvm.support.support_functions import add_poll
from irtensor.passes.support.operations_in import operations_in

if TYPE_CHECKING:
    from irtensor.passes.llvm.support.function_lowering import FunctionLowering

# What the polls of a loop have and remember: {iterations until the next, the context, the most iterations, time of the
# last one, time of the last look for signals}.
_PACE = llvm.LLVMArrayType(5, i64)


# Hints with a count of iterations that are done at once.
_REORDERING = ("vectorize", "mask", "interleave")


def polls(op: Operation) -> bool:
    """Whether an operation is a loop that asks now and then whether to go on."""
    return POLL in op.attributes


def _for(state: FunctionLowering, op: Operation) -> None:
    """Bottom-tested loop behind a guard: the form LLVM's loop passes want."""
    builder, values = state.builder, state.values
    lower, upper = values[op.operands[0]], values[op.operands[1]]
    source = op.regions[0].block
    question = _question(state, op)
    strips = question if isinstance(question, _Strips) else None
    countdown = question if isinstance(question, _Countdown) else None
    counter = state.counters.pop(op, None)
    body, after = create_block((i64,)), create_block()
    # A loop over parts is over in no time.
    has_loops = builder.has_loops or not isinstance(op.operands[1].owner, PartsOp)
    if strips is not None:
        end, rest = strips.begin(lower, upper, body, after), create_block()
    elif counter is not None:
        counter.begin(lower, upper, body, after)
        end, rest = upper, after
    else:
        builder.branch_if(builder.compare(SLT, lower, upper), body, (lower,), after)
        end, rest = upper, after
    builder.start(body)
    values[source.args[0]] = index = body.args[0]
    if countdown is not None:
        countdown.iteration()
    groups = state.groups
    if INDEPENDENT in op.attributes:
        state.groups = state.new_groups()
    state.lower_block(source)
    following = builder.add(index, builder.integer(1))
    again = builder.compare(SLT, following, end)
    hints = loop_annotation(_hints(op), state.groups if INDEPENDENT in op.attributes else None)
    state.groups = groups
    builder.branch_if(again, body, (following,), rest, (), {} if hints is None else {"loop_annotation": hints})
    builder.has_loops = has_loops
    if strips is not None:
        builder.start(rest)
        strips.repeat(end, upper, after)
    builder.start(after)


def _hints(op: Operation) -> Mapping[str, Attribute]:
    """The hints of a loop that LLVM is told.

    LLVM takes a request for vectors as leave to reorder floats, whatever the flags of operations say.
    """
    several = [
        name for name in _REORDERING if isinstance(hint := op.attributes.get(name), IntegerAttr) and hint.value.data > 1
    ]
    if several and isinstance(op, ForOp) and is_ordered(op):
        return {name: hint for name, hint in op.attributes.items() if name not in several}
    return op.attributes


def _while(state: FunctionLowering, op: Operation) -> None:
    builder = state.builder
    head, body, after = create_block(), create_block(), create_block()
    countdown = _question(state, op)
    assert countdown is None or isinstance(countdown, _Countdown)
    counter = state.counters.pop(op, None)
    builder.branch(head)
    builder.start(head)
    *operations, condition = op.regions[0].block.ops
    for inner in operations:
        state.lower(inner)
    builder.branch_if(state.values[condition.operands[0]], body, (), after, (), _weights(op))
    builder.start(body)
    if countdown is not None:
        countdown.iteration()
    elif counter is not None:
        counter.count(builder.integer(1))
    state.lower_block(op.regions[1].block)
    builder.branch(head, hints=loop_annotation(op.attributes))
    builder.start(after)


def _question(state: FunctionLowering, op: Operation) -> _Polls | None:
    """The question of a loop, None if it has none."""
    if not polls(op) or not state.may_end_early:
        return None
    if op not in state.questions:
        _prepare_questions(state, op)
    return state.questions.pop(op)


def _prepare_questions(state: FunctionLowering, outermost: Operation) -> None:
    """Questions of a loop and those inside: prepared before all, so that iterations count over all runs of a loop.

    Strips have one each. All other loops share one, to which the iterations of each of them count.
    """
    shared: _Countdown | None = None
    for op in operations_in(outermost, ForOp, WhileOp):
        if polls(op) and STRIP in op.attributes and isinstance(op, ForOp):
            state.questions[op] = _Strips(state, op)
        elif polls(op):
            state.questions[op] = shared = shared or _Countdown(state, op)
        elif COUNTS_TO_POLL in op.attributes and shared is not None:
            state.counters[op] = shared


class _Polls:
    """The question of a loop whether to go on, which is asked again after `left` iterations."""

    def __init__(self, state: FunctionLowering, op: Operation) -> None:
        # The first question comes after the first iteration, which may take long.
        first = op.attributes.get(STRIP, IntegerAttr(1, i64))
        builder, most = state.builder, op.attributes[POLL]
        assert isinstance(most, IntegerAttr) and isinstance(first, IntegerAttr)
        self.state = state
        self.pace = builder.alloca(_PACE)
        for number, value in enumerate((builder.integer(0), state.context(), builder.integer(most.value.data))):
            builder.store(value, builder.address(self.pace, builder.integer(number), i64), 8)
        self.left = builder.alloca(i64)
        builder.store(builder.integer(first.value.data), self.left)

    def ask(self) -> None:
        """Find out how many iterations there are until the next question; leave the function if there shall be none."""
        state, builder = self.state, self.state.builder
        # One argument: values in registers for arguments of calls are not kept there during the loop.
        iterations = builder.call(add_poll(state.declarations), (self.pace,), i64, RARELY_CALLED)
        stops = builder.compare(EQ, iterations, builder.integer(0))
        state.fail_if(stops, builder.integer(INTERRUPTED, i32), create_block())
        builder.store(iterations, self.left)


class _Strips(_Polls):
    """A loop around a loop of short iterations, which then cost nothing: strips, and a question between two of them."""

    def __init__(self, state: FunctionLowering, op: Operation) -> None:
        super().__init__(state, op)
        self.strip = create_block((i64,))

    def begin(self, lower: SSAValue, upper: SSAValue, body: Block, after: Block) -> SSAValue:
        """Go to the first strip, and from each into the body; gives where the strip ends."""
        builder = self.state.builder
        builder.branch_if(builder.compare(SLT, lower, upper), self.strip, (lower,), after)
        builder.start(self.strip)
        # No sum, which may be too large.
        rest = builder.value(llvm.SubOp, (upper, self.strip.args[0]), i64)
        left = builder.load(self.left, i64)
        length = builder.select(builder.compare(SLT, left, rest), left, rest)
        end = builder.add(self.strip.args[0], length)
        builder.branch(body, (self.strip.args[0],))
        return end

    def repeat(self, end: SSAValue, upper: SSAValue, after: Block) -> None:
        """After a strip: ask and go to the next one, if there is one."""
        builder, asked = self.state.builder, create_block()
        builder.branch_if(builder.compare(SLT, end, upper), asked, (), after, (), {"branch_weights": COLD_BRANCH})
        builder.start(asked)
        self.ask()
        builder.branch(self.strip, (end,))


class _Countdown(_Polls):
    """Iterations of loops that are counted: it costs them a register.

    A loop around the loop would not even cost that, but LLVM takes longer for one loop more than for a branch.
    """

    def begin(self, lower: SSAValue, upper: SSAValue, body: Block, after: Block) -> None:
        """Go to the first iteration of a loop that does not ask, if there is one, and count all of them."""
        builder, counted = self.state.builder, create_block()
        builder.branch_if(builder.compare(SLT, lower, upper), counted, (), after)
        builder.start(counted)
        self.count(builder.value(llvm.SubOp, (upper, lower), i64))
        builder.branch(body, (lower,))

    def count(self, iterations: SSAValue) -> SSAValue:
        """So many iterations fewer until the next question; gives how many are left."""
        builder = self.state.builder
        left = builder.value(llvm.SubOp, (builder.load(self.left, i64), iterations), i64)
        builder.store(left, self.left)
        return left

    def iteration(self) -> None:
        """Count an iteration, and ask before it if no others are left until the next question."""
        builder = self.state.builder
        asked, proceed = create_block(), create_block()
        # Less than 0: processors know the sign of what they have subtracted, without a comparison.
        none = builder.compare(SLT, self.count(builder.integer(1)), builder.integer(0))
        builder.branch_if(none, asked, (), proceed, (), {"branch_weights": COLD_BRANCH})
        builder.start(asked)
        self.ask()
        builder.branch(proceed)
        builder.start(proceed)


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
