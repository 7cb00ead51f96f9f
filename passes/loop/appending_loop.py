"""What a loop that appends to a result does to the state around it: counters, growables, ends of segments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.traits import MemoryAllocEffect, MemoryWriteEffect

from irtensor.dialects.is_inside import is_inside
from irtensor.dialects.loop import (
    BufferType,
    CellOp,
    CellType,
    DataOp,
    FillOp,
    ForOp,
    GetOp,
    GrowableType,
    IfOp,
    IndexMapType,
    IndexSetType,
    ReserveOp,
    SetOp,
    SetSizeOp,
    StoreOp,
)
from irtensor.passes.emit import Emitter, constant_index, is_successor
from irtensor.passes.loop.loop_work import segment_positions
from irtensor.passes.loop.parallel_state import is_set_before
from irtensor.passes.loop.simplify_loops import is_pure
from irtensor.passes.operations_in import operations_in

_index = IndexType()


@dataclass
class AppendingLoop:
    """A loop that appends to growables of the caller, in the order of its turns.

    It stands at the top of a function, or is one of two forms of a loop, in a branch at the top.
    """

    loop: ForOp
    # Cells that count what was appended, which start at 0 and are read after the loop.
    counters: list[SSAValue] = field(default_factory=list)
    # The caller's growables that are appended to.
    growables: list[SSAValue] = field(default_factory=list)
    # Operations before the loop that make memory which only the loop uses.
    private: list[Operation] = field(default_factory=list)
    # Operations before the loop that reserve the growables and hold their data.
    prepared: list[Operation] = field(default_factory=list)
    # Buffers of the caller that hold ends of segments, written one behind the other: the counter.
    shared_ends: dict[SSAValue, SSAValue] = field(default_factory=dict)
    # Which counter the ends in a growable are values of.
    _ends: dict[SSAValue, SSAValue] = field(default_factory=dict)
    _sizes: dict[SSAValue, SSAValue] = field(default_factory=dict)

    @staticmethod
    def find(loop: ForOp) -> AppendingLoop | None:
        """What a loop appends, or None if it appends nothing, or is not understood."""
        found = AppendingLoop(loop)
        return found if found._find_state() and found._find_ends() and found._find_sizes() else None

    def ends_in(self, growable: SSAValue) -> SSAValue | None:
        """The counter whose values a growable holds, or None if it holds something else."""
        return self._ends.get(growable)

    def entries_of(self, counter: SSAValue) -> tuple[SSAValue, ...] | None:
        """Positions arrays that lead from a turn to the entries each of which is appended; None if not all are."""
        assert isinstance(counter.owner, CellOp)
        uses = [use.operation for use in counter.uses if self.loop.is_ancestor(use.operation)]
        sets = [op for op in uses if isinstance(op, SetOp)]
        gets = [op.value for op in uses if isinstance(op, GetOp) and op.parent is sets[0].parent]
        if len(sets) != 1 or not any(is_successor(sets[0].value, value) for value in gets):
            return None
        positions: list[SSAValue] = []
        around = sets[0].parent_op()
        while around is not self.loop:
            outer = around.parent_op() if isinstance(around, ForOp) else None
            array = segment_positions(around, outer.induction) if isinstance(outer, ForOp) else None  # pyright: ignore
            if array is None or is_inside(array, self.loop):
                return None
            positions.insert(0, array)
            around = outer
        return tuple(positions)

    def size_for(self, growable: SSAValue, counts: Mapping[SSAValue, SSAValue], emit: Emitter) -> SSAValue:
        """How long a growable is when so much was appended."""
        return copy_expression(self._sizes[growable], counts, emit)

    @property
    def top(self) -> Operation:
        """The loop, or the branch that it is in: what stands at the top of the function."""
        around = self.loop.parent_op()
        return around if isinstance(around, IfOp) else self.loop

    # Finding out.

    def _find_state(self) -> bool:
        """Tell counters from memory that only the loop uses, of which every part can have its own."""
        before = list(_operations_before(self.top))
        if not self._find_memory(before) or operations_in(self.loop, SetSizeOp):
            return False
        self.growables = self._changed_growables()
        self.prepared = [op for op in before if isinstance(op, ReserveOp | DataOp) and op.growable in self.growables]
        return bool(self.counters and self.growables)

    def _find_memory(self, before: list[Operation]) -> bool:
        """Find the counters and the private memory among the operations before the loop; False if some is shared."""
        loop = self.loop
        for op in before:
            if not op.has_trait(MemoryAllocEffect):
                continue
            memory, users = op.results[0], [op]
            if isinstance(op, CellOp) and self._is_counter(memory):
                self.counters.append(memory)
            elif any(loop.is_ancestor(user) for user in _changes_of(memory)):
                if not _only_used_by(memory, loop, users) or (isinstance(op, CellOp) and not _starts_anew(op, loop)):
                    return False
                self.private += users
        kept = set(self.private)
        self.private = [op for op in before if op in kept]
        return not any(_is_memory(value) and value.owner not in kept for op in kept for value in op.operands)

    def _changed_growables(self) -> list[SSAValue]:
        """The caller's growables that the loop changes: what was copied before it is only read in it."""
        operands = (operand for op in self.loop.walk() for operand in op.operands)
        roots = dict.fromkeys(one.owner.growable if isinstance(one.owner, DataOp) else one for one in operands)
        return [
            root
            for root in roots
            if isinstance(root.type, GrowableType) and root.owner is self.top.parent
            if any(map(self.loop.is_ancestor, _changes_of(root)))
        ]

    def _is_counter(self, cell: SSAValue) -> bool:
        """Whether a cell counts up from 0 in the loop, and nowhere before it, and is read afterwards."""
        assert isinstance(cell.owner, CellOp)
        sets = [use.operation for use in cell.uses if isinstance(use.operation, SetOp)]
        inside = [op for op in sets if self.loop.is_ancestor(op)]
        outside = [use.operation for use in cell.uses if not self.loop.is_ancestor(use.operation)]
        later = [op for op in outside if isinstance(op, GetOp) and _is_after(op, self.top)]
        if not (inside and later) or cell.type.element != _index or constant_index(cell.owner.initial) != 0:  # pyright: ignore
            return False
        # The other form of the loop runs instead of this one.
        return all(self.top.is_ancestor(op) and _ancestor_in(self.loop.parent, op) in (self.loop, None) for op in sets)

    def _find_ends(self) -> bool:
        """Find the arrays that values of counters are stored to."""
        for op in operations_in(self.loop, StoreOp, FillOp):
            counter = self._counter_behind(op.value)
            buffer = op.buffer
            if counter is None:
                continue
            if isinstance(buffer.owner, DataOp):
                known: SSAValue = self._ends.setdefault(buffer.owner.growable, counter)
            elif isinstance(op, StoreOp) and isinstance(buffer, BlockArgument):
                known = self.shared_ends.setdefault(buffer, counter)
            else:
                return False
            if known is not counter:
                return False
        return True

    def _counter_behind(self, value: SSAValue) -> SSAValue | None:
        """The counter that a stored value was read from, if any."""
        if isinstance(value.owner, arith.IndexCastOp):
            value = value.owner.input
        owner = value.owner
        return owner.cell if isinstance(owner, GetOp) and owner.cell in self.counters else None

    def _find_sizes(self) -> bool:
        """Find how the lengths of growables follow from the counters: what is recorded after the loop."""
        for growable in self.growables:
            sizes = [use.operation for use in growable.uses if isinstance(use.operation, SetSizeOp)]
            if len(sizes) != 1 or not self._is_size(sizes[0].size):
                return False
            self._sizes[growable] = sizes[0].size
        return True

    def _is_size(self, value: SSAValue) -> bool:
        owner = value.owner
        if isinstance(owner, Block) or (owner.parent is self.top.parent and owner.is_before_in_block(self.top)):
            return True
        if isinstance(owner, GetOp):
            return owner.cell in self.counters
        return is_pure(owner) and all(map(self._is_size, owner.operands))


def copy_expression(value: SSAValue, values: Mapping[SSAValue, SSAValue], emit: Emitter) -> SSAValue:
    """Compute an expression again, with other values for what it reads of cells, or with other cells."""
    owner = value.owner
    if isinstance(owner, GetOp) and owner.cell in values:
        other = values[owner.cell]
        return other if other.type == value.type else emit.get(other)
    if isinstance(owner, Block) or not owner.operands or not is_pure(owner):
        return value
    operands = [copy_expression(operand, values, emit) for operand in owner.operands]
    match owner:
        case arith.AddiOp():
            return emit.add(*operands)
        case arith.MuliOp():
            return emit.mul(*operands)
        case _:
            return emit.insert(owner.clone(dict(zip(owner.operands, operands, strict=True)))).results[0]


def _operations_before(op: Operation) -> Iterator[Operation]:
    assert op.parent is not None
    for other in op.parent.ops:
        if other is op:
            return
        yield other


def _ancestor_in(block: Block | None, op: Operation) -> Operation | None:
    """The operation of a block that holds an operation, if any."""
    around: Operation | None = op
    while around is not None and around.parent is not block:
        around = around.parent_op()
    return around


def _is_after(op: Operation, loop: Operation) -> bool:
    around = _ancestor_in(loop.parent, op)
    return around is not None and loop.is_before_in_block(around)


def _only_used_by(memory: SSAValue, loop: Operation, users: list[Operation]) -> bool:
    """Whether all uses are in a loop or, side by side with it, before it; those are added to `users`."""
    for use in memory.uses:
        op = use.operation
        if op is not loop and loop.is_ancestor(op):
            continue
        if op is loop or op.parent is not loop.parent or not op.is_before_in_block(loop) or op.regions:
            return False
        users.append(op)
        if any(not _only_used_by(result, loop, users) for result in op.results):
            return False
    return True


def _changes_of(memory: SSAValue) -> Iterator[Operation]:
    """The operations that may change memory, or what it holds."""
    for use in memory.uses:
        op = use.operation
        if op.has_trait(MemoryWriteEffect):
            yield op
        elif isinstance(op, DataOp):
            yield from _changes_of(op.buffer)


def _starts_anew(cell: CellOp, loop: ForOp) -> bool:
    """Whether every turn of a loop sets a cell before it reads it."""
    inside = [use.operation for use in cell.cell.uses if loop.is_ancestor(use.operation)]
    sets = [op for op in inside if isinstance(op, SetOp)]
    return all(is_set_before(op, sets, loop) for op in inside if isinstance(op, GetOp))


def _is_memory(value: SSAValue) -> bool:
    return isinstance(value.type, BufferType | CellType | GrowableType | IndexMapType | IndexSetType)
