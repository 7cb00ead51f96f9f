"""`remove-unread-memory`: values that are only computed to be stored where nothing reads them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects.arith import SelectOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.traits import Pure

from irtensor.dialects.loop.loop import (
    AccumulateOp,
    AppendOp,
    AssembledOp,
    AtomicOp,
    CellOp,
    ClearOp,
    CloseOp,
    ConditionOp,
    ContainsOp,
    CopyOp,
    CounterOp,
    CountOp,
    DataOp,
    FillOp,
    ForOp,
    GetOp,
    IfOp,
    IndexMapOp,
    IndexSetOp,
    InsertOp,
    LoadOp,
    LowerBoundOp,
    MapClearOp,
    MapCountOp,
    MapFindOp,
    MapInsertOp,
    MapListOp,
    MembersOp,
    ParallelOp,
    PartsOp,
    ReduceOp,
    RemoveOp,
    ReserveOp,
    ScratchOp,
    SetOp,
    SetSizeOp,
    SharedOp,
    StoreOp,
    UpperBoundOp,
    ViewOp,
    VisitOp,
    WhileOp,
    YieldOp,
)
from irtensor.dialects.loop.loop_types import BufferType
from irtensor.dialects.support.create_operation import erase_operation
from irtensor.passes.cleanup.simplify_loops import is_pure
from irtensor.passes.support.operations_in import everything_in, operations_of
from irtensor.passes.support.pass_base import TensorPass

# Which operands an operation writes through; the memory behind its other operands it reads.
WRITES: dict[type[Operation], tuple[int, ...]] = {
    SetOp: (1,),
    StoreOp: (1,),
    FillOp: (1,),
    CopyOp: (2,),
    ReserveOp: (0,),
    SetSizeOp: (0,),
    AppendOp: (1,),
    CloseOp: (0,),
    AssembledOp: (0,),
    AccumulateOp: (1,),
    InsertOp: (1,),
    RemoveOp: (1,),
    ClearOp: (0,),
    # Where it lists, a set may be emptied as well.
    MembersOp: (0, 1),
    VisitOp: (0,),
    MapInsertOp: (2,),
    MapClearOp: (0,),
    MapListOp: (2, 3, 4),
    AtomicOp: (0,),
    ReduceOp: (1,),
}
_READS = (GetOp, CountOp, LoadOp, LowerBoundOp, UpperBoundOp, ContainsOp, MapFindOp, MapCountOp, DataOp, ViewOp)
_MEMORY = (CellOp, CounterOp, ScratchOp, SharedOp, IndexSetOp, IndexMapOp)
_CONTROL = (ForOp, ParallelOp, WhileOp, IfOp, ConditionOp, YieldOp, PartsOp)
_REMOVABLE = frozenset((*_READS, *_MEMORY, *_CONTROL))
# What the end of their body gives is used.
_YIELDS = (WhileOp, AtomicOp, ReduceOp)


class RemoveUnreadMemoryPass(TensorPass):
    """Erase cells, sets and scratch memory that nothing outside themselves depends on, and what fills them.

    Before: `%w = loop.scratch; ... { %s = loop.load %v[%p]; loop.store %s, %data[%j] }`, and no load of `%data` that
            anything but such stores uses
    After:  nothing

    A sum that a factor annihilates is such memory: of `max(j, A[i,j] * sum(k, ...))` the sums at coordinates where `A`
    has no entry. And it makes a kernel that assembles an index of one that computes values as well. Loops end, so one
    without effect is erased. Nothing is added, so it is never more work.
    """

    name = "remove-unread-memory"
    accepts = ("loop",)
    leaves = ("loop",)
    after = {"simplify-loops": "a cell that never changes is a value, and nothing reads the cell"}
    before = {"join-gaps": "a gap where nothing reads a sum has one value at all of its coordinates"}

    def on_function(self, function: FuncOp) -> None:
        erase_unread(function)


def erase_unread(function: FuncOp) -> None:
    """Erase what a function computes and nothing outside of it depends on."""
    _Liveness(function).erase_dead()


def memory_of(value: SSAValue) -> SSAValue:
    """The cell, array, set or map that operations reach through a value: what gives the memory, or an argument."""
    while True:
        owner = value.owner
        # By type: isinstance() asks a function in Python for each of the classes.
        op_type = type(owner)
        if op_type is DataOp or op_type is ViewOp:
            value = cast("Operation", owner).operands[0]
        elif (op_type is IndexSetOp or op_type is IndexMapOp) and (
            memory := cast("IndexSetOp", owner).memory
        ) is not None:
            value = memory
        else:
            return value


def memories_of(value: SSAValue) -> Iterator[SSAValue]:
    """What operations may reach through a value: where a buffer is one of two, the memory of both."""
    memory = memory_of(value)
    if type(memory.owner) is SelectOp and isinstance(memory.type, BufferType):
        for either in memory.owner.operands[1:]:
            yield from memories_of(either)
    else:
        yield memory


def _memories(value: SSAValue) -> Iterator[Operation | None]:
    """The operations that make the memory behind a value; None for an argument, which the caller reads."""
    for memory in memories_of(value):
        owner = memory.owner
        yield owner if type(owner) in _MEMORY and isinstance(owner, Operation) else None


@dataclass
class _Liveness:
    """Marks operations with an effect, and those that they need; the rest is erased."""

    function: FuncOp
    live: set[Operation] = field(default_factory=set)
    work: list[Operation] = field(default_factory=list)
    writers: dict[Operation, list[Operation]] = field(default_factory=dict)

    def erase_dead(self) -> None:
        for op in everything_in(self.function.body.block):
            written = list(self._written(op))
            for memory in written:
                if memory is not None:
                    self.writers.setdefault(memory, []).append(op)
            if None in written or not (written or self._is_removable(op)):
                self._mark(op)
        while self.work:
            self._require(self.work.pop())
        _erase(self.function.body.block, self.live)

    def _is_removable(self, op: Operation) -> bool:
        return type(op) in _REMOVABLE or is_pure(op) or op.has_trait(Pure)

    def _written(self, op: Operation) -> Iterator[Operation | None]:
        for number in WRITES.get(type(op), ()):
            yield from _memories(op.operands[number])

    def _mark(self, op: Operation) -> None:
        if op not in self.live:
            self.live.add(op)
            self.work.append(op)

    def _require(self, op: Operation) -> None:
        """Mark what a live operation depends on."""
        around = op.parent_op()
        if around is not None and around is not self.function:
            self._mark(around)
        if type(op) in _YIELDS:
            last = op.regions[0].block.last_op
            assert last is not None
            self._mark(last)
        for operand in op.operands:
            if type(operand) is OpResult:
                self._mark(operand.op)
        if type(op) in _MEMORY:
            return
        written = WRITES.get(type(op), ())
        for number, operand in enumerate(op.operands):
            # An insertion tells whether the member was there, and a visit what there is, so they read the set as well.
            if number not in written or op.results or op.regions:
                for memory in _memories(operand):
                    for writer in () if memory is None else self.writers.get(memory, ()):
                        self._mark(writer)


def _erase(block: Block, live: set[Operation]) -> None:
    for op in reversed(operations_of(block)):
        if op not in live:
            _drop(op)
        else:
            for region in op.regions:
                for inner in region.blocks:
                    _erase(inner, live)


def _drop(op: Operation) -> None:
    for region in op.regions:
        for inner in region.blocks:
            for nested in reversed(operations_of(inner)):
                _drop(nested)
    erase_operation(op)
