"""Checks the arguments of public functions: each is what its name promises, or the message says what it has to be."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any, TypeGuard

import numpy as np

from irtensor.frontend.notation.notation_errors import UserTypeError

_FLAGS = (bool, np.bool_, type(None))


def is_word(value: Any, *words: str) -> bool:
    """Whether an argument is one of the words that mean something there; an array is compared with no text."""
    return isinstance(value, str) and value in words


def as_text(subject: str, value: Any, help: str | None = None) -> str:
    """A text. Raises UserError [bad-argument]."""
    if isinstance(value, str):
        return value
    raise UserTypeError("bad-argument", f"{subject} is a text, not {type(value).__name__}", help=help)


def as_flag(subject: str, value: Any) -> bool:
    """Whether something is asked for; None means False. Raises UserError [bad-argument]."""
    if isinstance(value, _FLAGS) or (isinstance(value, int) and value in (0, 1)):
        return bool(value)
    raise UserTypeError("bad-argument", f"{subject} is True or False, not {_shown(value)}")


def as_integer(subject: str, value: Any) -> int:
    """An integer of Python or NumPy. Raises UserError [bad-argument]."""
    try:
        return operator.index(value)
    except (TypeError, ValueError):
        raise UserTypeError("bad-argument", f"{subject} is an integer, not {_shown(value)}") from None


def is_list(value: Any) -> TypeGuard[Iterable[Any]]:
    """Whether an argument is several things one after the other, and no text, matrix or number."""
    return isinstance(value, Iterable) and not isinstance(value, str) and len(getattr(value, "shape", (1,))) == 1


def as_mapping(subject: str, value: Any) -> Mapping[str, Any]:
    """What belongs to tensors by name; None is nothing. Raises UserError [bad-argument]."""
    if value is None:
        return {}
    # Some of SciPy's matrices are mappings, of positions.
    if isinstance(value, Mapping) and not hasattr(value, "shape"):
        return value
    message = f"{subject} maps names of tensors, as in {subject}={{'A': ...}}; got {type(value).__name__}"
    raise UserTypeError("bad-argument", message)


def _shown(value: Any) -> str:
    """A short value, or of what type another one is."""
    return repr(value) if isinstance(value, str | int | float | complex) else type(value).__name__
