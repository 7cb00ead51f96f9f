"""Counts the calls of a function that a module looks up by its name, and ends a test that makes too many."""

from types import ModuleType
from typing import Any

import pytest


def count_calls(monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str, most: int) -> list[tuple[Any, ...]]:
    """The arguments of each call from now on, of which there have to be fewer than `most`."""
    own = getattr(module, name)
    made = list[tuple[Any, ...]]()

    def counted(*arguments: Any) -> Any:
        made.append(arguments)
        assert len(made) < most, f"{name} is called {most} times"
        return own(*arguments)

    monkeypatch.setattr(module, name, counted)
    return made
