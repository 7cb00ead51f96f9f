"""Loop nests that each lane of a team can go through alone for columns of its own, with its sums in registers."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.loop import BufferType, FillOp, ForOp, LoadOp, StoreOp
from irtensor.passes.emit import constant_index
from irtensor.passes.loop.accumulation_nests import Nest, find_nests, memory_of
from irtensor.passes.loop.simplify_loops import is_pure
from irtensor.passes.nvvm.thread_accesses import roots_of
from irtensor.passes.operations_in import operations_in


@dataclass
class LaneNest:
    """Loops around rows of updates, where each lane repeats all that stands between them for its columns of the rows.

    It only computes, reads what the nest does not change, and changes cells of its own. All elements of a column are in
    one place, whatever the iterations around, and the columns of a row in different ones.
    """

    nest: Nest
    buffers: int
    """How many arrays the iteration uses that the nest is a part of. The address of each takes registers."""
    fill: FillOp | None = None
    """What fills the first columns right before, or all of them: sums begin with its value."""

    @property
    def loop(self) -> ForOp:
        """The loop over the columns of a row."""
        return self.nest.rows[0].loop


def lane_nests(body: Block) -> list[LaneNest]:
    """The outermost such nests in the body of an iteration."""
    nests = [nest for nest in find_nests(body, _is_row) if _is_apart(nest)]
    if not nests:
        return []
    used = {operand for op in body.walk() for operand in op.operands if isinstance(operand.type, BufferType)}
    return [LaneNest(nest, len(used), _fill_before(nest)) for nest in nests]


def _is_row(loop: ForOp) -> bool:
    return all(isinstance(op, LoadOp | StoreOp) or is_pure(op) for op in loop.body.block.ops)


def _is_apart(nest: Nest) -> bool:
    """Whether a nest changes elements of its rows only, and reads nothing of their memory by another name."""
    targets = nest.rows[0].targets
    updated = {memory for buffer in targets for memory in _memory(buffer)}
    others = (op.buffer for op in operations_in(nest.root, LoadOp) if op.buffer not in targets)
    return not any(row.marks for row in nest.rows) and not any(updated & _memory(buffer) for buffer in others)


def _memory(buffer: SSAValue) -> set[SSAValue]:
    return {memory_of(root) for root in roots_of(buffer)}


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
    memory = _memory(buffer)
    return any(memory & _memory(operand) for inner in op.walk() for operand in inner.operands)
