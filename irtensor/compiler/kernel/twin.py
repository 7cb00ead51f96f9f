"""`twin`: a second object with the attributes of a first."""

from __future__ import annotations

from typing import TypeVar

_T = TypeVar("_T")


def twin(first: _T) -> _T:
    """An object of the same type whose attributes are the same objects; copy.copy would make kernels anew."""
    second = object.__new__(type(first))
    second.__dict__.update(first.__dict__)
    return second
