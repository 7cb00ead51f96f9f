"""Finds reads that a loop can do early: at a coordinate that it reads in order, or of a row for its own number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import VectorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.algebra.order_of_sums import approximates
from irtensor.dialects.loop.loop import INDEPENDENT, INDEX, ForOp, IfOp, LoadOp, StoreOp, WhileOp
from irtensor.passes.cleanup.hoist_invariants import is_speculatable
from irtensor.passes.loop.support.consecutive_indices import is_consecutive
from irtensor.passes.support.operations_in import operations_of


@dataclass
class Gather:
    """A read whose element number follows from `source` by the operations `steps`."""

    source: SSAValue
    load: LoadOp
    steps: list[Operation]
    # The loop inside that runs along consecutive elements from there, if there is one.
    row: ForOp | None


def find_gathers(loop: ForOp) -> list[Gather]:
    """The indirect reads under a loop over positions, by the coordinates that the loop itself reads."""
    block = loop.body.block
    sources = [
        op for op in operations_of(block) if type(op) is LoadOp and op.index is loop.induction and _is_coordinate(op)
    ]
    if not sources:
        return []
    loads = [load for load in _loads_under(block) if load.buffer.owner is loop.parent or not _inside(load.buffer, loop)]
    found: list[Gather] = []
    for source in sources:
        indices: set[SSAValue] = set()
        for load in loads:
            if load is source or load.index in indices:
                continue
            gather = _trace(loop, source.value, load)
            if gather is not None:
                indices.add(load.index)
                found.append(gather)
    return found


def find_rows(loop: ForOp) -> list[Gather]:
    """The rows that a loop reads, one in each iteration, by the number of the iteration."""
    found: dict[SSAValue, Gather] = {}
    for load in _loads_under(loop.body.block):
        if load.index not in found and not _inside(load.buffer, loop):
            gather = _trace(loop, loop.induction, load)
            if gather is not None and gather.row is not None:
                found[load.index] = gather
    return list(found.values())


def _inside(value: SSAValue, op: Operation) -> bool:
    return op.is_ancestor(value.owner)


def _is_coordinate(load: LoadOp) -> bool:
    """Whether the loaded value becomes an index."""
    if load.value.type == INDEX:
        return True
    return any(isinstance(use.operation, arith.IndexCastOp) for use in load.value.uses)


def _loads_under(block: Block) -> Iterator[LoadOp]:
    for op in operations_of(block):
        op_type = type(op)
        if op_type is LoadOp:
            yield cast("LoadOp", op)
        elif not op.regions:
            continue
        elif op_type is ForOp:
            # A read under a condition may not happen at all, so only counted loops are looked into,
            yield from _loads_under(op.regions[0].block)
        elif op_type is IfOp and _is_settled_before_loops(op.operands[0]):
            # and versions of loops, where all iterations around take the same one.
            yield from _loads_under(op.regions[0].block)


def _is_settled_before_loops(condition: SSAValue) -> bool:
    """Whether a condition is found where the function begins."""
    around = condition.owner.parent_op()
    return isinstance(around, FuncOp)


def _trace(loop: ForOp, source: SSAValue, load: LoadOp) -> Gather | None:
    """How an element number follows from a value; None if it does not, or depends on anything else inside."""
    steps: list[Operation] = []
    seen: set[Operation] = set()
    rows: list[ForOp] = []
    reaches = False

    def visit(value: SSAValue) -> bool:
        nonlocal reaches
        owner = value.owner
        if value is source:
            reaches = True
            return True
        if not _inside(value, loop):
            return True
        if isinstance(owner, Block):
            row = owner.parent_op()
            if not isinstance(row, ForOp) or row is loop or _inside(row.lower, loop) or _inside(row.upper, loop):
                return False
            rows.append(row)
            return True
        if owner in seen:
            return True
        if not is_speculatable(owner) or not all(visit(operand) for operand in owner.operands):
            return False
        seen.add(owner)
        steps.append(owner)
        return True

    if not visit(load.index) or not reaches or len(rows) > 1:
        return None
    if rows and not is_consecutive(load.index, rows[0]):
        return None
    return Gather(source, load, steps, rows[0] if rows else None)


def prevents_vectors(loop: ForOp) -> bool:
    """Whether LLVM would not turn the loop into vector code anyway: more may then be done in its body."""
    if INDEPENDENT in loop.attributes or approximates(loop.body.block):
        # Functions of vectors save more than early loads do, and a schedule asks for vectors.
        return False
    for op in loop.body.block.ops:
        if isinstance(op, ForOp | IfOp | WhileOp | StoreOp):
            return True
        if any(isinstance(result.type, VectorType) for result in op.results):
            return True
    return False
