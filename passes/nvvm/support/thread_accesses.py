"""What the threads of a block or a team do with memory: which of it, and whether another thread may touch the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import MemoryWriteEffect

from irtensor.dialects.loop.buffer_uses import may_write
from irtensor.dialects.loop.loop import AtomicOp, BufferType, IndexMapType, IndexSetType, LoadOp, StoreOp, ViewOp
from irtensor.dialects.loop.loop_parallel import ParallelOp
from irtensor.dialects.support.constant_index import constant_index
from irtensor.dialects.support.is_inside import is_inside
from irtensor.passes.loop.support.memory_roots import roots_of
from irtensor.passes.support.operations_in import everything_in

_MEMORY = (BufferType, IndexSetType, IndexMapType)
_CHOICE = "arith.select"
# All threads do it alike, or one of them does it for all.
ALL, LEADER = "all", "leader"
Key = tuple[object, ...]
# How often each value is a part of a sum; the number itself for None.
_Terms = dict[SSAValue | None, int]


class Access(NamedTuple):
    """One piece of memory, whether it is written, and by which threads.

    `location` says which elements are which unit's: two accesses of the same location by the same units touch an
    element only if they are by the same thread. It is None where that is not known.
    """

    root: SSAValue
    writes: bool
    atomic: bool
    by: object
    location: Key | None = None
    # The values that the location depends on beside the number of the unit.
    used: tuple[SSAValue, ...] = ()

    def carried(self, loop: Operation) -> Access:
        """The access of an iteration before: its location is another one if it depends on the iteration."""
        known = not any(is_inside(value, loop) for value in self.used)
        return self if known else self._replace(location=None, used=())


def conflict(first: Access, second: Access) -> bool:
    """Whether one thread has to wait for another between two accesses."""
    if first.root is not second.root or not (first.writes or second.writes):
        return False
    if first.atomic and second.atomic:
        return False
    if first.by == second.by == LEADER:
        return False
    same = first.location is not None and first.location == second.location
    return not (same and first.by == second.by and not (first.atomic or second.atomic))


def accesses_of(op: Operation) -> Iterator[Access]:
    """What an operation between loops on units does, and all in its regions."""
    if isinstance(op, ParallelOp):
        for inner in everything_in(op.body):
            yield from _accesses(inner, op)
        return
    # Most operations are arithmetic.
    for inner in everything_in(op) if op.regions else (op,):
        yield from _accesses(inner, None)


def _accesses(op: Operation, loop: ParallelOp | None) -> Iterator[Access]:
    if type(op) is ViewOp:
        return
    for number, operand in enumerate(op.operands):
        if type(operand.type) not in _MEMORY:
            continue
        writes = op.has_trait(MemoryWriteEffect) and any(
            use.operation is op and use.index == number and may_write(use) for use in operand.uses
        )
        by: object = loop.properties["on"] if loop is not None else (LEADER if writes else ALL)
        location = _location(op, loop) if loop is not None else None
        for root in roots_of(operand):
            key, used = (None, ()) if location is None else location
            yield Access(root, writes, isinstance(op, AtomicOp), by, key, used)


def _location(op: Operation, loop: ParallelOp) -> tuple[Key, tuple[SSAValue, ...]] | None:
    """Where in memory an element is, by the number of the unit; None for anything but elements, or if it is not known.

    It is the term added to the number of the unit, and to multiples of how many units there are: an element is one of
    the unit whose number is left when it is divided, however far the loops inside go.
    """
    if not isinstance(op, LoadOp | StoreOp):
        return None
    terms = _terms(op.index, loop)
    base = op.buffer
    while isinstance(base.owner, ViewOp):
        terms = _sum(terms, _terms(base.owner.first, loop), 1)
        base = base.owner.buffer
    count = constant_index(loop.upper)
    if terms is None or is_inside(base, loop) or count is None or terms.pop(loop.induction, 0) != 1:
        return None
    for value in [value for value in terms if value is not None and is_inside(value, loop)]:
        if terms.pop(value) % count:
            return None
    used = [value for value in terms if value is not None]
    return (base, frozenset(terms.items())), (base, *used)


def _terms(value: SSAValue, loop: ParallelOp) -> _Terms | None:
    """The terms of an index, and how often each is added; None where a part is computed otherwise."""
    known = constant_index(value)
    if known is not None:
        return {None: known}
    owner = value.owner
    if not is_inside(value, loop) or isinstance(owner, Block):
        return {value: 1}
    if isinstance(owner, arith.AddiOp | arith.SubiOp):
        first, second = (_terms(operand, loop) for operand in owner.operands)
        return _sum(first, second, 1 if isinstance(owner, arith.AddiOp) else -1)
    if isinstance(owner, arith.MuliOp):
        for one, other in (owner.operands, reversed(owner.operands)):
            factor = constant_index(other)
            if factor is not None:
                return _sum({}, _terms(one, loop), factor)
    return None


def _sum(first: _Terms | None, second: _Terms | None, factor: int) -> _Terms | None:
    if first is None or second is None:
        return None
    result = dict(first)
    for value, count in second.items():
        result[value] = result.get(value, 0) + factor * count
    return {value: count for value, count in result.items() if count}
