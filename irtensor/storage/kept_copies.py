"""Copies of operands in other formats, kept as long as the operands and freed with them."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterable
from contextlib import suppress
from threading import RLock
from typing import Any

import numpy as np

from irtensor.storage.stored_tensor import StoredTensor


class _Guard:
    """A lock for the copies below, which a forked process has anew: the thread that held it may be gone there."""

    def __init__(self) -> None:
        self.renew()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.renew)

    def renew(self) -> None:
        # An operand may be freed, and its copies with it, in the middle of what has the lock.
        self.lock = RLock()


_guard = _Guard()
# By the id of the operand.
_kept: dict[int, KeptCopies] = {}
# By the id of the array that has the memory.
_locked: dict[int, _Lock] = {}


class _Lock:
    """Arrays of one memory that cannot be written to as long as `count` operands have copies."""

    def __init__(self, memory: np.ndarray) -> None:
        # It is held: no other array has its id meanwhile.
        self._memory, self.count = memory, 0
        self._arrays: list[np.ndarray] = []

    def add(self, array: np.ndarray) -> None:
        """Lock an array if it can be written to."""
        if array.flags.writeable:
            array.flags.writeable = False
            self._arrays.append(array)

    def release(self) -> None:
        """Let all arrays be written to, if no other operand has this lock.

        A view comes after the array that it is a view of, as NumPy asks for.
        """
        self.count -= 1
        if self.count:
            return
        _locked.pop(id(self._memory), None)
        arrays, self._arrays = self._arrays, []
        for array in sorted(arrays, key=lambda one: len(_bases(one))):
            # This runs when an operand is freed, where nothing may be raised.
            with suppress(ValueError):
                array.flags.writeable = True


class KeptCopies:
    """The copies of one operand by format, each with where it stores more than the operand.

    `decided` has what was decided for the operand's structure, and `taken` what stands for it, by who asked.
    As long as there is a copy, the values of the operand cannot be written to: a change would not reach the copy.
    """

    def __init__(self, operand: StoredTensor) -> None:
        self._number = number = id(operand)
        self.operand = weakref.ref(operand, lambda _: _forget(number))
        self.held = operand.held()
        self.decided: dict[Any, Any] = {}
        self.taken: dict[Any, Any] = {}
        self.copies: dict[Any, tuple[Any, Any]] = {}
        self._locks: list[_Lock] = []

    def keep(self, format: Any, copy: Any, added: Any, owner: Any) -> tuple[Any, Any]:
        """Keep a copy in a format; `owner` is what another library has the operand's memory as, if one has.

        Its `data` are locked as well.
        """
        with _guard.lock:
            # Where another thread has given back all copies, this one is for one call only.
            if _kept.get(self._number) is self:
                if not self.copies:
                    self._locks = _lock_arrays([self.held.values, getattr(owner, "data", None)])
                self.copies[format] = copy, added
            return copy, added

    def unlock(self) -> None:
        """Let the values be written to as before."""
        while self._locks:
            self._locks.pop().release()

    @property
    def nbytes(self) -> int:
        """Bytes of all copies."""
        return sum([copy.nbytes for copy, _ in list(self.copies.values())])


def copies_of(operand: StoredTensor) -> KeptCopies | None:
    """The copies of an operand; None if nothing was decided for the arrays that it has now."""
    known = _kept.get(id(operand))
    return known if known is not None and known.held is operand.held() and known.operand() is operand else None


def remember(operand: StoredTensor) -> KeptCopies:
    """The copies of an operand, which there may be from now on.

    What was decided for the same indices with other values holds on.
    """
    with _guard.lock:
        known = copies_of(operand)
        if known is None:
            before = _kept.get(id(operand))
            _forget(id(operand))
            known = _kept[id(operand)] = KeptCopies(operand)
            if before is not None and before.held.levels is known.held.levels:
                known.decided = before.decided
        return known


def copies_use() -> tuple[int, int]:
    """How many copies are kept, and their bytes."""
    known = list(_kept.values())
    return sum([len(one.copies) for one in known]), sum([one.nbytes for one in known])


def forget_copies() -> None:
    """Keep no copy of any operand."""
    for number in list(_kept):
        _forget(number)


def _forget(number: int) -> None:
    with _guard.lock:
        known = _kept.pop(number, None)
        if known is not None:
            known.unlock()


def _lock_arrays(arrays: Iterable[Any]) -> list[_Lock]:
    """Lock arrays and all that they are views of; the locks of their memories, each of them once."""
    locks: dict[int, _Lock] = {}
    for array in arrays:
        if isinstance(array, np.ndarray):
            every = [array, *_bases(array)]
            number = id(every[-1])
            if number not in locks:
                locks[number] = lock = _locked.get(number) or _Lock(every[-1])
                lock.count += 1
                # The last operand with this memory may have been freed a moment ago.
                _locked[number] = lock
            for one in every:
                locks[number].add(one)
    return [*locks.values()]


def _bases(array: np.ndarray) -> list[np.ndarray]:
    """The arrays that an array is a view of; the last one has the memory."""
    found: list[np.ndarray] = []
    while isinstance(array.base, np.ndarray):
        array = array.base
        found.append(array)
    return found
