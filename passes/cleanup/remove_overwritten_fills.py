"""`remove-overwritten-fills`: a fill goes where each element is stored before anything reads it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import IndexType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from irtensor.dialects.loop.loop import (
    BufferType,
    DataOp,
    FillOp,
    ForOp,
    GrowableType,
    IndexMapOp,
    IndexMapType,
    IndexSetOp,
    IndexSetType,
    LoadOp,
    ParallelOp,
    ScratchOp,
    SharedOp,
    StoreOp,
    ViewOp,
)
from irtensor.dialects.loop.loop_types import held_type
from irtensor.dialects.support.constant_index import constant_index
from irtensor.dialects.support.is_inside import is_inside
from irtensor.passes.analysis.polynomials import Polynomial
from irtensor.passes.cleanup.remove_unread_memory import memory_of
from irtensor.passes.support.operations_in import is_argument, operations_in, operations_of
from irtensor.passes.support.pass_base import TensorPass

_MEMORY = (BufferType, GrowableType, IndexSetType, IndexMapType)
# They give memory another name, and do nothing with it.
_NAMES = (ViewOp, DataOp)
_ONE = Polynomial.number(1)


class RemoveOverwrittenFillsPass(TensorPass):
    """Remove fills whose elements the code behind stores, all of them, before anything reads them.

    Before: `loop.fill %zero, %y[%lo to %hi]; loop.for %i = %lo to %hi { ...; loop.store %v, %y[%i] }`
    After:  `loop.for %i = %lo to %hi { ...; loop.store %v, %y[%i] }`

    That code is a loop over the same range. Each iteration begins with a store to elements of its own, or with a
    loop or a fill of such a kind: rows of a matrix are ranges as well. Stores that depend on a condition, or begin with
    the old element, leave the fill. Extents are arguments, which are not negative.
    """

    name = "remove-overwritten-fills"
    accepts = ("loop",)
    leaves = ("loop", "algebra")
    after = {"simplify-loops": "one number is one value then"}
    before = {
        "spread-loops": "which elements units of a GPU store is not followed",
        "divide-fills": "fills that are removed need no threads",
    }

    def on_function(self, function: FuncOp) -> None:
        for fill in operations_in(function, FillOp):
            if _is_overwritten(fill):
                Rewriter.erase_op(fill)


@dataclass(frozen=True)
class _Elements:
    """Elements of a buffer that follow each other."""

    first: Polynomial
    count: Polynomial


def _is_overwritten(fill: FillOp) -> bool:
    if not _is_apart(memory_of(fill.buffer)):
        return False
    following = fill.next_op
    while following is not None and not _touches(following, fill.buffer):
        following = following.next_op
    return following is not None and _overwritten(following, fill.buffer) == _elements_of(fill)


def _elements_of(fill: FillOp) -> _Elements:
    first = Polynomial.of(fill.lower)
    return _Elements(first, Polynomial.of(fill.upper) - first)


def _overwritten(op: Operation, buffer: SSAValue) -> _Elements | None:
    """The elements that an operation stores, each before it reads it, if it touches no others of the buffer."""
    if isinstance(op, StoreOp) and op.buffer is buffer:
        is_one = op.value.type == held_type(buffer)
        return _Elements(Polynomial.of(op.index), _ONE) if is_one else None
    if isinstance(op, FillOp) and op.buffer is buffer:
        return _elements_of(op)
    return _overwritten_by_loop(op, buffer) if isinstance(op, ForOp | ParallelOp) else None


def _overwritten_by_loop(loop: ForOp | ParallelOp, buffer: SSAValue) -> _Elements | None:
    """Iterations have elements of their own, and those of one follow those of the one before."""
    touching = [op for op in operations_of(loop.body.block) if _touches(op, buffer)]
    each = _overwritten(touching[0], buffer) if touching else None
    if each is None or not all(_is_within(op, each, buffer) for op in touching[1:]):
        return None
    step, start = each.first.split(loop.induction)
    if step != each.count or any(is_inside(value, loop) for part in (step, start) for value in part.values()):
        return None
    iterations = Polynomial.of(loop.upper) - Polynomial.of(loop.lower)
    # The product of two negative numbers would be a range where there is none.
    if each.count != _ONE and not (_is_extent(each.count) and _is_extent(iterations)):
        return None
    return _Elements(start + step * Polynomial.of(loop.lower), iterations * step)


def _is_extent(count: Polynomial) -> bool:
    """Whether a number is not negative: an argument of the function, or one that is written in the code."""
    if all(not product for product in count.counts):
        return all(number >= 0 for number in count.counts.values())
    values = [*count.values()]
    return (
        len(count.counts) == 1
        and [*count.counts.values()] == [1]
        and all(isinstance(value.type, IndexType) and is_argument(value) for value in values)
    )


def _touches(op: Operation, buffer: SSAValue) -> bool:
    return any(True for _ in _touching(op, buffer))


def _touching(op: Operation, buffer: SSAValue) -> Iterator[Operation]:
    """What may read or write memory of a buffer, of an operation and all in it."""
    memory = memory_of(buffer)
    for inner in op.walk():
        if not isinstance(inner, _NAMES):
            used = [memory_of(operand) for operand in inner.operands if isinstance(operand.type, _MEMORY)]
            if any(one is memory or not _is_apart(one) for one in used):
                yield inner


def _is_apart(memory: SSAValue) -> bool:
    """Whether it is known which memory a value stands for: that of an argument, or made in the function."""
    return isinstance(memory.owner, Block | ScratchOp | SharedOp | IndexSetOp | IndexMapOp)


def _is_within(op: Operation, elements: _Elements, buffer: SSAValue) -> bool:
    """Whether what touches a buffer touches only these elements of it: the only one, or one of a loop over all."""
    for inner in _touching(op, buffer):
        if not isinstance(inner, LoadOp | StoreOp) or inner.buffer is not buffer:
            return False
        offset = Polynomial.of(inner.index) - elements.first
        value = inner.operands[0] if isinstance(inner, StoreOp) else inner.results[0]
        if value.type != held_type(buffer) or not _is_offset_in(offset, elements.count):
            return False
    return True


def _is_offset_in(offset: Polynomial, count: Polynomial) -> bool:
    """Whether a number lies between 0 and another: 0 itself below 1, or the number of an iteration."""
    if not offset.counts:
        return count == _ONE
    values = [*offset.values()]
    owner = values[0].owner if len(values) == 1 else None
    loop = owner.parent_op() if isinstance(owner, Block) else None
    if not isinstance(loop, ForOp) or offset != Polynomial.of(loop.induction):
        return False
    return constant_index(loop.lower) == 0 and Polynomial.of(loop.upper) == count
