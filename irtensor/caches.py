"""What irtensor keeps between calls, in memory and on disk: how much that is, and giving it back."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NamedTuple

from irtensor import memory_cache
from irtensor.frontend.arguments import as_flag
from irtensor.interop.as_operand import forget_shared, shared_count
from irtensor.options import current_options
from irtensor.runtime.cache_folder import bytes_of, clear, files_in, size_text
from irtensor.runtime.disk_cache import DiskCache
from irtensor.runtime.result_memory import RESULT_MEMORY

# The bytes assumed for an entry, in caches that count only their entries.
_SMALL = 512


class CacheUse(NamedTuple):
    """What one cache holds: how many entries, how many bytes, and how many bytes it may hold at most.

    `bound` is None for a cache with a limit of entries, or goes with the array that it belongs to.
    """

    entries: int
    bytes: int
    bound: int | None


class CacheInfo(NamedTuple):
    """The cached objects, by cache; printed as a table.

    - `kernels`: compiled code that has been loaded, and all that was found out about statements.
    - `tables`: small things that take some time to make, such as formats and their types.
    - `operands`: SciPy arrays that were checked. Entries go with the arrays, whose memory they share.
    - `copies`: operands in the formats that `tune="format"` has chosen. They go with the operands.
    - `results`: memory of results that nobody has any more, kept warm for the next ones.
    - `disk`: object files of kernels in `cache_dir`, in blocks.
    """

    kernels: CacheUse
    tables: CacheUse
    operands: CacheUse
    copies: CacheUse
    results: CacheUse
    disk: CacheUse

    def __str__(self) -> str:
        lines = [f"{'cache':<10} {'entries':>8} {'holds':>10} {'at most':>10}"]
        for name, use in zip(self._fields, self, strict=True):
            bound = "" if use.bound is None else size_text(use.bound)
            lines.append(f"{name:<10} {use.entries:>8} {size_text(use.bytes):>10} {bound:>10}".rstrip())
        return "\n".join(lines)


def cache_info() -> CacheInfo:
    """How much irtensor keeps between calls, in entries and bytes, in memory and on disk.

    Native code is counted exactly where irtensor loads it itself; Python objects are estimated by their number. The
    entries of kernels, `kernels.entries`, are statements, plans and kernels: a kernel is one of several entries.

    >>> it.clear_caches()
    >>> it.cache_info().kernels.entries
    0
    >>> A = it.Tensor.from_numpy(np.eye(3), "csr")
    >>> total = it.einsum("ij->", A)
    >>> print(it.cache_info())  # doctest: +ELLIPSIS
    cache       entries      holds    at most
    kernels ...
    """
    code: dict[int, Any] = {}
    entries = held = 0
    for cache in memory_cache.living_caches():
        found = cache.entries()
        entries += len(found)
        held += cache.entry_bytes * len(found)
        code.update((id(one), one) for one in cache.code())
    held += sum(one.size for one in code.values())
    tables = sum(table.cache_info().currsize for table in _tables())
    return CacheInfo(
        CacheUse(entries, held, memory_cache.BOUND),
        CacheUse(tables, tables * _SMALL, None),
        CacheUse(shared_count(), shared_count() * _SMALL, None),
        CacheUse(*_copies_use(), None),
        CacheUse(RESULT_MEMORY.unused_blocks, RESULT_MEMORY.unused_bytes, RESULT_MEMORY.bound),
        _disk_use(),
    )


def clear_caches(*, disk: bool = False) -> None:
    """Give back all memory that irtensor keeps between calls; with `disk`, delete the kernels on disk as well.

    Kernels that somebody has stay callable, and compile again, or load from the disk, what they are called with next.
    Other threads may compile and call meanwhile. GPUs that were used are waited for, and give back what they keep.
    Raises UserError [bad-argument].

    >>> it.clear_caches()
    >>> it.cache_info().kernels
    CacheUse(entries=0, bytes=0, bound=134217728)
    """
    on_disk = as_flag("disk=", disk)
    for cache in memory_cache.living_caches():
        cache.clear()
    # Before the tables: to find the memory of results takes some of them.
    RESULT_MEMORY.clear()
    for table in _tables():
        table.cache_clear()
    forget_shared()
    if (kept_copies := sys.modules.get("irtensor.storage.kept_copies")) is not None:
        kept_copies.forget_copies()
    if (cuda_sparse := sys.modules.get("irtensor.interop.cuda_sparse")) is not None:
        cuda_sparse.forget_checked()
    if (cuda_device := sys.modules.get("irtensor.runtime.cuda_device")) is not None:
        cuda_device.trim_all()
    if on_disk and (folder := DiskCache(current_options().cache_dir).folder) is not None:
        clear(str(folder))


def _copies_use() -> tuple[int, int]:
    kept_copies = sys.modules.get("irtensor.storage.kept_copies")
    return (0, 0) if kept_copies is None else kept_copies.copies_use()


def _disk_use() -> CacheUse:
    settings = current_options()
    cache = DiskCache(settings.cache_dir if settings.disk_cache else None)
    if cache.folder is None:
        return CacheUse(0, 0, cache.bound)
    files = list(files_in(str(cache.folder)))
    return CacheUse(len(files), bytes_of(files), cache.bound)


# What functools.cache makes of a function. There are tens of thousands of names to look at.
_TABLE: type = type(functools.cache(len))
# Of each module, how many names it had when they were looked at, and the functions among them.
_tables_of: dict[str, tuple[ModuleType, int, list[Any]]] = {}


def _tables() -> Iterator[Any]:
    """The functions of loaded modules of irtensor that remember their results (functools.cache)."""
    found: dict[int, Any] = {}
    for name, module in list(sys.modules.items()):
        if name.startswith("irtensor."):
            # A module that is being imported has some of its functions.
            its = vars(module)
            known = _tables_of.get(name)
            if known is None or known[0] is not module or known[1] != len(its):
                tables = [value for value in list(its.values()) if type(value) is _TABLE]
                known = _tables_of[name] = (module, len(its), tables)
            found.update([(id(table), table) for table in known[2]])
    yield from found.values()
