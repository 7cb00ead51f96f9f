"""What the threads of a block or a team do with memory: which of it, and whether another thread may touch the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import MemoryWriteEffect

from irtensor.dialects.buffer_uses import may_write
from irtensor.dialects.is_inside import is_inside
from irtensor.dialects.loop import AtomicOp, BufferType, ForOp, IndexMapType, IndexSetType, LoadOp, StoreOp, ViewOp
from irtensor.dialects.loop_parallel import ParallelOp
from irtensor.passes.loop.simplify_loops import is_pure

_MEMORY = (BufferType, IndexSetType, IndexMapType)
_CHOICE = "arith.select"
# All threads do it alike, or one of them does it for all.
ALL, LEADER = "all", "leader"
Key = tuple[object, ...]


@dataclass(frozen=True)
class Access:
    """One piece of memory, whether it is written, and by which threads.

    `place` says which element it is for each unit, as an expression of the unit's number: two accesses of the same
    place by the same units are by the same thread, if one of them writes. It is None where that is not known.
    """

    root: SSAValue
    writes: bool
    atomic: bool
    by: object
    place: Key | None = None
    # What the place depends on beside the number of the unit.
    used: tuple[SSAValue, ...] = ()

    def carried(self, loop: Operation) -> Access:
        """The access of an iteration before: its place is another one if it depends on the iteration."""
        known = not any(is_inside(value, loop) for value in self.used)
        return self if known else replace(self, place=None, used=())


def conflict(first: Access, second: Access) -> bool:
    """Whether one thread has to wait for another between two accesses."""
    if first.root is not second.root or not (first.writes or second.writes):
        return False
    if first.atomic and second.atomic:
        return False
    if first.by == second.by == LEADER:
        return False
    same = first.place is not None and first.place == second.place
    return not (same and first.by == second.by and not (first.atomic or second.atomic))


def roots_of(value: SSAValue) -> Iterator[SSAValue]:
    """The memory that a buffer, a set or a map may be a part of."""
    owner = value.owner
    if isinstance(owner, ViewOp):
        yield from roots_of(owner.buffer)
    elif isinstance(owner, Operation) and owner.name == _CHOICE:
        yield from roots_of(owner.operands[1])
        yield from roots_of(owner.operands[2])
    elif isinstance(value.type, IndexSetType | IndexMapType) and isinstance(owner, Operation):
        memory = [operand for operand in owner.operands if isinstance(operand.type, BufferType)]
        for operand in memory:
            yield from roots_of(operand)
        if not memory:
            yield value
    else:
        yield value


def accesses_of(op: Operation) -> Iterator[Access]:
    """What an operation between loops on units does, and all in its regions."""
    if isinstance(op, ParallelOp):
        for inner in op.body.walk():
            yield from _accesses(inner, op)
        return
    for inner in op.walk():
        yield from _accesses(inner, None)


def _accesses(op: Operation, loop: ParallelOp | None) -> Iterator[Access]:
    if isinstance(op, ViewOp):
        return
    for number, operand in enumerate(op.operands):
        if not isinstance(operand.type, _MEMORY):
            continue
        writes = op.has_trait(MemoryWriteEffect) and any(
            use.operation is op and use.index == number and may_write(use) for use in operand.uses
        )
        by: object = loop.properties["on"] if loop is not None else (LEADER if writes else ALL)
        place = _place(op, loop) if loop is not None else None
        for root in roots_of(operand):
            key, used = (None, ()) if place is None else place
            yield Access(root, writes, isinstance(op, AtomicOp), by, key, used)


def _place(op: Operation, loop: ParallelOp) -> tuple[Key, tuple[SSAValue, ...]] | None:
    """Where in memory an element is, as an expression of the number of the unit; None for anything but elements."""
    if not isinstance(op, LoadOp | StoreOp):
        return None
    index, buffer = (op.index, op.buffer)
    used: dict[SSAValue, None] = {}
    first = _expression(index, loop, used)
    second = _base(buffer, loop, used)
    return None if first is None or second is None else ((first, second), tuple(used))


def _base(buffer: SSAValue, loop: ParallelOp, used: dict[SSAValue, None]) -> Key | None:
    owner = buffer.owner
    if isinstance(owner, ViewOp):
        first, base = _expression(owner.first, loop, used), _base(owner.buffer, loop, used)
        return None if first is None or base is None else ("view", first, base)
    if is_inside(buffer, loop):
        return None
    used[buffer] = None
    return (buffer,)


def _expression(value: SSAValue, loop: ParallelOp, used: dict[SSAValue, None]) -> Key | None:
    """What computes a value inside of a loop, by which equal ones are recognised."""
    if value is loop.induction:
        return ("unit",)
    if not is_inside(value, loop):
        used[value] = None
        return (value,)
    owner = value.owner
    if isinstance(owner, Block):
        around = owner.parent_op()
        if not isinstance(around, ForOp):
            return None
        parts = [_expression(bound, loop, used) for bound in (around.lower, around.upper)]
        return None if None in parts else ("each", *parts)
    if not is_pure(owner) or owner.regions:
        return None
    parts = [_expression(operand, loop, used) for operand in owner.operands]
    if None in parts:
        return None
    return (owner.name, tuple(sorted((name, str(one)) for name, one in owner.properties.items())), *parts)
