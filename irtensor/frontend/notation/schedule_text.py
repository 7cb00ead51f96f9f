"""Reads schedules as text: `reorder(i, k, j); precompute(B[i,k] * C[k,j], over=j)`."""

from __future__ import annotations

import inspect
import re
from difflib import get_close_matches
from typing import Any, NoReturn, TypeVar

from irtensor.core.diagnostics import SourceLocation, UserError

Schedule = TypeVar("Schedule")

# The name that such a text has where a file would be named.
SCHEDULE = "<schedule>"
# A step, which `explain()` numbers.
_STEP = re.compile(r"\s*(?:\d+\.\s*)?([A-Za-z_]\w*)\s*\(")
_KEYWORD = re.compile(r"\s*([A-Za-z_]\w*)\s*=(?!=)")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_EXAMPLE = "write steps such as reorder(i, k, j); precompute(B[i,k] * C[k,j], over=j)"


def read_schedule(text: str, schedule: Schedule) -> Schedule:
    """The schedule with the steps of a text added, which are its methods.

    Raises UserError [bad-schedule] and [bad-expression].
    """
    steps = {name: method for name, method in inspect.getmembers(schedule, inspect.ismethod) if name[0] != "_"}
    for start, end in _pieces(text, 0, len(text), ";\n"):
        if not text[start:end].strip():
            continue
        opening = _STEP.match(text, start, end)
        closing = len(text[:end].rstrip()) - 1
        if opening is None or text[closing] != ")":
            _fail(text, start, end, "expected a step with its arguments in parentheses")
        name = opening[1]
        if name not in steps:
            close = get_close_matches(name, steps, n=1)
            help = f"did you mean {close[0]}?" if close else f"steps are {', '.join(steps)}"
            _fail(text, opening.start(1), opening.end(1), f"unknown step '{name}'", help)
        positional, named = _arguments(text, opening.end(), closing)
        try:
            inspect.signature(steps[name]).bind(*positional, **named)
        except TypeError as error:
            known = ", ".join(inspect.signature(steps[name]).parameters)
            _fail(text, opening.start(1), closing + 1, f"{name}: {error}", f"it takes {known}")
        schedule = getattr(schedule, name)(*positional, **named)
    return schedule


def _arguments(text: str, start: int, end: int) -> tuple[list[Any], dict[str, Any]]:
    positional: list[Any] = []
    named: dict[str, Any] = {}
    if not text[start:end].strip():
        return positional, named
    for first, last in _pieces(text, start, end, ","):
        keyword = _KEYWORD.match(text, first, last)
        value = _value(text, keyword.end() if keyword else first, last)
        if value == "":
            _fail(text, first, last, "an argument is missing")
        if keyword is not None:
            named[keyword[1]] = value
        elif named:
            _fail(text, first, last, "an argument without a name follows one with a name")
        else:
            positional.append(value)
    return positional, named


def _value(text: str, start: int, end: int) -> Any:
    """A number, True or False, a list of names in brackets, or else the text itself, without its quotes."""
    value = text[start:end].strip()
    # Python refuses to convert thousands of digits; as a text they are not a number to any step.
    if re.fullmatch(r"[+-]?\d{1,30}", value):
        return int(value)
    if value.lower() in ("true", "false"):
        return value.lower() == "true"
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    if re.fullmatch(r"[(\[][\w$.\s,-]*[)\]]", value):
        return _names(text, text.index(value, start) + 1, text.rindex(value[-1], start, end))
    return value


def _names(text: str, start: int, end: int) -> list[str]:
    """The names between commas or blanks; a comma may follow the last, as in Python."""
    pieces = _pieces(text, start, end, ",")
    names = [text[first:last].split() for first, last in pieces]
    if [] in names[:-1]:
        _fail(text, *pieces[names.index([])], "a name is missing", "write a name between two commas, as in [i, k]")
    return [name for piece in names for name in piece]


def _pieces(text: str, start: int, end: int, separators: str) -> list[tuple[int, int]]:
    """The ranges between separators outside of brackets and quotes."""
    pieces: list[tuple[int, int]] = []
    closing: list[str] = []
    quote = ""
    first = start
    for position in range(start, end):
        character = text[position]
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in _CLOSING:
            closing.append(_CLOSING[character])
        elif character in ")]}":
            if not closing or closing.pop() != character:
                _fail(text, position, position + 1, f"unexpected '{character}'")
        elif character in separators and not closing:
            pieces.append((first, position))
            first = position + 1
    if quote or closing:
        _fail(text, first, end, f"missing '{quote or closing[-1]}'")
    return [*pieces, (first, end)]


def _fail(text: str, start: int, end: int, message: str, help: str = _EXAMPLE) -> NoReturn:
    while start < end - 1 and text[start].isspace():
        start += 1
    line_start = text.rfind("\n", 0, start) + 1
    line = text[line_start:].split("\n", 1)[0]
    number = text.count("\n", 0, start) + 1
    width = max(len(text[start:end].rstrip()), 1)
    location = SourceLocation(SCHEDULE, number, start - line_start + 1, start - line_start + 1 + width, line)
    raise UserError("bad-schedule", message, location=location, help=help)
