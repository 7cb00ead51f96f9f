"""States of which class something is: attributes, types and owners of values, whose classes xDSL's types do not say."""

from __future__ import annotations

from typing import TypeVar

_T = TypeVar("_T")


def expect(found: object, kind: type[_T]) -> _T:
    """What was found, which verifiers or the caller have seen to be of this class."""
    assert isinstance(found, kind), found
    return found
