"""Memory of results: NumPy arrays over malloc'ed blocks that go back to a pool when their last view dies.

Touching fresh memory for the first time costs more than most kernels run, so blocks are kept warm. The memory that a
kernel grew itself becomes an array without a copy, and joins the pool later.
"""

from __future__ import annotations

import ctypes
import os
from collections import deque
from collections.abc import Sequence
from functools import cache, lru_cache
from threading import RLock
from typing import Any, NamedTuple, Protocol
from weakref import WeakSet

import numpy as np

# Below this NumPy's own allocator is faster, and its memory is warm.
SMALLEST_BLOCK = 16 * 1024
HUGE_PAGE = 2 * 1024 * 1024
DEFAULT_BOUND = 1 << 30
_MADV_HUGEPAGE = 14
SLOT_WORDS = 3
SLOT_BYTES = 8 * SLOT_WORDS
# Less data is copied out of its block, which the next result uses again: to lend a block takes longer than the copy.
COPIED_BELOW = 16 * SMALLEST_BLOCK
# How many times larger than its part in use a block of a growable may be.
LARGEST_SPARE = 16
# A block is old once so many times its size came back to the pool after it.
LARGEST_AGE = 32

Array = np.ndarray[Any, Any]


def _load_libc() -> Any:
    libc = ctypes.CDLL(None)
    libc.malloc.restype = libc.realloc.restype = ctypes.c_void_p
    libc.malloc.argtypes = [ctypes.c_size_t]
    libc.realloc.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    libc.free.argtypes = [ctypes.c_void_p]
    libc.posix_memalign.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t]
    return libc


_libc = _load_libc()
_madvise = getattr(_libc, "madvise", None)
if _madvise is not None:
    _madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


class _Block(np.ndarray[Any, Any]):
    """The bytes of one handed-out block; every view of a result keeps it alive, and its death gives the block back."""

    __slots__ = ("_memory", "_pool")

    def __del__(self) -> None:
        # A view of the block has the slots as well, but not their values.
        memory = getattr(self, "_memory", None)
        if memory is not None:
            self._pool._take_back(memory)


class Keeper(Protocol):
    """Who keeps memory between calls: `size` bytes, which the pool counts as unused if `is_kept`.

    With `is_listed`, the pool can ask for it.
    """

    size: int
    is_kept: bool
    is_listed: bool

    def take_back(self) -> None: ...


class _Unused(NamedTuple):
    """A block of the pool, and how many bytes had come back in all when it did."""

    memory: Any
    returned_bytes: int


class ResultMemory:
    """A pool of blocks in size classes, four to each power of two, holding at most `bound` unused bytes.

    A class hands out the block that came back last. A block that has long been the oldest of its class goes back to the
    system: the class has held more than anybody asked for.
    """

    def __init__(self, bound: int = DEFAULT_BOUND) -> None:
        self.bound = bound
        self.unused_bytes = 0
        self._free: dict[int, deque[_Unused]] = {}
        self._returned_bytes = 0
        self._keepers: WeakSet[Keeper] = WeakSet()
        # A garbage collection inside a locked region may give back a block, hence reentrant.
        self._lock = RLock()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._renew_lock)

    def _renew_lock(self) -> None:
        self._lock = RLock()

    @property
    def unused_blocks(self) -> int:
        """How many blocks `unused_bytes` are, those of keepers included."""
        with self._lock:
            return sum(map(len, self._free.values())) + sum([keeper.is_kept for keeper in self._keepers])

    def empty(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """An uninitialised C-ordered array; raises MemoryError if it does not fit in memory."""
        size = dtype.itemsize
        for extent in shape:
            size *= extent
        if size < SMALLEST_BLOCK:
            return np.empty(shape, dtype)
        return np.ndarray(shape, dtype, self._hand_out(self._obtain(_class_above(size)), size))

    def lend(self, slots: Any, number: int, itemsize: int, elements: int) -> None:
        """Give growable `number` warm memory for at least `elements` elements, so that it rarely has to grow.

        `slots` comes from `new_slots`. The memory belongs to the slot until `adopt` or `discard`.
        """
        size = elements * itemsize
        size = SMALLEST_BLOCK if size <= SMALLEST_BLOCK else _class_above(size)
        # A larger block is as good: its unused part costs address space only. A much larger one would be cut
        # when the little that is used is handed out, and be missing, as warm memory, for one that needs all of it.
        memory = self._obtain(size, 2 * size)
        first = SLOT_WORDS * number
        slots[first] = ctypes.addressof(memory)
        slots[first + 1] = len(memory) // itemsize
        slots[first + 2] = 0

    def adopt(self, slots: Any, number: int, dtype: np.dtype[Any]) -> Array:
        """The elements in use of growable `number` as an array, without a copy; the slot is empty afterwards."""
        first = SLOT_WORDS * number
        address, count = slots[first], slots[first + 2]
        room = slots[first + 1] * dtype.itemsize
        slots[first] = slots[first + 1] = slots[first + 2] = 0
        used = count * dtype.itemsize
        if used < COPIED_BELOW:
            if not address:
                return np.empty(0, dtype)
            memory = _memory_at(address, room)
            result = np.frombuffer(memory[:used], dtype).copy()
            self._take_back(memory)
            return result
        # The rest of a block is not touched, so it costs little; a block of the same size is asked for next time.
        if room > most_kept(used):
            moved = _libc.realloc(address, used)
            address, room = (moved, used) if moved else (address, room)
        memory = _memory_at(address, room)
        assert memory is not None
        return np.ndarray((count,), dtype, self._hand_out(memory, used))

    def view(self, slots: Any, number: int, dtype: np.dtype[Any]) -> Array:
        """All elements that growable `number` has room for; valid while the memory belongs to the slot."""
        address, capacity, _ = slots[SLOT_WORDS * number : SLOT_WORDS * (number + 1)]
        return np.frombuffer(_memory_at(address, capacity * dtype.itemsize), dtype)

    def discard(self, slots: Any, number: int, itemsize: int) -> None:
        """Take back the memory of growable `number`, as after a failed kernel."""
        first = SLOT_WORDS * number
        memory = _memory_at(slots[first], slots[first + 1] * itemsize)
        slots[first] = slots[first + 1] = slots[first + 2] = 0
        if memory is not None:
            self._take_back(memory)

    def keep(self, keeper: Keeper) -> bool:
        """Leave memory where it is until `use`, or until `clear` takes it back; says whether so much may be unused."""
        with self._lock:
            keeper.is_kept = self.unused_bytes + keeper.size <= self.bound
            if keeper.is_kept:
                self.unused_bytes += keeper.size
                # It stays in the list until it dies: calls have no time to take it out and put it in again.
                if not keeper.is_listed:
                    self._keepers.add(keeper)
                    keeper.is_listed = True
        return keeper.is_kept

    def use(self, keeper: Keeper) -> None:
        """Memory that was kept, if it was, is used again."""
        with self._lock:
            if keeper.is_kept:
                keeper.is_kept = False
                self.unused_bytes -= keeper.size

    def clear(self) -> None:
        """Return all unused memory to the system."""
        with self._lock:
            for keeper in tuple(self._keepers):
                if keeper.is_kept:
                    keeper.take_back()
            blocks = [unused.memory for free in self._free.values() for unused in free]
            self._free.clear()
            self.unused_bytes = 0
        for memory in blocks:
            _libc.free(ctypes.addressof(memory))

    def _hand_out(self, memory: Any, size: int) -> _Block:
        block = np.ndarray.__new__(_Block, (size,), np.uint8, memory)
        block._memory = memory
        block._pool = self
        return block

    def _obtain(self, size: int, largest: int = 0) -> Any:
        """A block of a size class, or of one up to `largest` bytes; a warm one if there is any."""
        with self._lock:
            free = self._free.get(size)
            if not free and largest:
                fitting = [held for held, blocks in self._free.items() if blocks and size < held <= largest]
                free = self._free[min(fitting)] if fitting else None
            if free:
                memory = free.pop().memory
                self.unused_bytes -= len(memory)
                return memory
        try:
            return _allocate(size)
        except MemoryError:
            self.clear()
            return _allocate(size)

    def _take_back(self, memory: Any) -> None:
        size = len(memory)
        size_class = size if size == SMALLEST_BLOCK else _class_below(size)
        with self._lock:
            self._returned_bytes += size
            freed = self._old_blocks([size_class])
            if self.unused_bytes + size > self.bound:
                freed += self._old_blocks(list(self._free))
            if size >= SMALLEST_BLOCK and self.unused_bytes + size <= self.bound:
                free = self._free.get(size_class)
                if free is None:
                    free = self._free[size_class] = deque()
                free.append(_Unused(memory, self._returned_bytes))
                self.unused_bytes += size
            else:
                freed.append(memory)
        for memory in freed:
            _libc.free(ctypes.addressof(memory))

    def _old_blocks(self, classes: Sequence[int]) -> list[Any]:
        """Take the blocks out of the pool that nobody asked for while many times their size came back."""
        old: list[Any] = []
        for size_class in classes:
            free = self._free.get(size_class)
            while free and self._returned_bytes - free[0].returned_bytes > LARGEST_AGE * len(free[0].memory):
                memory = free.popleft().memory
                self.unused_bytes -= len(memory)
                old.append(memory)
        return old


def most_kept(used: int) -> int:
    """The largest block, in bytes, that stays whole if so many are used; of a larger one the rest is given back."""
    return max(HUGE_PAGE, LARGEST_SPARE * used)


def new_slots(count: int) -> Any:
    """Empty slots {data, capacity, size} for `count` growables, as one ctypes array; pass `ctypes.addressof` plus
    SLOT_BYTES per slot to a kernel."""
    return _slots_type(count)()


@cache
def _slots_type(count: int) -> Any:
    return ctypes.c_int64 * (SLOT_WORDS * count)


@lru_cache(maxsize=1024)
def _bytes_type(size: int) -> Any:
    # Making a ctypes type takes longer than many kernels run.
    return ctypes.c_char * size


def _class_above(size: int) -> int:
    """The smallest size class that holds `size` bytes."""
    step = 1 << max(size.bit_length() - 3, 0)
    return -(-size // step) * step


def _class_below(size: int) -> int:
    """The largest size class within `size` bytes."""
    step = 1 << max(size.bit_length() - 3, 0)
    return size // step * step


def _memory_at(address: int, size: int) -> Any:
    """`size` bytes at an address as a ctypes array, or None at address 0."""
    return _bytes_type(size).from_address(address) if address else None


def _allocate(size: int) -> Any:
    address = ctypes.c_void_p()
    if size >= 1 << 63:
        # ctypes would pass the lowest bits.
        raise MemoryError(f"no memory for a result of {size} bytes")
    if size < 2 * HUGE_PAGE:
        if _libc.posix_memalign(ctypes.byref(address), 64, size):
            raise MemoryError(f"no memory for a result of {size} bytes")
        return _memory_at(address.value or 0, size)
    if _libc.posix_memalign(ctypes.byref(address), HUGE_PAGE, size):
        raise MemoryError(f"no memory for a result of {size} bytes")
    if _madvise is not None:
        # Fewer, larger pages: first touch and gathers are several times cheaper.
        _madvise(address, size // HUGE_PAGE * HUGE_PAGE, _MADV_HUGEPAGE)
    return _memory_at(address.value or 0, size)


RESULT_MEMORY = ResultMemory()
