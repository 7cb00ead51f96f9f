"""Errors that point into the text of a notation."""

from __future__ import annotations

from collections.abc import Sequence

from irtensor.core.diagnostics import Note, SourceLocation, UserError
from irtensor.frontend.expression_tree import Span

# The name that a notation has where a file would be named.
NOTATION = "<notation>"


class UserTypeError(UserError, TypeError):
    """A user error that NumPy reports as a TypeError; it can be caught as either."""


class UserPathError(UserError, RuntimeError):
    """A user error about a contraction path, which NumPy reports as a RuntimeError."""


def locate(source: str | None, span: Span | None, file: str = NOTATION) -> SourceLocation | None:
    """The location of `span` in a one- or many-line `source`, or None where either is unknown."""
    if source is None or span is None:
        return None
    start, end = span
    line_start = source.rfind("\n", 0, start) + 1
    line_end = source.find("\n", line_start)
    line_end = len(source) if line_end < 0 else line_end
    line = source.count("\n", 0, start) + 1
    text = source[line_start:line_end]
    return SourceLocation(file, line, start - line_start + 1, min(end, line_end) - line_start + 1, text)


def notation_error(
    slug: str,
    message: str,
    source: str | None,
    span: Span | None,
    *,
    notes: Sequence[tuple[str, Span | None]] = (),
    help: str | None = None,
) -> UserError:
    """A UserError whose caret run covers `span`; notes are (message, span) pairs in the same text."""
    located = [Note(text, location=locate(source, at)) for text, at in notes]
    return UserError(slug, message, location=locate(source, span), notes=located, help=help)
