"""Errors a user can cause, internal errors, and remarks: one text form for Python and for the command line."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from xdsl.ir import Attribute, Operation

# What a caret underlines when only a start column is known: a quoted name, an op name, an SSA name, a number.
_WORD = re.compile(r'"[^"]*"|[%@#!^]?[\w.$-]+|\S')
# How much of a source line is shown: a machine-made line may have a million characters.
_SHOWN, _BEFORE = 200, 60


class SourceLocation(NamedTuple):
    """A location in a text: 1-based line and column, exclusive end column, and the text of that line if known."""

    file: str
    line: int
    column: int
    end_column: int | None = None
    text_line: str | None = None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def with_source(self, file: str, text: str) -> SourceLocation:
        """The same location with its source line filled in from `text`, if it lies in `file`."""
        if self.text_line is not None or self.file != file:
            return self
        lines = text.split("\n")
        if not 1 <= self.line <= len(lines):
            return self
        return self._replace(text_line=lines[self.line - 1].rstrip("\r"))

    def excerpt(self) -> list[str]:
        """The source line and a line of carets below the marked part; nothing without a line to show."""
        if self.text_line is None or not self.text_line.strip():
            return []
        start = min(max(self.column - 1, 0), len(self.text_line))
        end = self.end_column - 1 if self.end_column is not None else None
        if end is None:
            word = _WORD.match(self.text_line, start)
            end = word.end() if word else start + 1
        shown, start, end = _window(self.text_line, start, max(min(end, len(self.text_line)), start + 1))
        # A tab must stay a tab below it, or the carets drift.
        padding = "".join("\t" if character == "\t" else " " for character in shown[:start])
        return [f"  {shown}", f"  {padding}{'^' * (end - start)}"]


def _window(text: str, start: int, end: int) -> tuple[str, int, int]:
    """The shown part of a line, with dots where it goes on, and where the marked part lies in that."""
    if len(text) <= _SHOWN:
        return text, start, end
    first = max(min(start - _BEFORE, len(text) - _SHOWN), 0)
    before, after = "... " * (first > 0), " ..." * (first + _SHOWN < len(text))
    shift = len(before) - first
    return f"{before}{text[first : first + _SHOWN]}{after}", start + shift, min(end, first + _SHOWN) + shift


def location_of(op: Operation) -> SourceLocation | None:
    """Where an operation, or the nearest enclosing one that knows its location, stands in its source text."""
    node: Operation | None = op
    while node is not None:
        if (found := _resolve(node.location)) is not None:
            return found
        node = node.parent_op()
    return None


def _resolve(location: Attribute) -> SourceLocation | None:
    """The first file position inside an MLIR location attribute."""
    from xdsl.dialects.builtin import ArrayAttr, CallSiteLoc, FileLineColLoc, FusedLoc, NameLoc

    match location:
        case FileLineColLoc():
            return SourceLocation(location.filename.data, location.line.data, location.column.data)
        case CallSiteLoc():
            return _resolve(location.callee) or _resolve(location.caller)
        case NameLoc():
            return _resolve(location.location)
        case FusedLoc() if isinstance(location.locations, ArrayAttr):
            found = (_resolve(inner) for inner in location.locations)
            return next((found for found in found if found is not None), None)
        case _:
            return None


def _render(location: SourceLocation | None, severity: str, text: str) -> list[str]:
    prefix = f"{location}: " if location is not None else ""
    return [f"{prefix}{severity}: {text}", *(location.excerpt() if location is not None else [])]


class Note:
    """One more fact about an error, with the location it is about. The operation itself is not kept."""

    def __init__(self, message: str, op: Operation | None = None, location: SourceLocation | None = None):
        self.message = message
        self.location = location if location is not None or op is None else location_of(op)

    def __repr__(self) -> str:
        return f"Note({self.message!r}, location={self.location!r})"


class AskedBy(NamedTuple):
    """The steps of a schedule that an error may be about, by their names, and the loop that the step names."""

    steps: tuple[str, ...]
    loop: str


class UserError(ValueError):
    """Anything the user can cause and can change: the problem with actual values, the location, and the way out.

    `slug` is the short stable name of the kind of error; docs/errors.md has an entry for each. `message`, `location`,
    `notes` and `help` are the parts of the text. `str(error)` is the text shown everywhere: the located message, its
    source line with carets, notes, help.

    >>> import irtensor as it
    >>> try:
    ...     it.indices("")
    ... except it.UserError as error:
    ...     print(error)
    error: [bad-index] indices needs at least one name
    help: write i, j = indices("i j")
    """

    def __init__(
        self,
        slug: str,
        message: str,
        *,
        op: Operation | None = None,
        location: SourceLocation | None = None,
        notes: Sequence[Note] = (),
        help: str | None = None,
        asked_by: AskedBy | None = None,
    ):
        super().__init__(message)
        self.slug = slug
        self.message = message
        self.location = location if location is not None or op is None else location_of(op)
        self.notes = list(notes)
        self.help = help
        self.asked_by = asked_by

    def attach_source(self, file: str, text: str) -> None:
        """Fill in the source lines of every location in `file`, whose contents are `text`."""
        if self.location is not None:
            self.location = self.location.with_source(file, text)
        for note in self.notes:
            if note.location is not None:
                note.location = note.location.with_source(file, text)

    def __str__(self) -> str:
        lines = _render(self.location, "error", f"[{self.slug}] {self.message}")
        for note in self.notes:
            lines += _render(note.location, "note", note.message)
        if self.help is not None:
            lines.append(f"help: {self.help}")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[Any, ...]:
        # Keyword-only fields travel as state, so that an error crosses a process boundary whole.
        return type(self), (self.slug, self.message), self.__dict__


def refused_file(slug: str, path: str, error: Exception) -> UserError:
    """The error for a file that the system does not let us read or write, or that is not the text it should be."""
    if isinstance(error, UnicodeDecodeError):
        return UserError(slug, f"'{path}' is not UTF-8 text (byte {error.start})")
    reason = getattr(error, "strerror", None) or str(error)
    return UserError(slug, f"'{path}': {reason}", help="check the path and its permissions")


class InternalError(RuntimeError):
    """A defect in irtensor itself. `reproducer` is a text with which the failure can be run again.

    The tools write it to the file `reproducer_file`. Please report the error together with it.
    """

    def __init__(self, message: str, reproducer: str | None = None, reproducer_file: str | None = None):
        super().__init__(message)
        self.message = message
        self.reproducer = reproducer
        self.reproducer_file = reproducer_file

    def __str__(self) -> str:
        lines = [f"internal error: {self.message}", "note: this is a defect in irtensor, please report it"]
        if self.reproducer_file is not None:
            lines.append(f"note: run again with {self.reproducer_file}, and attach that file to the report")
        elif self.reproducer is not None:
            lines.append("note: attach the reproducer in the 'reproducer' attribute of this exception")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.reproducer, self.reproducer_file)


class Remark(NamedTuple):
    """Something worth telling that stops nothing, such as a choice a pass made and why."""

    severity: Literal["remark", "warning"]
    message: str
    location: SourceLocation | None = None
    by: str | None = None
    """The pass that made the choice. Warnings are for users, who know no passes."""
    about: tuple[str, ...] = ()
    """What the choice is about: names of tensors, or expressions of the notation."""

    @property
    def text(self) -> str:
        return self.message if self.by is None else f"{self.by}: {self.message}"

    def __str__(self) -> str:
        return "\n".join(_render(self.location, self.severity, self.text))


_listener: ContextVar[list[Remark] | None] = ContextVar("remark_listener", default=None)


def remark(
    message: str,
    op: Operation | None = None,
    severity: Literal["remark", "warning"] = "remark",
    *,
    by: str | None = None,
    about: Sequence[str] = (),
) -> None:
    """Tell whoever listens (`collect_remarks`) about a decision; without a listener it costs next to nothing."""
    if (listener := _listener.get()) is not None:
        location = location_of(op) if op is not None else None
        listener.append(Remark(severity, message, location, by, tuple(about)))


@contextmanager
def collect_remarks() -> Generator[list[Remark]]:
    """Listen to the remarks made inside a `with` block; the list given fills up while it runs."""
    remarks: list[Remark] = []
    token = _listener.set(remarks)
    try:
        yield remarks
    finally:
        _listener.reset(token)


@contextmanager
def about(tensor: str) -> Generator[None]:
    """Let errors that leave a `with` block say which tensor they are about: `operand A`, or `the result`."""
    try:
        yield
    except UserError as error:
        error.message = f"{tensor}: {error.message}"
        raise


@contextmanager
def source_text(file: str, text: str) -> Generator[None]:
    """Give errors that leave a `with` block the source lines of the text they are about."""
    try:
        yield
    except UserError as error:
        error.attach_source(file, text)
        raise


@contextmanager
def located_at(op: Operation) -> Generator[None]:
    """Give errors that leave a `with` block without a location that of an operation."""
    try:
        yield
    except UserError as error:
        error.location = error.location or location_of(op)
        raise
