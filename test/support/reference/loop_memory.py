"""Memory of the `loop` dialect as the interpreter has it: growables, sets and parts of long buffers."""

from __future__ import annotations

from typing import Any

import numpy as np


class OutOfBounds(IndexError):
    """A kernel touched memory outside a buffer."""


class Growable:
    """A growable slot: its contents, and how many elements of them count."""

    def __init__(self, dtype: np.dtype[Any] | str, limit: int | None = None) -> None:
        self.storage = np.zeros(0, dtype)
        self.size = 0
        self.limit = limit
        self.parts: dict[int, Growable] = {}

    def part(self, number: int) -> Growable:
        """What part `number` of a divided loop appends to."""
        return self.parts.setdefault(number, Growable(self.storage.dtype, self.limit)) if number else self

    @property
    def contents(self) -> np.ndarray[Any, Any]:
        return self.storage[: self.size]


class Window:
    """The only elements of a long buffer that are touched: those of an array, of which the first is at `first`."""

    def __init__(self, array: np.ndarray[Any, Any], first: int) -> None:
        self.array = array
        self.first = first

    @property
    def itemsize(self) -> int:
        return self.array.itemsize

    def __len__(self) -> int:
        return self.first + len(self.array)

    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice) and place.start < self.first:
            return Window(self.array, self.first - place.start)
        return self.array[self._shifted(place)]

    def __setitem__(self, place: int | slice, value: Any) -> None:
        self.array[self._shifted(place)] = value

    def _shifted(self, place: int | slice) -> int | slice:
        if isinstance(place, slice):
            return slice(place.start - self.first, place.stop - self.first)
        return place - self.first


Buffer = np.ndarray[Any, Any] | Window


class IndexSet:
    """A set of integers below an extent."""

    def __init__(self, extent: int) -> None:
        self.extent = extent
        self.members: set[int] = set()

    def insert(self, member: int) -> bool:
        if not 0 <= member < self.extent:
            raise OutOfBounds(f"{member} is put into a set of integers below {self.extent}")
        present = member in self.members
        self.members.add(member)
        return present

    def remove(self, member: int) -> bool:
        if not 0 <= member < self.extent:
            raise OutOfBounds(f"{member} is taken out of a set of integers below {self.extent}")
        present = member in self.members
        self.members.discard(member)
        return present

    def list_into(self, buffer: np.ndarray[Any, Any], drain: bool) -> int:
        if max(len(self.members), 1) > len(buffer):
            raise OutOfBounds(f"{len(self.members)} members are listed in a buffer of {len(buffer)} elements")
        count = len(self.members)
        buffer[0] = 0
        buffer[:count] = sorted(self.members)
        if drain:
            self.members.clear()
        return count
