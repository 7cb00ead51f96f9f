"""What a loop that appends to a result does to the state around it: counters, growables, ends of segments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import MemoryAllocEffect, MemoryWriteEffect

from irtensor.dialects.loop.loop import (
    AppendOp,
    AssembledOp,
    BufferType,
    CellOp,
    CellType,
    CloseOp,
    CounterOp,
    DataOp,
    ForOp,
    GetOp,
    GrowableType,
    IfOp,
    IndexMapType,
    IndexSetType,
    ReserveOp,
    SetOp,
    SetSizeOp,
)
from irtensor.dialects.loop.loop_parallel import used_by
from irtensor.dialects.support.constant_index import constant_index
from irtensor.passes.loop.support.entry_steps import Steps, positions_in, steps_to
from irtensor.passes.loop.support.parallel_state import is_set_before
from irtensor.passes.support.emit import Emitter
from irtensor.passes.support.operations_in import operations_in


@dataclass
class AppendingLoop:
    """A loop that appends to growables of the caller, in the order of its iterations.

    It stands at the top of a function, or is one of two forms of a loop, in a branch at the top.
    """

    loop: ForOp
    # The counters of what it appends.
    counters: list[SSAValue] = field(default_factory=list)
    # The caller's growables that are appended to.
    growables: list[SSAValue] = field(default_factory=list)
    # Operations before the loop that make memory which only the loop uses.
    private: list[Operation] = field(default_factory=list)
    # Operations before the loop that reserve the growables and hold their data.
    prepared: list[Operation] = field(default_factory=list)
    # Which counter the ends of segments in a growable, or in a buffer of the caller's, are values of.
    ends: dict[SSAValue, SSAValue] = field(default_factory=dict)
    # How long each growable is: the lengths recorded after the loop.
    sizes: dict[SSAValue, AssembledOp] = field(default_factory=dict)

    @staticmethod
    def find(loop: ForOp) -> AppendingLoop | None:
        """What a loop appends, or None if it appends nothing, or is not understood."""
        found = AppendingLoop(loop)
        return found if found._find_state() and found._find_sizes() else None

    @property
    def shared_ends(self) -> dict[SSAValue, SSAValue]:
        """Buffers of the caller that hold ends of segments, written one behind the other: the counter."""
        return {array: counter for array, counter in self.ends.items() if isinstance(array.type, BufferType)}

    def entries_of(self, counter: SSAValue) -> Steps | None:
        """The steps from an iteration to its entries, if each of these is appended; None otherwise."""
        appends = [op for op in _appends_to(counter) if self.loop.is_ancestor(op)]
        if len(appends) != 1 or constant_index(appends[0].entries) != 1:
            return None
        steps = steps_to(appends[0], self.loop)
        changed = any(map(self._changes, positions_in(steps or ())))
        return None if changed else steps

    def _changes(self, array: SSAValue) -> bool:
        return any(map(self.loop.is_ancestor, _changes_of(root_of(array))))

    def size_for(self, growable: SSAValue, counts: Mapping[SSAValue, SSAValue], emit: Emitter) -> SSAValue:
        """How long a growable is when so much was appended."""
        return emit.add(self.elements_for(growable, counts, emit), self.sizes[growable].first)

    def elements_for(self, growable: SSAValue, counts: Mapping[SSAValue, SSAValue], emit: Emitter) -> SSAValue:
        """How much of that is there for entries."""
        size = self.sizes[growable]
        return emit.mul(counts[size.counter], size.width)

    @property
    def top(self) -> Operation:
        """The loop, or the branch that it is in: the operation at the top of the function."""
        around = self.loop.parent_op()
        return around if isinstance(around, IfOp) else self.loop

    @property
    def needs_branch(self) -> bool:
        """Whether the loop uses values computed in the branch that it is in."""
        made_anew = {*self.private, *self.prepared}
        used = used_by((self.loop, *self.private))
        owners = [value.owner for value in used if not isinstance(value.owner, Block)]
        inside = [op for op in owners if op.parent is self.loop.parent and op not in made_anew]
        return self.top is not self.loop and bool(inside)

    # Finding out.

    def _find_state(self) -> bool:
        """Tell counters from memory that only the loop uses: every part can have its own."""
        inside = () if self.top is self.loop else _operations_before(self.loop)
        before = [*_operations_before(self.top), *inside]
        if not self._find_memory(before) or operations_in(self.loop, SetSizeOp, AssembledOp):
            return False
        self.growables = self._changed_growables()
        closes = [op for op in operations_in(self.loop, CloseOp) if op.counter in self.counters]
        self.ends = {root_of(op.positions): op.counter for op in closes}
        ready = [op for op in before if isinstance(op, ReserveOp | DataOp)]
        self.prepared = [op for op in ready if op.growable in self.growables]
        return bool(self.counters and self.growables)

    def _find_memory(self, before: list[Operation]) -> bool:
        """Find the counters and the private memory among the operations before the loop; False if some is shared."""
        loop = self.loop
        for op in before:
            if not op.has_trait(MemoryAllocEffect):
                continue
            memory, users = op.results[0], [op]
            if isinstance(op, CounterOp):
                appends = list(_appends_to(memory))
                if any(map(loop.is_ancestor, appends)):
                    self.counters.append(memory)
                    if not self._only_appends(appends):
                        return False
            elif any(loop.is_ancestor(user) for user in _changes_of(memory)):
                if not _only_used_by(memory, loop, users) or (isinstance(op, CellOp) and not _starts_anew(op, loop)):
                    return False
                self.private += users
        kept = set(self.private)
        self.private = [op for op in before if op in kept]
        return not any(_is_memory(value) and value.owner not in kept for op in kept for value in op.operands)

    def _changed_growables(self) -> list[SSAValue]:
        """The caller's growables that the loop changes: growables copied before it are only read in it."""
        roots = dict.fromkeys(map(root_of, used_by((self.loop,))))
        return [
            root
            for root in roots
            if isinstance(root.type, GrowableType) and root.owner is self.top.parent
            if self._changes(root)
        ]

    def _only_appends(self, appends: list[AppendOp]) -> bool:
        """Whether only the loop appends to a level, or instead of it another form of the loop."""
        block = self.loop.parent
        assert block is not None
        around = {block.find_ancestor_op_in_block(op) for op in appends}
        return all(map(self.top.is_ancestor, appends)) and around <= {self.loop, None}

    def _find_sizes(self) -> bool:
        """Find how the lengths of growables follow from the counters; False if they do not, or from anything later."""
        for growable in self.growables:
            sizes = [use.operation for use in growable.uses if isinstance(use.operation, AssembledOp)]
            if len(sizes) != 1 or sizes[0].counter not in self.counters:
                return False
            if not all(map(self._is_known, (sizes[0].width, sizes[0].first))):
                return False
            self.sizes[growable] = sizes[0]
        return True

    def _is_known(self, value: SSAValue) -> bool:
        """Whether a value is there before the loop."""
        owner = value.owner
        return isinstance(owner, Block) or (owner.parent is self.top.parent and owner.is_before_in_block(self.top))


def root_of(array: SSAValue) -> SSAValue:
    """The growable whose storage a buffer is, or the buffer itself."""
    return array.owner.growable if type(array.owner) is DataOp else array


def _appends_to(counter: SSAValue) -> Iterator[AppendOp]:
    for use in counter.uses:
        if isinstance(use.operation, AppendOp):
            yield use.operation


def _operations_before(op: Operation) -> Iterator[Operation]:
    assert op.parent is not None
    for other in op.parent.ops:
        if other is op:
            return
        yield other


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
    """Whether every iteration of a loop sets a cell before it reads it."""
    inside = [use.operation for use in cell.cell.uses if loop.is_ancestor(use.operation)]
    sets = [op for op in inside if isinstance(op, SetOp)]
    return all(is_set_before(op, sets, loop) for op in inside if isinstance(op, GetOp))


def _is_memory(value: SSAValue) -> bool:
    return isinstance(value.type, BufferType | CellType | GrowableType | IndexMapType | IndexSetType)
