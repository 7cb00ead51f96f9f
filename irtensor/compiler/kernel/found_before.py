"""Kernels and choices that equal kernels share, until the environment with their settings changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

from irtensor.compiler.kernel.twin import twin
from irtensor.memory_cache import MemoryCache
from irtensor.options import environment_of_code

_K = TypeVar("_K")
_V = TypeVar("_V")


def _no_code(_: Any) -> Iterable[Any]:
    return ()


class FoundBefore(Generic[_K, _V]):
    """A MemoryCache; `again` gives another view of it, for settings that depend on the environment.

    Findings from another environment than that of the view are no longer shared, as settings may be others there.
    """

    def __init__(self, code_of: Callable[[_V], Iterable[Any]] = _no_code) -> None:
        self._cache: MemoryCache[_K, _V] = MemoryCache(code_of)
        self._environment: tuple[str | None, ...] | None = None

    def again(self, environment: tuple[str | None, ...] | None) -> FoundBefore[_K, _V]:
        """A view of the same cache for this environment."""
        other = twin(self)
        other._environment = environment
        return other

    def __getitem__(self, key: _K) -> _V | None:
        return self._cache[key]

    def __setitem__(self, key: _K, value: _V) -> None:
        if self._environment is not None and self._environment != environment_of_code():
            self._cache, self._environment = self._cache.copied(), None
        self._cache[key] = value
