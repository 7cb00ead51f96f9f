"""Attributes that stay what they were when an object was made: kernels rely on them and check them no more."""

from __future__ import annotations

import reprlib
from operator import attrgetter
from typing import Any, NoReturn

from irtensor.core.diagnostics import UserError


class FixedAttributeError(UserError, AttributeError):
    """An assignment to an attribute that stays as it is."""


def fixed_attribute(name: str, owner: str, help: str, doc: str, attribute: str | None = None) -> Any:
    """A property that reads `attribute`, by default the slot `_<name>`.

    Assigning to it is a UserError [fixed-attribute].

    Reading it runs no Python code, as calls of kernels have no time for more.
    """

    def refuse(self: object, value: Any) -> NoReturn:
        raise _error("fixed-attribute", f"{owner} keeps its {name}, to which {_short(value)} was assigned", help)

    def refuse_deletion(self: object) -> NoReturn:
        raise _error("fixed-attribute", f"{owner} keeps its {name}, which was to be deleted", help)

    return property(attrgetter(attribute or f"_{name}"), refuse, refuse_deletion, doc)


def _error(slug: str, message: str, help: str) -> FixedAttributeError:
    return FixedAttributeError(slug, message, help=help)


def _short(value: Any) -> str:
    """A value in a few words: of an array only the shape and type."""
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if isinstance(shape, tuple) and dtype is not None:
        return f"a {type(value).__name__} of shape {shape} and dtype {dtype}"
    return reprlib.repr(value)
