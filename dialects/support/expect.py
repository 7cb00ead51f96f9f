"""States the class of an attribute, a type or the owner of a value, where xDSL's types do not say it."""

from __future__ import annotations

from typing import TypeVar

_T = TypeVar("_T")


def expect(found: object, expected: type[_T]) -> _T:
    """What was found, which verifiers or the caller have seen to be of this class."""
    assert isinstance(found, expected), found
    return found
