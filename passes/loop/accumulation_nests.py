"""Finds loop nests that accumulate into consecutive elements whose place does not depend on the nest."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import ComplexType, IndexType, IntegerAttr
from xdsl.ir import Block, Operation, SSAValue

from irtensor.dialects.loop import (
    CapacityOp,
    CellOp,
    ConditionOp,
    DataOp,
    ForOp,
    GetOp,
    IfOp,
    LoadOp,
    LowerBoundOp,
    MapFindOp,
    ParallelOp,
    SetOp,
    StoreOp,
    UpperBoundOp,
    WhileOp,
)
from irtensor.passes.loop.hoist_invariants import is_speculatable
from irtensor.passes.operations_in import operations_in, operations_of

_CONTROL = frozenset((ForOp, WhileOp, IfOp, ParallelOp))
_SEARCHES = (LowerBoundOp, UpperBoundOp)
_HARMLESS = frozenset((GetOp, CellOp, LoadOp, DataOp, CapacityOp, ConditionOp, MapFindOp, *_SEARCHES))
# Scalar functions that LLVM has no vector form of.
_SCALAR_ONLY = {f"math.{name}" for name in ("expm1", "log1p", "cbrt", "erf", "acosh", "asinh", "atanh", "absi")}


@dataclass
class Row:
    """A loop over consecutive elements, without loops inside."""

    loop: ForOp
    # The updated buffers, each with the value that is its element number and with what that is the sum of.
    targets: dict[SSAValue, tuple[SSAValue, tuple[SSAValue, ...]]] = field(default_factory=dict)
    # Cells that are given the same value for every element, which is what notes that there was one.
    marks: list[SetOp] = field(default_factory=list)


@dataclass
class Nest:
    """`root` repeats the rows; all it changes outside of itself are the elements that the rows update."""

    root: Operation
    rows: list[Row]

    @property
    def size(self) -> int:
        return sum(1 for _ in self.root.walk())


def find_nests(block: Block) -> list[Nest]:
    """The outermost such nests in a block, with a reduction around every row."""
    nests: list[Nest] = []
    for op in operations_of(block):
        if type(op) not in _CONTROL:
            continue
        rows = _rows_of_nest(op) if isinstance(op, ForOp | WhileOp) else None
        if rows:
            nests.append(Nest(op, rows))
        else:
            for region in op.regions:
                for inner in region.blocks:
                    nests.extend(find_nests(inner))
    return nests


def memory_of(buffer: SSAValue) -> SSAValue:
    """What two buffers of the same memory have in common."""
    owner = buffer.owner
    return owner.growable if isinstance(owner, DataOp) else buffer


def is_outside(value: SSAValue, op: Operation) -> bool:
    """Whether a value is defined outside of an operation's regions."""
    return not op.is_ancestor(value.owner)


def sum_terms(value: SSAValue, index: SSAValue, loop: ForOp) -> tuple[SSAValue, ...] | None:
    """The terms of an element number that is `index` plus values from outside of the loop; None if it is not."""
    if value is index:
        return ()
    owner = value.owner
    if not isinstance(owner, arith.AddiOp):
        return None
    for one, other in ((owner.lhs, owner.rhs), (owner.rhs, owner.lhs)):
        if is_outside(other, loop):
            rest = sum_terms(one, index, loop)
            if rest is not None:
                return (*rest, other)
    return None


def _rows_of_nest(root: ForOp | WhileOp) -> list[Row] | None:
    """The rows of a nest, if it has some and touches nothing else; None if it does."""
    rows: list[Row] = []
    if not _collect(root, root, rows) or not rows:
        return None
    first = rows[0]
    for row in rows:
        if row.loop is root or row.loop.lower is not first.loop.lower or row.loop.upper is not first.loop.upper:
            return None
        for buffer, (_, terms) in row.targets.items():
            found = first.targets.get(buffer)
            if found is None or set(found[1]) != set(terms):
                return None
            if not all(is_outside(value, root) for value in (buffer, *terms)):
                return None
        if set(row.targets) != set(first.targets):
            return None
    if not (is_outside(first.loop.lower, root) and is_outside(first.loop.upper, root)):
        return None
    return rows if _touches_only_rows(root, rows) else None


def _collect(op: Operation, root: Operation, rows: list[Row]) -> bool:
    """Gather the rows under an operation; False if anything else there has an effect outside of the nest."""
    inside = (inner for region in op.regions for block in region.blocks for inner in block.ops)
    return all(_collect_one(inner, root, rows) for inner in inside)


def _collect_one(op: Operation, root: Operation, rows: list[Row]) -> bool:
    """Gather an operation as a row, or the rows under it; False as above."""
    if type(op) in _HARMLESS:
        return True
    if isinstance(op, ForOp) and (row := _as_row(op)) is not None:
        rows.append(row)
        return True
    if type(op) in _CONTROL:
        return _collect(op, root, rows)
    if isinstance(op, SetOp):
        return not is_outside(op.cell, root)
    return is_speculatable(op) or op.name.startswith(("arith.", "math.", "complex."))


def _touches_only_rows(root: Operation, rows: list[Row]) -> bool:
    """Whether nothing else in the nest reads the updated memory."""
    updated = {memory_of(buffer) for buffer in rows[0].targets}
    if len(updated) != len(rows[0].targets):
        return False
    inside = {row.loop for row in rows}
    marked = {mark.cell for row in rows for mark in row.marks}
    if not all(is_outside(mark.value, root) and is_outside(mark.cell, root) for row in rows for mark in row.marks):
        return False
    for op in operations_in(root, GetOp, SetOp, LoadOp, *_SEARCHES):
        if isinstance(op, GetOp | SetOp):
            if op.cell in marked and not (isinstance(op, SetOp) and op.parent_op() in inside):
                return False
        elif op.parent_op() not in inside:
            if memory_of(op.operands[0]) in updated:
                return False
    return True


def _as_row(loop: ForOp) -> Row | None:
    """The loop as a row of updates that vectors can do, or None."""
    width = loop.attributes.get("vectorize")
    if isinstance(width, IntegerAttr) and width.value.data > 1:
        return None  # vectors of this width are asked for
    if any(not isinstance(op, LoadOp | StoreOp | SetOp) and not _is_lanewise(op) for op in loop.body.block.ops):
        return None
    row = _stores_of(loop)
    return row if row is not None and row.targets and _reads_targets(row) else None


def _stores_of(loop: ForOp) -> Row | None:
    """What the loop stores to consecutive elements, and sets; None if an element is another one."""
    row, index, varying = Row(loop), loop.induction, _varying(loop)
    for op in loop.body.block.ops:
        if isinstance(op, StoreOp):
            terms = sum_terms(op.index, index, loop)
            if terms is None or op.buffer in row.targets or not is_outside(op.buffer, loop):
                return None
            row.targets[op.buffer] = (op.index, terms)
        elif isinstance(op, SetOp):
            row.marks.append(op)
        elif isinstance(op, LoadOp) and op.index in varying and sum_terms(op.index, index, loop) is None:
            return None
    return row


def _reads_targets(row: Row) -> bool:
    """Whether each element that is stored to is read, and nothing else of the updated memory."""
    updated = {memory_of(buffer) for buffer in row.targets}
    read: set[SSAValue] = set()
    for op in row.loop.body.block.ops:
        if isinstance(op, LoadOp) and memory_of(op.buffer) in updated:
            if op.buffer not in row.targets or op.index is not row.targets[op.buffer][0]:
                return False
            read.add(op.buffer)
    return read == set(row.targets)


def _varying(loop: ForOp) -> set[SSAValue]:
    """The values of a row that differ from element to element."""
    found: set[SSAValue] = {loop.induction}
    for op in loop.body.block.ops:
        if any(operand in found for operand in op.operands):
            found.update(op.results)
    return found


def _is_lanewise(op: Operation) -> bool:
    """Whether an operation on scalars does the same on the lanes of vectors."""
    if not op.name.startswith(("arith.", "math.")) or op.name in _SCALAR_ONLY or op.regions:
        return False
    if isinstance(op, arith.CmpfOp | arith.CmpiOp):
        # xDSL's give one i1, whatever they compare.
        return False
    if len(op.results) != 1 or isinstance(op.results[0].type, ComplexType):
        return False
    if isinstance(op.results[0].type, IndexType):
        # Element numbers; that they are sums is checked where they are used.
        return isinstance(op, arith.AddiOp | arith.ConstantOp)
    return not any(isinstance(operand.type, IndexType) for operand in op.operands)
