"""Whether the process may still take memory: LLVM ends it where there is none."""

from __future__ import annotations

import errno

# What compiling a statement takes at most, but for those that are very long.
ROOM = 16 << 20


def has_room(size: int) -> bool:
    """Whether the process may map so many bytes more. Nothing is kept: other threads may take them meanwhile."""
    try:
        import mmap
    except ImportError:  # This library does not fit in memory.
        return False
    try:
        mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ).close()
    except OSError as error:
        return error.errno != errno.ENOMEM
    return True


def need_room(size: int, purpose: str) -> None:
    """Raise MemoryError if the process may not map so many bytes more."""
    if not has_room(size):
        raise MemoryError(f"less than {size >> 20} MB of memory are left for {purpose}")
