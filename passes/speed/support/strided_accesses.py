"""Finds accesses of dense matrices that lie a row apart, one for each stored entry of an operand."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.loop.loop import ForOp, LoadOp, PrivateOp, StoreOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.passes.analysis.windows import known_number
from irtensor.passes.iteration_lattice.support.counted_results import COUNTED
from irtensor.passes.loop.support.segments import outermost
from irtensor.passes.loop.support.value_sources import is_read, sources_of
from irtensor.passes.speed.support.dense_matrices import extents_of, split_index
from irtensor.passes.support.operations_in import operations_in


class StridedAccess(NamedTuple):
    """`op` accesses a dense array at [..., row, column]: `row` is the index of the loop inside, `column` stays."""

    op: LoadOp | StoreOp
    array: SSAValue
    entries: ForOp
    """The loop over stored entries, of one column each, or all of the same; or over blocks."""
    elements: int = 1
    """How many elements a block has."""


class StridedResult(NamedTuple):
    """A dense matrix whose elements loops access only in this way; perhaps each thread has elements of its own."""

    buffer: SSAValue
    own: SSAValue
    """Its elements in the loops: the buffer, or what `loop.private` makes of it."""
    accesses: list[StridedAccess]


def as_strided(op: LoadOp | StoreOp, root: ForOp, array: SSAValue) -> StridedAccess | None:
    """An access of a dense array across its rows, once for each stored entry of an operand."""
    if not (extents := extents_of(array)):
        return None
    inner = op.parent_op()
    entries, elements = _entries_around(inner, root)
    if not isinstance(inner, ForOp) or entries is None:
        return None
    above, column = split_index(op.index, extents) or (None, op.index)
    row = split_index(above, extents[:-1]) if above is not None else None
    if row is None or row[1] is not inner.induction or constant_index(inner.lower) != 0:
        return None
    stays = [column] if row[0] is None else [column, row[0]]
    if not _may_come_again(column, entries) or _depend(stays, inner):
        return None
    return StridedAccess(op, array, entries, elements)


def _entries_around(loop: Operation | None, root: ForOp) -> tuple[ForOp | None, int]:
    """The loop over entries around a loop, and how many iterations loops over the offsets of a block, between the two,
    have together."""
    around, elements = loop.parent_op() if isinstance(loop, ForOp) else None, 1
    while isinstance(around, ForOp):
        if outermost(around) is root:
            return around, elements
        if (most := known_number(around.upper).most) == inf:
            return None, 1
        around, elements = around.parent_op(), elements * int(most)
    return None, 1


def _depend(values: Sequence[SSAValue], loop: ForOp) -> bool:
    """Whether values may be others in each iteration of a loop."""
    found = [value for value in sources_of(values) if is_read(value) or isinstance(value.owner, Block)]
    return any(loop.is_ancestor(value.owner) for value in found)


def _may_come_again(column: SSAValue, entries: ForOp) -> bool:
    """Whether iterations of a loop may have the same column: one that is looked up, or that of a segment of entries."""
    if isinstance(column.owner, Operation):
        return entries.is_ancestor(column.owner)
    counting = column.owner.parent_op()
    is_around = isinstance(counting, ForOp) and counting is not entries and counting.is_ancestor(entries)
    return is_around and constant_index(entries.lower) is None


def strided_results(root: ForOp) -> list[StridedResult]:
    """The matrices that loops update across their rows."""
    if COUNTED in root.attributes:
        return []
    stored = dict.fromkeys(store.buffer for store in operations_in(root, StoreOp))
    found = (_strided_result(buffer, root) for buffer in stored)
    return [result for result in found if result is not None]


def _strided_result(own: SSAValue, root: ForOp) -> StridedResult | None:
    private = own.owner if isinstance(own.owner, PrivateOp) else None
    buffer = own if private is None else private.buffer
    extents = extents_of(buffer)
    if len(extents) != 2 or (private is not None and not _is_whole(private, extents)):
        return None
    names = [buffer, *(use.operation.own for use in buffer.uses if isinstance(use.operation, PrivateOp))]
    uses = [use.operation for name in names for use in name.uses if root.is_ancestor(use.operation)]
    accesses: list[StridedAccess] = []
    for op in uses:
        access = as_strided(op, root, buffer) if isinstance(op, LoadOp | StoreOp) and op.buffer is own else None
        if access is None:
            return None
        accesses.append(access)
    return StridedResult(buffer, own, accesses)


def _is_whole(private: PrivateOp, extents: list[SSAValue]) -> bool:
    """Whether threads have a copy of all elements."""
    size = private.upper.owner
    return constant_index(private.lower) == 0 and isinstance(size, arith.MuliOp) and [*size.operands] == extents
