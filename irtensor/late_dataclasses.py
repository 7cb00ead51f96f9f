"""Methods of dataclasses that are compiled when somebody calls one, not when the classes are defined."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any


@contextmanager
def methods_compiled_late() -> Generator[None]:
    """Let dataclasses that are defined inside a `with` block have late methods.

    Before Python 3.13, `dataclasses` writes and compiles up to six functions for each class, one by one: a fifth of
    what it takes to load the compiler. Few of them are called. Later versions compile all of a class at once.
    """
    create: Callable[..., Any] | None = getattr(dataclasses, "_create_fn", None)
    if create is None:
        yield
        return

    def create_late(name: str, *arguments: Any, **settings: Any) -> Callable[..., Any]:
        return _late_method(name, lambda: create(name, *arguments, **settings))

    dataclasses._create_fn = create_late  # pyright: ignore[reportAttributeAccessIssue]
    try:
        yield
    finally:
        dataclasses._create_fn = create  # pyright: ignore[reportAttributeAccessIssue]


def _late_method(name: str, create: Callable[[], Any]) -> Callable[..., Any]:
    """A method that is made when it is called, and then takes its own place in the class."""
    made: Any = None

    def method(self: Any, /, *arguments: Any, **named: Any) -> Any:
        nonlocal made
        if made is None:
            made = create()
            made.__qualname__ = method.__qualname__
            for cls in type(self).__mro__:
                if cls.__dict__.get(name) is method:
                    setattr(cls, name, made)
        return made(self, *arguments, **named)

    method.__name__ = name
    return method
