"""Splits the text of a notation into tokens that remember where they stand."""

from __future__ import annotations

import re
from dataclasses import dataclass

from irtensor.frontend.expression_tree import Span
from irtensor.frontend.notation_errors import notation_error

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\f]+|\#[^\n]*)
      | (?P<number>(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?[jJ]?)
      | (?P<name>@?[^\W\d]\w*)
      | (?P<operator>\*\*=|//=|%=|\*\*|//|==|!=|<=|>=|\+=|-=|\*=|/=|\|=|&=|\^=|[-+*/%<>=&|^~()\[\],;\n])""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Token:
    """`kind` is number, name, operator or end; `span` is its place in the whole text."""

    kind: str
    text: str
    span: Span

    def __str__(self) -> str:
        return "the end of the notation" if self.kind == "end" else repr(self.text)


def tokenize(source: str) -> list[Token]:
    """All tokens of `source`, closed by one of kind end. Line breaks inside brackets do not count."""
    tokens: list[Token] = []
    position, depth = 0, 0
    while position < len(source):
        match = _TOKEN.match(source, position)
        if match is None:
            raise _unexpected(source, position)
        position = match.end()
        kind, text = match.lastgroup, match.group()
        assert kind is not None
        depth += (text in "([") - (text in ")]") if kind == "operator" else 0
        if kind != "space" and not (text == "\n" and depth > 0):
            tokens.append(Token(kind, text, match.span()))
    tokens.append(Token("end", "", (len(source), len(source) + 1)))
    return tokens


def _unexpected(source: str, position: int):
    character = source[position]
    hints = {"@": "write a matrix product with index variables: A[i, k] * B[k, j]", "!": "write != or not(...)"}
    return notation_error(
        "unexpected-character",
        f"{character!r} is not part of the notation",
        source,
        (position, position + 1),
        help=hints.get(character),
    )
