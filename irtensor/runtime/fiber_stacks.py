"""Memory for the stacks of fibers, which a process keeps for the next ones."""

from __future__ import annotations

import ctypes
import mmap
import os


class FiberStacks:
    """Stacks of one size, each behind a page that nobody can touch: a fiber that needs more ends the process there.

    A fork leaves each process its own.
    """

    def __init__(self, count: int, size: int) -> None:
        """Raises MemoryError."""
        self.count = count
        self.size = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
        # From one stack to the next.
        self.distance = self.size + mmap.PAGESIZE
        total = count * self.distance
        try:
            self._memory = mmap.mmap(-1, total, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        except (OSError, OverflowError) as error:
            raise MemoryError(f"no memory for {count} stacks of {self.size} bytes") from error
        self._pin = ctypes.c_char.from_buffer(self._memory)
        self.address = ctypes.addressof(self._pin)
        protect = ctypes.CDLL(None, use_errno=True).mprotect
        protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        for number in range(count):
            # No access, which has no name in `mmap`.
            if protect(self.address + number * self.distance, mmap.PAGESIZE, 0):
                raise MemoryError(f"no page between stacks: {os.strerror(ctypes.get_errno())}")


_kept: FiberStacks | None = None


def fiber_stacks(count: int, size: int) -> FiberStacks:
    """At least so many stacks of so many bytes: those of the last time, or larger ones in place of them.

    One caller at a time uses them. Raises MemoryError.
    """
    global _kept
    found = _kept
    if found is None or found.count < count or found.size < size:
        if found is not None:
            count, size = max(count, found.count), max(size, found.size)
        found = _kept = FiberStacks(count, size)
    return found
