"""Finds loop nests that accumulate into consecutive elements whose position does not depend on the nest."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from irtensor.dialects.loop.loop import (
    AtomicOp,
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
from irtensor.dialects.support.create_operation import create_block
from irtensor.passes.cleanup.hoist_invariants import is_speculatable
from irtensor.passes.cleanup.simplify_loops import is_pure
from irtensor.passes.loop.support.memory_roots import is_seen_otherwise, memory_of
from irtensor.passes.loop.support.value_sources import is_read, sources_of
from irtensor.passes.support.operations_in import operations_in, operations_of

_CONTROL = frozenset((ForOp, WhileOp, IfOp, ParallelOp))
_SEARCHES = (LowerBoundOp, UpperBoundOp)
_HARMLESS = frozenset((GetOp, CellOp, LoadOp, DataOp, CapacityOp, ConditionOp, MapFindOp, *_SEARCHES))


@dataclass
class Row:
    """A loop over consecutive elements, without loops inside."""

    loop: ForOp
    # The updated buffers, each with the value that is its element number and with what that is the sum of.
    targets: dict[SSAValue, tuple[SSAValue, tuple[SSAValue, ...]]] = field(default_factory=dict)
    # Cells that are given the same value for every element, which is what notes that there was one.
    marks: list[SetOp] = field(default_factory=list)


# Appends the copy of a row to a block; the mapping is from values of the nest to those of the copy.
Values = dict[SSAValue, SSAValue]
CopyRow = Callable[[Row, Block, Values], None]


@dataclass
class Nest:
    """`root` repeats the rows; all it changes outside of itself are the elements that the rows update."""

    root: Operation
    rows: list[Row]
    range: tuple[SSAValue, SSAValue] | None = None
    """Of the root of copies, if it is not that of the root."""

    @property
    def size(self) -> int:
        return sum(1 for _ in self.root.walk())


def find_nests(block: Block, is_row: Callable[[ForOp], bool]) -> list[Nest]:
    """The outermost such nests in a block, with a reduction around every row.

    `is_row` says whether a loop may be a row, by all that it does beside loads, stores and sets of cells,
    and whether it may change elements atomically.
    """
    nests: list[Nest] = []
    for op in operations_of(block):
        if type(op) not in _CONTROL:
            continue
        rows = _rows_of_nest(op, is_row) if isinstance(op, ForOp | WhileOp) else None
        if rows:
            nests.append(Nest(op, rows))
        else:
            for region in op.regions:
                for inner in region.blocks:
                    nests.extend(find_nests(inner, is_row))
    return nests


def is_outside(value: SSAValue, op: Operation) -> bool:
    """Whether a value is defined outside of an operation's regions."""
    return not op.is_ancestor(value.owner)


def loop_around(op: Operation) -> ForOp | WhileOp | None:
    """The next loop around an operation, if there are only branches in between."""
    around = op.parent_op()
    while isinstance(around, IfOp):
        around = around.parent_op()
    return around if isinstance(around, ForOp | WhileOp) else None


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


def _rows_of_nest(root: ForOp | WhileOp, is_row: Callable[[ForOp], bool]) -> list[Row] | None:
    """The rows of a nest, if it has some and touches nothing else; None if it does."""
    rows: list[Row] = []
    if not _collect(root, root, rows, is_row) or not rows:
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
    if any(not any(loop.is_ancestor(row.loop) for row in rows) for loop in operations_in(root, ForOp)):
        return None  # it computes something else, which each copy of the nest would compute again
    return rows if _touches_only_rows(root, rows) and not is_seen_otherwise(first.targets, root) else None


def reads_rows_once(nest: Nest, root: ForOp) -> bool:
    """Whether the rows of a nest are those of an operand, one after the other, each read once.

    Then each loop around the nest reads other rows, and none is found by a coordinate.
    """
    around: set[SSAValue] = {root.induction}
    loop = root.parent_op()
    while isinstance(loop, ForOp):
        around.add(loop.induction)
        loop = loop.parent_op()
    rows_only = all(row.loop.parent is root.body.block for row in nest.rows)
    if not rows_only or not isinstance(loop, FuncOp | IfOp | ParallelOp):
        return False
    loads = [load for row in nest.rows for load in operations_in(row.loop, LoadOp) if load.buffer not in row.targets]
    sources = [sources_of([load.index]) for load in loads]
    return any(around.issubset(found) and not any(map(is_read, found)) for found in sources)


def _collect(op: Operation, root: Operation, rows: list[Row], is_row: Callable[[ForOp], bool]) -> bool:
    """Gather the rows under an operation; False if anything else there has an effect outside of the nest."""
    inside = (inner for region in op.regions for block in region.blocks for inner in block.ops)
    return all(_collect_one(inner, root, rows, is_row) for inner in inside)


def _collect_one(op: Operation, root: Operation, rows: list[Row], is_row: Callable[[ForOp], bool]) -> bool:
    """Gather an operation as a row, or the rows under it; False as above."""
    if type(op) in _HARMLESS:
        return True
    if type(op) is ForOp and is_row(op) and (row := as_row(op)) is not None:
        rows.append(row)
        return True
    if type(op) in _CONTROL:
        return _collect(op, root, rows, is_row)
    if type(op) is SetOp:
        return not is_outside(op.cell, root)
    return is_pure(op) or is_speculatable(op) or op.name.startswith(("arith.", "math.", "complex."))


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


def as_row(loop: ForOp) -> Row | None:
    """The loop as a row of updates, or None."""
    row = _stores_of(loop)
    return row if row is not None and row.targets and _reads_targets(row) else None


def _stores_of(loop: ForOp) -> Row | None:
    """What the loop stores to consecutive elements, and sets; None if an element is another one."""
    row = Row(loop)
    for op in loop.body.block.ops:
        if isinstance(op, StoreOp | AtomicOp):
            terms = sum_terms(op.index, loop.induction, loop)
            if terms is None or op.buffer in row.targets or not is_outside(op.buffer, loop):
                return None
            row.targets[op.buffer] = (op.index, terms)
        elif isinstance(op, SetOp):
            row.marks.append(op)
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
        elif isinstance(op, AtomicOp):
            read.add(op.buffer)
    return read == set(row.targets)


def indexes_targets(op: Operation, targets: Container[SSAValue]) -> bool:
    """Whether all that an operation of a row computes is where the updated elements are."""
    users = [use.operation for result in op.results for use in result.uses]
    return bool(users) and all(
        isinstance(user, LoadOp | StoreOp | AtomicOp) and user.buffer in targets and user.operands[0] not in op.results
        for user in users
    )


def copy_nest(nest: Nest, target: Block, copy_row: CopyRow, hints: Mapping[str, Attribute] = {}) -> None:
    """Append a copy of a nest to a block, in which `copy_row` appends each row instead.

    That is given the row, the block, and the copies of values of the nest. Loops of the copy have the attributes
    `hints`.
    """
    _copy(nest.root, target, {}, {row.loop: row for row in nest.rows}, copy_row, hints)
    if nest.range is not None:
        assert target.last_op is not None
        target.last_op.operands = nest.range


def _copy(
    op: Operation,
    target: Block,
    values: Values,
    rows: Mapping[ForOp, Row],
    copy_row: CopyRow,
    hints: Mapping[str, Attribute],
) -> None:
    if isinstance(op, ForOp) and op in rows:
        copy_row(rows[op], target, values)
        return
    copied = op.clone_without_regions(values)
    if isinstance(copied, ForOp):
        copied.attributes.update(hints)
    target.add_op(copied)
    for source, region in zip(op.regions, copied.regions, strict=True):
        for block in source.blocks:
            made = create_block(block.arg_types)
            for old, new in zip(block.args, made.args, strict=True):
                new.name_hint = old.name_hint
                values[old] = new
            region.add_block(made)
            for inner in block.ops:
                _copy(inner, made, values, rows, copy_row, hints)
