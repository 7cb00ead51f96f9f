"""Which cells and arrays operations read and write, and which of them may be exchanged."""

from __future__ import annotations

from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from irtensor.dialects.loop.loop import (
    CellOp,
    ConditionOp,
    CopyOp,
    DataOp,
    FillOp,
    ForOp,
    GetOp,
    IfOp,
    LoadOp,
    LowerBoundOp,
    ScratchOp,
    SetOp,
    StoreOp,
    UpperBoundOp,
    WhileOp,
)
from irtensor.dialects.loop.loop_memory import ORDERED
from irtensor.passes.cleanup.simplify_loops import is_pure
from irtensor.passes.support.operations_in import is_argument

# The numbers of the operands that each kind reads from, and of those that it writes to.
_OPERANDS: dict[type[Operation], tuple[tuple[int, ...], tuple[int, ...]]] = {
    ForOp: ((), ()),
    WhileOp: ((), ()),
    ConditionOp: ((), ()),
    IfOp: ((), ()),
    GetOp: ((0,), ()),
    SetOp: ((), (1,)),
    LoadOp: ((0,), ()),
    LowerBoundOp: ((0,), ()),
    UpperBoundOp: ((0,), ()),
    StoreOp: ((), (1,)),
    FillOp: ((), (1,)),
    CopyOp: ((0,), (2,)),
    DataOp: ((0,), ()),
}


class Effects(NamedTuple):
    """Cells and arrays that are read, and that are written."""

    reads: frozenset[SSAValue]
    writes: frozenset[SSAValue]

    def conflict_with(self, other: Effects) -> bool:
        """Whether the order of two operations makes a difference."""
        return bool(self.writes & (other.reads | other.writes) or self.reads & other.writes)


def only_computes(op: Operation) -> bool:
    """Whether an operation only computes a value from its operands."""
    return is_pure(op) or op.name.startswith(("math.", "complex."))


def effects_of(*operations: Operation) -> Effects | None:
    """What operations and all inside of them do; None if that is not known."""
    reads: set[SSAValue] = set()
    writes: set[SSAValue] = set()
    for op in (inner for operation in operations for inner in operation.walk()):
        if type(op) is CellOp:
            writes.add(op.cell)
        elif (numbers := _OPERANDS.get(type(op))) is not None and ORDERED not in op.attributes:
            read, written = ([memory_behind(op.operands[number]) for number in part] for part in numbers)
            if None in read or None in written:
                return None
            reads.update(memory for memory in read if memory is not None)
            writes.update(memory for memory in written if memory is not None)
        elif not only_computes(op):
            return None
    return Effects(frozenset(reads), frozenset(writes))


def memory_behind(value: SSAValue) -> SSAValue | None:
    """A cell, an array of the caller, or memory of the function, under one name; None if it may have others."""
    if isinstance(value.owner, DataOp):
        value = value.owner.growable
    owner = value.owner
    return value if is_argument(value) or isinstance(owner, CellOp | ScratchOp) else None
