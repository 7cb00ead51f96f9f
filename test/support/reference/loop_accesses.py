"""Which iterations of the parallel loops around touch which elements: two that meet in one are a race."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from reference.loop_memory import Buffer, OutOfBounds, Window
from xdsl.ir import Operation

from irtensor.dialects.loop.loop import BufferType, UnitsAttr

READ, WRITE, ATOMIC = "reads", "writes", "updates"
# What one iteration does to an element that another one must not do as well.
_AGAINST = {READ: (WRITE, ATOMIC), WRITE: (READ, WRITE, ATOMIC), ATOMIC: (READ, WRITE)}


class Race(Exception):
    """Two iterations of a parallel loop touch one element, at least one writes it, and not both atomically."""


class _Access(NamedTuple):
    iteration: int
    how: str
    op: Operation


class _Loop:
    """What iterations of one run of a parallel loop have touched so far."""

    def __init__(self, op: Operation) -> None:
        self.op = op
        self.iteration = 0
        # By address and by what was done: the first accesses of two different iterations, which are enough to find any.
        self.touched: dict[int, dict[str, list[_Access]]] = {}
        # Memory with ordered loads and stores, and per iteration those whose stores it has seen by such loads.
        self.ordered: set[int] = set()
        self.stored: dict[int, set[int]] = {}
        self.seen: dict[int, set[int]] = {}

    def touch(self, address: int, how: str, op: Operation) -> _Access | None:
        """Note an access; one of another iteration that it races with, if there is one."""
        done = self.touched.setdefault(address, {})
        seen = self.seen.get(self.iteration, ())
        for other in _AGAINST[how]:
            for access in done.get(other, ()):
                if access.iteration != self.iteration and access.iteration not in seen:
                    return access
        accesses = done.setdefault(how, [])
        if len(accesses) < 2 and all(access.iteration != self.iteration for access in accesses):
            accesses.append(_Access(self.iteration, how, op))
        return None

    def touch_in_order(self, address: int, how: str, memory: int) -> None:
        """An ordered store tells the iterations that load it all that was stored before."""
        self.ordered.add(memory)
        seen = self.seen.setdefault(self.iteration, set())
        if how == WRITE:
            self.stored[address] = {self.iteration, *seen}
        else:
            seen |= self.stored.get(address, set())


class Accesses:
    """Checks every access of a call: that it is inside of the buffer, and that no two iterations race.

    Iterations of a loop at any level count: of one on blocks as well as of those on teams, lanes or threads in it.
    Elements of `loop.private`, which each part may have of its own, are not checked.
    """

    def __init__(self) -> None:
        self._loops: list[_Loop] = []
        self._private: list[range] = []
        # Memory that was touched, so that none of it is given back and made again as other memory.
        self._kept: dict[int, Any] = {}

    def iterations(self, op: Operation, order: Iterable[int]) -> Iterator[int]:
        """The iterations of a parallel loop, each of which is under way until the next is asked for."""
        loop = _Loop(op)
        self._loops.append(loop)
        for loop.iteration in order:
            yield loop.iteration
        self._loops.pop()
        if not self._loops:
            self._kept.clear()
            self._private.clear()

    def make_private(self, buffer: Buffer, lower: int, upper: int) -> None:
        """Let elements be those of each part."""
        address = _address(buffer)
        self._private.append(range(address + lower * buffer.itemsize, address + upper * buffer.itemsize))

    def check(self, op: Operation, buffer: Buffer, lower: int, upper: int) -> None:
        """Raise OutOfBounds unless the elements are those of a buffer."""
        first = buffer.first if isinstance(buffer, Window) else 0
        if lower < first or upper > len(buffer):
            message = f"{op.name} touches [{lower}, {upper}) of a buffer of {len(buffer)} elements: {op}"
            raise OutOfBounds(message)

    def touch(self, op: Operation, buffer: Buffer, lower: int, upper: int, how: str, *, ordered: bool = False) -> None:
        """Note that an operation touches elements. Raises OutOfBounds or Race."""
        self.check(op, buffer, lower, upper)
        if not self._loops:
            return
        memory = id(_memory(buffer))
        self._kept[memory] = _memory(buffer)
        start = _address(buffer)
        for index in range(lower, upper):
            address = start + index * buffer.itemsize
            if any(address in private for private in self._private):
                continue
            for loop in self._loops:
                if ordered:
                    loop.touch_in_order(address, how, memory)
                elif memory not in loop.ordered and (other := loop.touch(address, how, op)) is not None:
                    raise Race(_message(loop, other, op, how, _place(op, buffer, address)))


def _memory(buffer: Buffer) -> np.ndarray[Any, Any]:
    """The array that a buffer is a part of."""
    array = buffer.array if isinstance(buffer, Window) else buffer
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _address(buffer: Buffer) -> int:
    """Where element 0 is, or would be."""
    if isinstance(buffer, Window):
        return _address(buffer.array) - buffer.first * buffer.itemsize
    return buffer.__array_interface__["data"][0]


def _place(op: Operation, buffer: Buffer, address: int) -> str:
    names = [operand.name_hint for operand in op.operands if isinstance(operand.type, BufferType)]
    return f"element {(address - _address(buffer)) // buffer.itemsize} of %{names[-1] if names else ''}"


def _message(loop: _Loop, other: _Access, op: Operation, how: str, place: str) -> str:
    induction, units = loop.op.regions[0].block.args[0].name_hint, loop.op.properties.get("on")
    on = f" on {units.word}" if isinstance(units, UnitsAttr) else ""
    return (
        f"race of iterations of the parallel loop %{induction}{on}: {other.iteration} {other.how} and "
        f"{loop.iteration} {how} {place}:\n  {other.op}\n  {op}"
    )
