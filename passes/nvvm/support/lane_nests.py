"""Loop nests that each lane of a team can go through alone for columns of its own, with its sums in registers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import StringAttr, SymbolRefAttr
from xdsl.ir import Block, Operation, SSAValue

from irtensor.core.operators import Scalar
from irtensor.dialects.algebra.algebra import ApplyOp, find_operator
from irtensor.dialects.algebra.order_of_sums import may_reassociate, rounds
from irtensor.dialects.algebra.scalar_types import element_name
from irtensor.dialects.loop.loop import AtomicOp, BufferType, FillOp, ForOp, LoadOp, StoreOp, YieldOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.passes.cleanup.simplify_loops import is_pure
from irtensor.passes.loop.support.accumulation_nests import Nest, find_nests
from irtensor.passes.loop.support.memory_roots import memories_of
from irtensor.passes.support.operations_in import everything_in


class Sum(NamedTuple):
    """An operator that elements are combined by, and what a sum of no values is."""

    operator: StringAttr | SymbolRefAttr
    fastmath: FastMathFlagsAttr | None
    identity: Scalar


@dataclass
class LaneNest:
    """Loops around rows of updates, where each lane repeats all that stands between them for its columns of the rows.

    It only computes, reads memory that the nest does not change, and changes cells of its own. All elements of a column
    have one index, whatever the iterations around, and the columns of a row have different ones.
    """

    nest: Nest
    buffers: int
    """How many arrays the iteration uses that the nest is a part of. The address of each takes registers."""
    sums: dict[SSAValue, Sum]
    """Of what changes atomically, as other iterations change it as well: it is combined with a sum, once."""
    fill: FillOp | None = None
    """What fills the first columns right before, or all of them: sums begin with its value."""

    @property
    def loop(self) -> ForOp:
        """The loop over the columns of a row."""
        return self.nest.rows[0].loop


def lane_nests(body: Block) -> list[LaneNest]:
    """The outermost such nests in the body of an iteration."""
    nests = find_nests(body, _is_row)
    if not nests:
        return []
    used = {operand for op in everything_in(body) for operand in op.operands if isinstance(operand.type, BufferType)}
    found: list[LaneNest] = []
    for nest in nests:
        sums = _sums(nest)
        if sums is not None:
            found.append(LaneNest(nest, len(used), sums, None if sums else _fill_before(nest)))
    return found


def _is_row(loop: ForOp) -> bool:
    return all(
        isinstance(op, LoadOp | StoreOp) or is_pure(op) or (isinstance(op, AtomicOp) and _sum_of(op) is not None)
        for op in loop.body.block.ops
    )


def _sums(nest: Nest) -> dict[SSAValue, Sum] | None:
    """The terms summed up for elements that change atomically; None if one of them is changed in another way as
    well."""
    found: dict[SSAValue, Sum] = {}
    changes = [op for row in nest.rows for op in row.loop.body.block.ops if isinstance(op, StoreOp | AtomicOp)]
    atomic = {op.buffer for op in changes if isinstance(op, AtomicOp)}
    for op in changes:
        if op.buffer not in atomic:
            continue
        made = _sum_of(op) if isinstance(op, AtomicOp) else None
        if made is None or made.operator != found.setdefault(op.buffer, made).operator:
            return None
    return found


def _sum_of(op: AtomicOp) -> Sum | None:
    """What an element is combined with, if several values may be combined with each other first, in any order."""
    apply = op.body.block.first_op
    if not isinstance(apply, ApplyOp) or not isinstance(apply.next_op, YieldOp):
        return None
    if [*apply.operands].count(op.old) != 1 or apply.next_op.value is not apply.result:
        return None
    operator, element = apply.operator, element_name(apply.result.type)
    assert isinstance(operator, StringAttr | SymbolRefAttr)
    known = find_operator(operator, apply)
    identity = known.identity(element)
    if identity is None or not known.commutative or (rounds(known, element) and not may_reassociate(apply.fastmath)):
        return None
    return Sum(operator, apply.fastmath, identity)


def _fill_before(nest: Nest) -> FillOp | None:
    """The fill whose elements begin with those of the first column, if nothing in between touches them."""
    row = nest.rows[0]
    if len(row.targets) != 1 or constant_index(row.loop.lower) != 0:
        return None
    [(buffer, (_, terms))] = row.targets.items()
    op = nest.root.prev_op
    while op is not None:
        if isinstance(op, FillOp) and op.buffer is buffer:
            return op if _begins_at(op, terms) else None
        if _touches(op, buffer):
            return None
        op = op.prev_op
    return None


def _begins_at(fill: FillOp, terms: tuple[SSAValue, ...]) -> bool:
    """Whether a fill begins at the sum of the terms."""
    return terms == (fill.lower,) or (not terms and constant_index(fill.lower) == 0)


def _touches(op: Operation, buffer: SSAValue) -> bool:
    """Whether an operation may read or write memory of a buffer."""
    memory = memories_of(buffer)
    return any(memory & memories_of(operand) for inner in everything_in(op) for operand in inner.operands)
