"""What a loop that appends to a result does to the state around it: counters, growables, ends of segments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.traits import MemoryAllocEffect

from irtensor.dialects.loop import (
    CellOp,
    DataOp,
    FillOp,
    ForOp,
    GetOp,
    GrowableType,
    IfOp,
    ReserveOp,
    SetOp,
    SetSizeOp,
    StoreOp,
)
from irtensor.dialects.loop_parallel import is_inside
from irtensor.passes.emit import Emitter, constant_index, move_before
from irtensor.passes.loop.simplify_loops import is_pure

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
    # Buffers of the caller that hold ends of segments: the counter, and how many ends a turn of the loop writes.
    shared_ends: dict[SSAValue, tuple[SSAValue, SSAValue]] = field(default_factory=dict)
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

    def size_for(self, growable: SSAValue, counts: Mapping[SSAValue, SSAValue], emit: Emitter) -> SSAValue:
        """How long a growable is when so much was appended."""
        return copy_expression(self._sizes[growable], counts, emit)

    def work(self, emit: Emitter) -> SSAValue:
        """How much there is to do, for the number of parts."""
        return emit.sub(self.loop.upper, self.loop.lower)

    @property
    def top(self) -> Operation:
        """The loop, or the branch that it is in: what stands at the top of the function."""
        around = self.loop.parent_op()
        return around if isinstance(around, IfOp) else self.loop

    # Finding out.

    def _find_state(self) -> bool:
        """Tell counters from cells, sets and scratches that only the loop uses."""
        loop = self.loop
        before = list(_operations_before(self.top))
        made: dict[SSAValue, list[Operation]] = {}
        for op in before:
            if op.has_trait(MemoryAllocEffect):
                made[op.results[0]] = [op]
        for memory, users in made.items():
            if isinstance(memory.owner, CellOp) and self._is_counter(memory):
                self.counters.append(memory)
            elif _only_used_by(memory, loop, users):
                self.private += users
            elif any(_changes(use.operation) and loop.is_ancestor(use.operation) for use in memory.uses):
                return False
        kept = set(self.private)
        self.private = [op for op in before if op in kept]
        growables: dict[SSAValue, None] = {}
        for op in loop.walk():
            if isinstance(op, SetSizeOp):
                return False
            for operand in op.operands:
                root = operand.owner.growable if isinstance(operand.owner, DataOp) else operand
                if isinstance(root.type, GrowableType) and root.owner is self.top.parent:
                    growables[root] = None
        self.growables = list(growables)
        self.prepared = [op for op in before if isinstance(op, ReserveOp | DataOp) and op.growable in growables]
        return bool(self.counters and self.growables)

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
        for op in self.loop.walk():
            if not isinstance(op, StoreOp | FillOp):
                continue
            counter = self._counter_behind(op.value)
            buffer = op.buffer
            if counter is None:
                continue
            if isinstance(buffer.owner, DataOp):
                known: SSAValue = self._ends.setdefault(buffer.owner.growable, counter)
            elif isinstance(op, StoreOp) and isinstance(buffer, BlockArgument):
                width = self._stride(op.index)
                if width is None:
                    return False
                known, _ = self.shared_ends.setdefault(buffer, (counter, width))
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

    def _stride(self, index: SSAValue) -> SSAValue | None:
        """By how much an index grows from one turn of the loop to the next, as an expression of values before it."""
        block = Block()
        stride = _coefficient(index, self.loop, Emitter(block))
        move_before(block, self.loop)
        return stride

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
        if loop.is_ancestor(op):
            continue
        if op.parent is not loop.parent or not op.is_before_in_block(loop) or op.regions:
            return False
        users.append(op)
        if any(not _only_used_by(result, loop, users) for result in op.results):
            return False
    return True


def _changes(op: Operation) -> bool:
    """Whether an operation on memory may change it."""
    return not isinstance(op, GetOp | DataOp)


def _coefficient(value: SSAValue, loop: ForOp, emit: Emitter) -> SSAValue | None:
    """What an expression of indices grows by when the index of the loop grows by one; None if that is not known."""
    if value is loop.induction:
        return emit.index(1)
    owner = value.owner
    if isinstance(owner, Block) or not is_inside(value, loop):
        return emit.index(0)
    if isinstance(owner, arith.AddiOp):
        left, right = (_coefficient(operand, loop, emit) for operand in owner.operands)
        return None if left is None or right is None else emit.add(left, right)
    if isinstance(owner, arith.MuliOp):
        for factor, other in (owner.operands, reversed(owner.operands)):
            if not is_inside(factor, loop):
                inner = _coefficient(other, loop, emit)
                return None if inner is None else emit.mul(inner, factor)
    return None
