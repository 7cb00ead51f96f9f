"""Runs functions of the `loop` dialect over NumPy buffers with every access checked: the oracle of native code."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from reference.loop_accesses import ATOMIC, Accesses
from reference.loop_arithmetic import compute_scalar, typed
from reference.loop_memory import Growable, Window
from reference.loop_memory_operations import Failure, knows, run_memory_operation
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.loop.loop import LaunchOp

Order = Callable[[range], Sequence[int]]


def from_both_ends(iterations: range) -> list[int]:
    """An order that no sequential loop has: from both ends in turn, as threads take them."""
    left = list(iterations)
    return [left.pop(-1 if number % 2 == 0 else 0) for number in range(len(left))]


# In which order iterations of parallel loops may run: any, of which these are some.
ORDERS: dict[str, Order] = {
    "forward": lambda iterations: iterations,
    "backward": lambda iterations: iterations[::-1],
    "shuffled": lambda iterations: random.Random(len(iterations)).sample(iterations, len(iterations)),
}


class Interpreter:
    """Values of one function call."""

    def __init__(self, module: ModuleOp, order: Order = from_both_ends, accesses: Accesses | None = None) -> None:
        self.module = module
        self.values: dict[SSAValue, Any] = {}
        self.order = order
        self.accesses = accesses or Accesses()

    def get(self, op: Operation, number: int) -> Any:
        return self.values[op.operands[number]]

    def run_block(self, block: Block) -> None:
        for op in block.ops:
            self.run(op)

    def run(self, op: Operation) -> None:
        control = _CONTROL.get(op.name)
        if control is not None:
            control(self, op)
            return
        operands = [self.values[operand] for operand in op.operands]
        result = run_memory_operation(self.accesses, op, operands) if knows(op) else compute_scalar(op, operands)
        if len(op.results) > 1:
            self.values.update(zip(op.results, result, strict=True))
        elif op.results:
            self.values[op.results[0]] = result


def _for(state: Interpreter, op: Operation) -> None:
    block = op.regions[0].block
    for index in range(int(state.get(op, 0)), int(state.get(op, 1))):
        state.values[block.args[0]] = np.int64(index)
        state.run_block(block)


def _visit(state: Interpreter, op: Operation) -> None:
    block, members = op.regions[0].block, state.get(op, 0).members
    listed = sorted(members)
    members.clear()
    for member in listed:
        state.values[block.args[0]] = np.int64(member)
        state.run_block(block)


def _parallel(state: Interpreter, op: Operation) -> None:
    block = op.regions[0].block
    iterations = range(int(state.get(op, 0)), int(state.get(op, 1)))
    for index in state.accesses.iterations(op, state.order(iterations)):
        state.values[block.args[0]] = np.int64(index)
        state.run_block(block)


def _reduce(state: Interpreter, op: Operation) -> None:
    block, cell = op.regions[0].block, state.get(op, 1)
    *operations, last = block.ops
    state.values.update(zip(block.args, (cell[0], state.get(op, 0)), strict=True))
    for inner in operations:
        state.run(inner)
    cell[0] = state.get(last, 0)


def _while(state: Interpreter, op: Operation) -> None:
    *operations, condition = op.regions[0].block.ops
    while True:
        for inner in operations:
            state.run(inner)
        if not state.get(condition, 0):
            return
        state.run_block(op.regions[1].block)


def _if(state: Interpreter, op: Operation) -> None:
    if state.get(op, 0):
        state.run_block(op.regions[0].block)
    elif op.regions[1].first_block is not None:
        state.run_block(op.regions[1].block)


def _atomic(state: Interpreter, op: Operation) -> None:
    *operations, last = op.regions[0].block.ops
    buffer, index = state.get(op, 0), int(state.get(op, 1))
    state.accesses.touch(op, buffer, index, index + 1, ATOMIC)
    state.values[op.regions[0].block.args[0]] = buffer[index]
    for inner in operations:
        state.run(inner)
    buffer[index] = state.get(last, 0)


def _call(state: Interpreter, op: Operation) -> None:
    name = op.properties["callee"].root_reference.data  # pyrefly: ignore[missing-attribute]
    run_function(state, state.module, name, [state.values[operand] for operand in op.operands])


def _launch(state: Interpreter, op: Operation) -> None:
    assert isinstance(op, LaunchOp)
    module = op.kernels()[0].parent_op()
    assert isinstance(module, ModuleOp)
    name = op.kernel.nested_references.data[-1].data
    run_function(state, module, name, [state.values[argument] for argument in op.arguments])


_CONTROL: dict[str, Callable[[Interpreter, Operation], None]] = {
    "loop.for": _for,
    "loop.parallel": _parallel,
    "loop.while": _while,
    "loop.visit": _visit,
    "loop.if": _if,
    "loop.atomic": _atomic,
    "loop.reduce": _reduce,
    "loop.launch": _launch,
    "func.call": _call,
}


def interpret_loop(module: ModuleOp, name: str, arguments: Sequence[Any], order: Order = from_both_ends) -> int:
    """Call a function of loops: buffers are 1-D arrays, or a `Window` of one, which are written in place; growables
    are `Growable`. Iterations of parallel loops run in `order`, at all levels.

    Returns the status that native code returns: 0, 1 if a growable met its limit, or that of a loop.require. Raises
    OutOfBounds for an access outside a buffer, and Race for two iterations of a parallel loop that meet in an element.
    """
    try:
        with np.errstate(all="ignore"):
            run_function(Interpreter(module, order), module, name, arguments)
    except Failure as failure:
        return failure.status
    return 0


def run_function(caller: Interpreter, module: ModuleOp, name: str, arguments: Sequence[Any]) -> None:
    """Run a function with values of its own."""
    for function in module.ops:
        if isinstance(function, func.FuncOp) and function.sym_name.data == name:
            break
    else:
        raise KeyError(name)
    state = type(caller)(module, caller.order, caller.accesses)
    for parameter, argument in zip(function.body.block.args, arguments, strict=True):
        is_memory = isinstance(argument, np.ndarray | Growable | Window)
        state.values[parameter] = argument if is_memory else typed(argument, parameter.type)
    state.run_block(function.body.block)
