"""Copies of operands in other formats, kept as long as the operands and freed with them."""

from __future__ import annotations

import os
import weakref
from threading import RLock
from typing import Any

import numpy as np

from irtensor.stored_arrays import StoredArrays


class _Guard:
    """A lock for what is below, which a forked process has anew: the thread that held it may be gone there."""

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
# Arrays that copies have locked, by id, with how many copies did.
_locked: dict[int, tuple[np.ndarray, int]] = {}


class KeptCopies:
    """The copies of one operand by format, each with where it stores more than the operand.

    `decided` has what was decided for the operand's structure, and `taken` what stands for it, by who asked.
    As long as there is a copy, the values of the operand cannot be written to: a change would not reach the copy.
    """

    def __init__(self, operand: StoredArrays) -> None:
        self._number = number = id(operand)
        self.operand = weakref.ref(operand, lambda _: _forget(number))
        self.held = operand.held()
        self.decided: dict[Any, Any] = {}
        self.taken: dict[Any, Any] = {}
        self.copies: dict[Any, tuple[Any, Any]] = {}
        self._arrays: list[np.ndarray] = []

    def keep(self, format: Any, copy: Any, added: Any, owner: Any) -> tuple[Any, Any]:
        """Keep a copy in a format; `owner` is what another library has the operand's memory as, if one has.

        Its `data` are locked as well.
        """
        with _guard.lock:
            # Where another thread has given back all copies, this one is for one call only.
            if _kept.get(self._number) is self:
                if not self.copies:
                    self._arrays = _arrays_of(self.held.values, owner)
                    for array in self._arrays:
                        _lock_array(array)
                self.copies[format] = copy, added
            return copy, added

    def unlock(self) -> None:
        """Let the values be written to as before."""
        while self._arrays:
            _unlock_array(self._arrays.pop())

    @property
    def nbytes(self) -> int:
        """Bytes of all copies."""
        return sum([copy.nbytes for copy, _ in list(self.copies.values())])


def copies_of(operand: StoredArrays) -> KeptCopies | None:
    """The copies of an operand; None if nothing was decided for the arrays that it has now."""
    known = _kept.get(id(operand))
    return known if known is not None and known.held is operand.held() and known.operand() is operand else None


def remember(operand: StoredArrays) -> KeptCopies:
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


def _arrays_of(values: np.ndarray, owner: Any) -> list[np.ndarray]:
    """The arrays through which values are written to, as far as they are known; what has the memory comes last."""
    found: list[np.ndarray] = []
    for start in (getattr(owner, "data", None), values):
        array = start
        while isinstance(array, np.ndarray) and not any([array is one for one in found]):
            found.append(array)
            array = array.base
    return sorted(found, key=_depth, reverse=True)


def _depth(array: np.ndarray) -> int:
    """How many other arrays it is a view of."""
    depth = 0
    while isinstance(array.base, np.ndarray):
        array, depth = array.base, depth + 1
    return depth


def _lock_array(array: np.ndarray) -> None:
    known = _locked.get(id(array))
    if known is not None:
        _locked[id(array)] = array, known[1] + 1
    elif array.flags.writeable:
        array.flags.writeable = False
        _locked[id(array)] = array, 1


def _unlock_array(array: np.ndarray) -> None:
    known = _locked.pop(id(array), None)
    if known is None:
        return
    if known[1] > 1:
        _locked[id(array)] = array, known[1] - 1
    else:
        # A view can be written to again only where the array that it is a view of can: that one comes first.
        array.flags.writeable = True
