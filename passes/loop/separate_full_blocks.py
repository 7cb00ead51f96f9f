"""`separate-full-blocks`: loops inside of full blocks have a fixed number of iterations, apart from the last block."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue

from irtensor.dialects.loop import AS_IT_IS, ForOp, IfOp
from irtensor.passes.emit import Emitter, constant_index, move_before
from irtensor.passes.loop.accumulation_nests import is_outside
from irtensor.passes.loop.value_sources import sources_of
from irtensor.passes.operations_in import everything_in, operations_in
from irtensor.passes.pass_base import TensorPass, structured_functions

# A longer body takes LLVM more time than what it saves: it is compiled twice.
_MOST_OPERATIONS = 150
# In longer blocks, what whole vectors leave over does not count.
_MOST_ITERATIONS = 64


@dataclass(frozen=True)
class SeparateFullBlocksPass(TensorPass):
    """Split a loop over blocks where the first one begins that is not full.

    Up to there loops inside of a block have a fixed number of iterations, which LLVM writes out or turns into vectors
    without a loop for what is left over, and rows of which may be kept in registers. Iterations stay in their order.

    Before: `for %b = 0 to %blocks { for %i = %b * 8 to min(%n, %b * 8 + 8) { body } }`
    After:  `for %b = 0 to %n / 8 { for %i = %b * 8 to %b * 8 + 8 { body } };
            for %b = %n / 8 to %blocks { for %i = %b * 8 to min(%n, %b * 8 + 8) { body } }`
    A block whose number is read is asked whether it is full: `if min(8, %n - %c * 8) == 8 { for %i = 0 to 8 } else
    { for %i = 0 to min(8, %n - %c * 8) }`.
    Only blocks of up to 64, and where the body is short, because it is there twice. Loops that are to stay as they are,
    neither written out nor turned into vectors, have nothing to gain. Source: Kjolstad 2020, section 6.4,
    on bounds of blocks.
    """

    name = "separate-full-blocks"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {
        "lower-algebra-to-arith": "only upstream arithmetic is recognised",
        "lower-assembly": "what is appended is plain code, which may be there twice",
        "hoist-invariants": "what ends a block is computed in the loop over blocks",
    }
    before = {
        "tile-for-registers": "loops of a fixed number of iterations need no remainder",
        "accumulate-in-registers": "sums over a fixed number of iterations are kept in registers",
        "hint-loops": "a loop that has a hint is not split any more",
    }

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in structured_functions(op):
            # Blocks within a block are separated first: then both kinds of outer blocks have them.
            for loop in reversed(operations_in(function, ForOp)):
                if _stays_as_it_is(loop) or len(list(everything_in(loop))) > _MOST_OPERATIONS:
                    continue
                for length, size in list(_read_blocks(loop)):
                    _ask(length, size)
                windows = list(_windows(loop))
                if windows:
                    _separate(loop, windows)


def _stays_as_it_is(loop: ForOp) -> bool:
    """Whether all innermost loops of a nest have the hint to leave them alone."""
    innermost = [one for one in operations_in(loop, ForOp) if len(operations_in(one, ForOp)) == 1]
    return all([AS_IT_IS.items() <= one.attributes.items() for one in innermost])


class _Window(NamedTuple):
    """Where a block ends: at `limit`, or before it at `first + block * step + size`.

    `end` is that for a full block; it is the size where iterations are counted from where the block begins.
    """

    op: arith.MinSIOp
    end: SSAValue
    limit: SSAValue
    first: SSAValue | None
    step: int
    size: int


def _windows(loop: ForOp) -> Iterator[_Window]:
    """The ends of loops over a block that a loop counts, each of at most a known number of iterations."""
    for op in loop.body.block.ops:
        if not isinstance(op, arith.MinSIOp) or not any(_ends(use.operation, op) for use in op.result.uses):
            continue
        for limit, end in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            found = _block(loop, end)
            if found is not None and is_outside(limit, loop):
                first, step, size = found
                yield _Window(op, end, limit, first, step, size)
                break
            left = _left(limit)
            if left is not None and is_outside(left[0], loop) and (size := _length(end)) is not None:
                if isinstance(left[1].owner, arith.MuliOp) and left[1].owner.lhs is loop.induction:
                    if constant_index(left[1].owner.rhs) == size:
                        yield _Window(op, end, left[0], None, size, size)
                        break


def _read_blocks(loop: ForOp) -> Iterator[tuple[arith.MinSIOp, SSAValue]]:
    """The lengths of blocks whose numbers a loop reads, each with the length of a full block."""
    for op in loop.body.block.ops:
        if not isinstance(op, arith.MinSIOp) or not any(_ends(use.operation, op) for use in op.result.uses):
            continue
        for limit, size in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            left = _left(limit)
            if left is not None and _length(size) is not None and is_outside(left[0], loop):
                sources = sources_of([left[1]])
                if loop.induction not in sources and any(not is_outside(one, loop) for one in sources):
                    yield op, size
                    break


def _left(value: SSAValue) -> tuple[SSAValue, SSAValue] | None:
    """The limit and the start of a block, if a value is how far they are apart."""
    return (value.owner.lhs, value.owner.rhs) if isinstance(value.owner, arith.SubiOp) else None


def _length(value: SSAValue) -> int | None:
    """A length of blocks that are separated."""
    size = constant_index(value)
    return size if size is not None and 1 <= size <= _MOST_ITERATIONS else None


def _ends(user: object, end: arith.MinSIOp) -> bool:
    """Whether a loop goes over what is before the end, from where the block begins, or over as many iterations."""
    if not isinstance(user, ForOp) or user.upper is not end.result:
        return False
    return constant_index(user.lower) == 0 or any(_begins(one, user.lower) for one in end.operands)


def _ask(length: arith.MinSIOp, size: SSAValue) -> None:
    """Put a copy of the loops over a block before them, for blocks that are full."""
    block = length.parent
    assert block is not None
    nests = {around for use in length.result.uses if (around := block.find_ancestor_op_in_block(use.operation))}
    if len(nests) != 1 or not isinstance(nest := nests.pop(), ForOp):
        return
    emit = Emitter(Block())
    branch = emit.insert(IfOp.of(emit.compare("eq", length.result, size), with_else=True))
    branch.then.block.add_op(nest.clone({length.result: size}))
    move_before(emit.block, nest)
    nest.detach()
    branch.otherwise.block.add_op(nest)


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
    rest = loop.clone()
    rest.location = loop.location
    rest.operands[0] = loop.operands[1] = middle
    move_before(emit.block, loop)
    assert loop.parent is not None
    loop.parent.insert_op_after(rest, loop)
    for window in windows:
        window.op.result.replace_all_uses_with(window.end)
        window.op.detach()
        window.op.erase()


def _full_blocks(window: _Window, emit: Emitter) -> SSAValue:
    """How many blocks end before the limit."""
    room = window.limit if window.first is None else emit.sub(window.limit, window.first)
    left = emit.add(room, emit.index(window.step - window.size))
    return emit.divide(emit.max(left, emit.index(0)), emit.index(window.step))
