"""`separate-full-blocks`: loops inside of full blocks have a fixed number of iterations, apart from the last block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue

from irtensor.dialects.loop.loop import AS_IT_IS, ForOp, LoadOp, StoreOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.dialects.support.create_operation import copy_of, erase_operation
from irtensor.passes.loop.support.accumulation_nests import is_outside
from irtensor.passes.speed.support.loop_versions import put_in_branch
from irtensor.passes.support.emit import Emitter, move_before
from irtensor.passes.support.operations_in import everything_in, operations_in
from irtensor.passes.support.pass_base import TensorPass

# A longer body takes LLVM more time than what it saves: it is compiled twice.
_MOST_OPERATIONS = 150
# In longer blocks, what whole vectors leave over does not count.
_MOST_ITERATIONS = 64
# Longer rows of stored blocks are vectors by themselves; written out, they are none.
_LONGEST_ROW = 8


class SeparateFullBlocksPass(TensorPass):
    """Split a loop over blocks where the first one begins that is not full, or ask each block whether it is full.

    Up to there loops inside of a block have a fixed number of iterations, which LLVM writes out or turns into vectors
    without a remainder loop. Rows of a block may be kept in registers. Iterations stay in their order.

    Before: `for %b = 0 to %blocks { for %i = %b * 8 to min(%n, %b * 8 + 8) { body } }`
    After:  `for %b = 0 to %n / 8 { for %i = %b * 8 to %b * 8 + 8 { body } };
            for %b = %n / 8 to %blocks { for %i = %b * 8 to min(%n, %b * 8 + 8) { body } }`
    Where a tensor is stored in blocks, loops over one begin with 0. They are asked about where short rows are summed.
    Before: `for %i = 0 to min(4, %n - %b * 4) { for %j = 0 to min(4, %m - %c * 4) { body } }`
    After:  `if both are 4 { for %i = 0 to 4 { for %j = 0 to 4 { body } } } else { as before }`
    Only blocks of up to 64, and where the body is short, because it is there twice. Loops that are to stay as they are,
    neither written out nor turned into vectors, have nothing to gain. Source: Kjolstad 2020, section 6.4,
    on bounds of blocks.
    """

    name = "separate-full-blocks"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {
        "lower-algebra-to-arith": "only upstream arithmetic is recognised",
        "lower-assembly": "an append is plain code, which may be there twice",
        "hoist-invariants": "the end of a block is computed in the loop over blocks",
    }
    before = {
        "tile-for-registers": "loops of a fixed number of iterations need no remainder",
        "accumulate-in-registers": "sums over a fixed number of iterations are kept in registers",
        "hint-loops": "a loop that has a hint is not split any more",
    }

    def on_function(self, function: FuncOp) -> None:
        # Blocks within a block are separated first: then both kinds of outer blocks have them.
        for loop in reversed(operations_in(function, ForOp)):
            windows = list(_windows(loop))
            if windows and _is_worth_a_copy(loop):
                _separate(loop, windows)
        # The loops inside of those that are asked about are asked about with them.
        asked: set[ForOp] = set()
        for loop in operations_in(function, ForOp):
            if loop not in asked and _length(loop.upper) is not None and _is_worth_a_copy(loop):
                asked.update(_ask(loop))


def _is_worth_a_copy(loop: ForOp) -> bool:
    """Whether a nest is short, and not all of its innermost loops have the hint to leave them alone."""
    stay = all([AS_IT_IS.items() <= one.attributes.items() for one in _innermost(loop)])
    return not stay and len(everything_in(loop)) <= _MOST_OPERATIONS


def _innermost(nest: ForOp) -> list[ForOp]:
    return [one for one in operations_in(nest, ForOp) if len(operations_in(one, ForOp)) == 1]


class _Window(NamedTuple):
    """Where a block ends: at `limit`, or before it at `first + block * step + size`."""

    op: arith.MinSIOp
    end: SSAValue
    limit: SSAValue
    first: SSAValue | None
    step: int
    size: int


def _windows(loop: ForOp) -> Iterator[_Window]:
    """The ends of loops over a block that a loop counts, each of at most a known number of iterations."""
    for op in loop.body.block.ops:
        if type(op) is not arith.MinSIOp or not any(_ends(use.operation, op) for use in op.result.uses):
            continue
        for limit, end in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            found = _block(loop, end)
            if found is not None and is_outside(limit, loop):
                first, step, size = found
                yield _Window(op, end, limit, first, step, size)
                break


def _ends(user: object, end: arith.MinSIOp) -> bool:
    """Whether a loop runs from the beginning of the block to the end."""
    return (
        isinstance(user, ForOp) and user.upper is end.result and any(_begins(one, user.lower) for one in end.operands)
    )


def _begins(end: SSAValue, start: SSAValue) -> bool:
    return isinstance(end.owner, arith.AddiOp) and end.owner.lhs is start and constant_index(end.owner.rhs) is not None


def _block(loop: ForOp, end: SSAValue) -> tuple[SSAValue | None, int, int] | None:
    """Where the first block begins (None is 0), and the step and the size of blocks, from where one ends."""
    if not isinstance(end.owner, arith.AddiOp) or (size := constant_index(end.owner.rhs)) is None:
        return None
    start, first = end.owner.lhs, None
    if isinstance(start.owner, arith.AddiOp) and is_outside(start.owner.lhs, loop):
        start, first = start.owner.rhs, start.owner.lhs
    if not isinstance(start.owner, arith.MuliOp) or start.owner.lhs is not loop.induction:
        return None
    step = constant_index(start.owner.rhs)
    return None if step is None or step < 1 or not 1 <= size <= _MOST_ITERATIONS else (first, step, size)


def _separate(loop: ForOp, windows: list[_Window]) -> None:
    """Put a copy of a loop behind it, for the blocks from the first one on that is not full."""
    emit = Emitter(Block())
    full = [_full_blocks(window, emit) for window in windows]
    middle = emit.max(loop.lower, emit.min(loop.upper, *full))
    rest = copy_of(loop)
    rest.location = loop.location
    rest.operands[0] = loop.operands[1] = middle
    move_before(emit.block, loop)
    assert loop.parent is not None
    loop.parent.insert_op_after(rest, loop)
    for window in windows:
        window.op.result.replace_all_uses_with(window.end)
        erase_operation(window.op)


def _full_blocks(window: _Window, emit: Emitter) -> SSAValue:
    """How many blocks end before the limit."""
    room = window.limit if window.first is None else emit.sub(window.limit, window.first)
    left = emit.add(room, emit.index(window.step - window.size))
    return emit.divide(emit.max(left, emit.index(0)), emit.index(window.step))


def _length(value: SSAValue) -> SSAValue | None:
    """The length of a full block, if a value is that or the rest up to a limit."""
    if not isinstance(value.owner, arith.MinSIOp):
        return None
    for size, left in ((value.owner.lhs, value.owner.rhs), (value.owner.rhs, value.owner.lhs)):
        number = constant_index(size)
        if isinstance(left.owner, arith.SubiOp) and number is not None and 1 <= number <= _MOST_ITERATIONS:
            return size
    return None


def _adds(store: StoreOp) -> bool:
    """Whether an element is added to: sums of a block may stay in registers, and other loops only get longer."""
    total = store.value.owner
    return isinstance(total, arith.AddfOp | arith.AddiOp) and any(
        isinstance(one.owner, LoadOp) and one.owner.buffer is store.buffer for one in total.operands
    )


def _is_long(loop: ForOp, full: Mapping[SSAValue, SSAValue]) -> bool:
    """Whether a loop is along rows of full blocks that are long enough for vectors."""
    size = full.get(loop.upper)
    count = None if size is None else constant_index(size)
    return count is not None and count > _LONGEST_ROW


def _ask(nest: ForOp) -> list[ForOp]:
    """Put a copy of the loops over a block before them, for blocks that are full; gives the loops of both.

    LLVM takes no time for the others, which are the few at the edge of a tensor.
    """
    full: dict[SSAValue, SSAValue] = {}
    for loop in operations_in(nest, ForOp):
        size = _length(loop.upper) if is_outside(loop.upper, nest) else None
        if size is not None and is_outside(size, nest) and constant_index(loop.lower) == 0:
            full[loop.upper] = size
    is_sum = any(map(_adds, operations_in(nest, StoreOp)))
    if nest.upper not in full or not is_sum or any(_is_long(loop, full) for loop in _innermost(nest)):
        return []
    emit = Emitter(Block())
    is_full = [emit.compare("eq", length, size) for length, size in full.items()]
    copy = nest.clone(dict(full))
    put_in_branch(nest, reduce(emit.both, is_full), emit, then=copy, otherwise=nest)
    for loop in _innermost(nest):
        loop.attributes.update(AS_IT_IS)
    return [*operations_in(copy, ForOp), *operations_in(nest, ForOp)]
