"""A cache in memory of kernels, plans of statements, and decisions. All caches have one bound."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from irtensor.late_imports import lock

_K = TypeVar("_K")
_V = TypeVar("_V")

# Bytes that all caches take together at most.
BOUND = 128 * 1024 * 1024
# The Python objects of an entry: about the number measured for kernels of short statements.
_ENTRY = 4096
_numbers = itertools.count()
_caches: WeakValueDictionary[int, MemoryCache[Any, Any]] = WeakValueDictionary()


def code_of(*kernels: Any) -> list[Any]:
    """The native code of kernels; none of those that choose among others, which have a cache of their own."""
    return [kernel.native for kernel in kernels if hasattr(kernel, "native")]


def _no_code(_: Any) -> Iterable[Any]:
    return ()


class MemoryCache(dict[_K, "_V | None"]):
    """A dictionary in which `cache[key]` is None for a missing key: its value was never found out, or is kept no more.

    When all caches together take more than the bound, the least recently used entries go: entries have two ages, young
    and old. Those that are used are young. When the young ones take half of the bound, the old ones go, and the young
    become old. So a hit costs no more than that of a dictionary, for which calls are in a hurry.

    `code_of` says which native code an entry keeps; `entry_bytes` is about what its Python objects take.
    """

    def __init__(self, code_of: Callable[[_V], Iterable[Any]] = _no_code, entry_bytes: int = _ENTRY) -> None:
        super().__init__()
        self.entry_bytes = entry_bytes
        self._code_of = code_of
        self._old: dict[_K, _V | None] = {}
        _caches[next(_numbers)] = self

    def __missing__(self, key: _K) -> _V | None:
        found = self._old.get(key)
        if found is not None:
            self[key] = found
            self._old.pop(key, None)
        return found

    def __setitem__(self, key: _K, value: _V | None) -> None:
        super().__setitem__(key, value)
        size = self.entry_bytes
        if value is not None:
            size += sum(code.size for code in self._code_of(value))
        _use.young += size
        if _use.young > BOUND // 2:
            _turn()

    def copied(self) -> MemoryCache[_K, _V]:
        """Another cache with the same entries, which count for both only when they are used."""
        other = MemoryCache[_K, _V](self._code_of, self.entry_bytes)
        other._old = {**self._old.copy(), **self.copy()}
        return other

    def entries(self) -> list[_V]:
        """All that is kept, of both ages."""
        # Copies: other threads go on.
        return [value for value in (*self.copy().values(), *self._old.copy().values()) if value is not None]

    def code(self) -> Iterator[Any]:
        """The native code that entries keep, which other caches may keep as well."""
        for value in self.entries():
            yield from self._code_of(value)

    def clear(self) -> None:
        """Keep nothing of what there is."""
        self._old = {}
        super().clear()

    def grow_old(self) -> None:
        """The young entries are old from now on, and the old ones go."""
        self._old = self.copy()
        super().clear()


class _Use:
    """The bytes of entries that became young since the last turn; threads that add at once may lose some of them."""

    young = 0


_use = _Use()


def living_caches() -> list[MemoryCache[Any, Any]]:
    """All caches: those of modules, and those of kernels that somebody has."""
    return [cache for cache in (reference() for reference in _caches.valuerefs()) if cache is not None]


def _turn() -> None:
    """Make all entries one age older, unless another thread is at it or compiles, which adds entries later."""
    if lock.acquire(blocking=False):
        try:
            _use.young = 0
            for cache in living_caches():
                cache.grow_old()
        finally:
            lock.release()
