"""Lists that parts of a divided loop append to: most calls are like the one before, so lists keep their memory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

import numpy as np

from irtensor.runtime.result_memory import LARGEST_SPARE, RESULT_MEMORY, SLOT_BYTES, SLOT_WORDS, new_slots

# From so many entries on, parts of a divided loop are lent memory: before, making it costs less than lending it.
_MANY_ENTRIES = 1 << 17


class PartLists:
    """Slots of the growables of a result, and behind them those of its parts after the first, which append to lists.

    A kernel joins the lists to the result. What it did not make larger stays as it is for the next call: to give back
    and lend dozens of lists takes longer than many kernels run. `widths` are the growables' bytes per element.
    """

    def __init__(self, widths: Sequence[int], parts: int) -> None:
        self.widths = widths
        self.parts = parts
        self.slots = new_slots(len(widths) * parts)
        # The slots of parts after the first, as bytes, which are compared faster than numbers are.
        self._others = memoryview(self.slots).cast("B")[SLOT_BYTES * len(widths) :]
        self._unused = bytes(len(self._others))
        # The contents of these slots when no list has grown; for how many entries, and how many bytes the lists have.
        self._given = self._unused
        self._entries = 0
        self.size = 0
        # Whether the pool counts the lists as unused memory, and whether it knows them.
        self.is_kept = self.is_listed = False

    def lend(self, growth: dict[int, float], entries: int) -> None:
        """Give lists memory for a result of so many operand entries; `growth` says what they need for each, by slot."""
        if self._entries >= entries > self._entries // LARGEST_SPARE:
            return
        self.take_back()
        if self.parts == 1 or entries < _MANY_ENTRIES:
            return
        # What parts grew themselves would be touched for the first time.
        for number, factor in tuple(growth.items()):
            if number < self.parts * len(self.widths):
                width = self.widths[number % len(self.widths)]
                RESULT_MEMORY.lend(
                    self.slots, number, width, min(round(factor * entries), RESULT_MEMORY.bound // width)
                )
                self.size += width * self.slots[SLOT_WORDS * number + 1]
        self._given = bytes(self._others)
        self._entries = entries

    def settle(self, growth: dict[int, float], entries: int) -> None:
        """After a kernel: note how large lists have become, and take their memory back if any has grown."""
        if bytes(self._others) == self._given:
            return
        rooms, given = (np.frombuffer(slots, np.int64)[1::SLOT_WORDS] for slots in (self._others, self._given))
        # There are far more parts that may be than that are.
        for number in np.flatnonzero(rooms > given).tolist():
            if entries >= _MANY_ENTRIES:
                growth[number + len(self.widths)] = int(rooms[number]) / entries
        self.take_back()

    def leave(self) -> None:
        """Give back lent memory; `settle` has given back grown lists."""
        if self.size:
            self.take_back()

    def take_back(self) -> None:
        """Give the memory of the lists back to the pool."""
        RESULT_MEMORY.use(self)
        if bytes(self._others) != self._unused:
            count = len(self.widths)
            addresses = np.frombuffer(self._others, np.int64)[::SLOT_WORDS]
            for number in np.flatnonzero(addresses).tolist():
                RESULT_MEMORY.discard(self.slots, number + count, self.widths[number % count])
        self._given = self._unused
        self._entries = self.size = 0

    def __del__(self, is_ending: Callable[[], bool] = sys.is_finalizing) -> None:
        # When the interpreter ends, modules may have lost their names already, and all memory goes back.
        if not is_ending():
            self.take_back()
