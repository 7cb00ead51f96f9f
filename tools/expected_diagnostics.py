"""Compares what a run reports with the comments `// expected-error@+1 {{text}}` of its input, as mlir-opt does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from irtensor.core.diagnostics import Remark, SourceLocation, UserError

_DESIGNATOR = re.compile(
    r"expected-(?P<severity>error|note|remark|warning)(?P<regex>-re)?\s*"
    r"(?:@(?P<where>[+-]\d+|above|below|unknown))?\s*\{\{(?P<text>.*)\}\}\s*$"
)
_EMBEDDED = re.compile(r"\{\{(.*?)\}\}")


@dataclass
class Expectation:
    """One designator: what must be reported on which line (None: anywhere without a line)."""

    severity: str
    pattern: re.Pattern[str]
    text: str
    line: int | None
    location: SourceLocation
    met: bool = False


class Emitted(NamedTuple):
    """One reported error, note, warning or remark."""

    severity: str
    text: str
    location: SourceLocation | None


def flatten(diagnostics: Sequence[UserError | Remark]) -> list[Emitted]:
    """Errors and their notes, and remarks, one after the other."""
    emitted: list[Emitted] = []
    for diagnostic in diagnostics:
        if isinstance(diagnostic, Remark):
            emitted.append(Emitted(diagnostic.severity, diagnostic.text, diagnostic.location))
            continue
        emitted.append(Emitted("error", f"[{diagnostic.slug}] {diagnostic.message}", diagnostic.location))
        emitted += [Emitted("note", note.message, note.location) for note in diagnostic.notes]
    return emitted


def read_expectations(text: str, file: str, first_line: int) -> list[Expectation]:
    """The designators of a text whose first line has the given number.

    `@+N` and `@-N` count lines; `@above` and `@below` mean the next line that holds no designator.
    """
    lines = text.split("\n")
    matches = [_DESIGNATOR.search(line) for line in lines]
    expectations: list[Expectation] = []
    for index, match in enumerate(matches):
        if match is None:
            continue
        where = match["where"]
        if where == "unknown":
            target = None
        elif where in ("above", "below"):
            step = -1 if where == "above" else 1
            target = index + step
            while 0 <= target < len(lines) and matches[target] is not None:
                target += step
        else:
            target = index + int(where or 0)
        location = SourceLocation(file, first_line + index, match.start() + 1, match.end() + 1, lines[index])
        expectations.append(
            Expectation(
                match["severity"],
                _pattern(match["text"], is_regex=match["regex"] is not None),
                match["text"],
                None if target is None else first_line + target,
                location,
            )
        )
    return expectations


def _pattern(text: str, *, is_regex: bool) -> re.Pattern[str]:
    if not is_regex:
        return re.compile(re.escape(text))
    # Alternately literal text and regular expressions.
    parts = _EMBEDDED.split(text)
    return re.compile("".join(part if index % 2 else re.escape(part) for index, part in enumerate(parts)))


def mismatches(expectations: Sequence[Expectation], diagnostics: Sequence[UserError | Remark]) -> list[str]:
    """Errors that were reported but not expected, and those that were expected but not reported; empty if all agree.

    Notes without a location and help texts cannot be named by a designator, so they are never unexpected. Remarks are
    compared only where at least one is expected: most tests are not about the choices that a pass explains.
    """
    problems: list[str] = []
    expects_remarks = any(expectation.severity == "remark" for expectation in expectations)
    for emitted in flatten(diagnostics):
        if _meet_one(expectations, emitted):
            continue
        if emitted.severity == "note" and emitted.location is None:
            continue
        if emitted.severity == "remark" and not expects_remarks:
            continue
        problems.append(_message(emitted.location, f"unexpected {emitted.severity}: {emitted.text}"))
    for expectation in expectations:
        if not expectation.met:
            text = f'expected {expectation.severity} "{expectation.text}" was not produced'
            problems.append(_message(expectation.location, text))
    return problems


def _meet_one(expectations: Sequence[Expectation], emitted: Emitted) -> bool:
    line = emitted.location.line if emitted.location is not None else None
    for expectation in expectations:
        if (
            not expectation.met
            and expectation.severity == emitted.severity
            and expectation.line == line
            and expectation.pattern.search(emitted.text)
        ):
            expectation.met = True
            return True
    return False


def _message(location: SourceLocation | None, text: str) -> str:
    if location is None:
        return f"error: {text}"
    return "\n".join([f"{location}: error: {text}", *location.excerpt()])
