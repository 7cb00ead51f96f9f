"""Reads texts in which operators bind as in Python: tokens, and a parser that leaves what operands are to others.

Statements and the expressions of schedules and programs are read by it.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cache
from typing import Any, Generic, NamedTuple, NoReturn, TypeAlias, TypeVar

from irtensor.core.element_values import Scalar
from irtensor.core.operator_symbols import BINARY_SYMBOLS, COMPARISON_SYMBOLS, UNARY_SYMBOLS

Span: TypeAlias = tuple[int, int]
# Parentheses, calls and signs within each other; the parser's own recursion takes several times as many frames.
MAX_NESTING = 100
_Tree = TypeVar("_Tree")


class Token(NamedTuple):
    """`category` is number, name, operator, other or end; `span` is its location in the whole text."""

    category: str
    text: str
    span: Span


@cache
def _pattern(rest_of_name: str) -> re.Pattern[str]:
    return re.compile(
        rf"""(?P<space>[ \t\r\f]+|\#[^\n]*)
          | (?P<number>(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?[jJ]?)
          | (?P<name>@?[^\W\d]{rest_of_name}*)
          | (?P<operator>\*\*=|//=|%=|\*\*|//|<<|>>|==|!=|<=|>=|\+=|-=|\*=|/=|\|=|&=|\^=|[-+*/%<>=&|^~()\[\],;:\n])
          | (?P<other>.)""",
        re.VERBOSE,
    )


def tokenize(source: str, rest_of_name: str = r"\w") -> list[Token]:
    """All tokens of `source`, closed by one of kind end. Line breaks inside brackets do not count."""
    tokens: list[Token] = []
    depth = 0
    for match in _pattern(rest_of_name).finditer(source):
        category, text = str(match.lastgroup), match.group()
        depth += (text in "([") - (text in ")]") if category == "operator" else 0
        if category != "space" and not (text == "\n" and depth > 0):
            tokens.append(Token(category, text, match.span()))
    tokens.append(Token("end", "", (len(source), len(source) + 1)))
    return tokens


class PrecedenceParser(ABC, Generic[_Tree]):
    """Makes trees of tokens. What a tree is, and what a name and its brackets mean, is for those that derive."""

    END = "the end"

    def __init__(self, source: str, tokens: Sequence[Token]) -> None:
        self.source = source
        self.tokens = tokens
        self.position = 0
        self.nesting = 0

    @abstractmethod
    def fail(self, message: str, span: Span | None = None, help: str | None = None) -> NoReturn:
        """Raise an error about a location, else about the next token."""
        raise NotImplementedError

    @abstractmethod
    def fail_nesting(self) -> NoReturn:
        """Raise an error about parentheses and signs that nest too deeply."""
        raise NotImplementedError

    @abstractmethod
    def apply(self, operator: str, arguments: tuple[_Tree, ...], span: Span) -> _Tree: ...

    @abstractmethod
    def literal(self, value: Scalar, span: Span) -> _Tree: ...

    @abstractmethod
    def value_of(self, tree: _Tree) -> Scalar | None:
        """The number that a literal is; None for other trees."""

    @abstractmethod
    def parse_name(self, name: Token) -> _Tree:
        """What begins with a name, which has been read."""

    def enclosed(self, tree: _Tree, span: Span) -> _Tree:
        """A tree with its parentheses, or its plus."""
        return tree

    @property
    def token(self) -> Token:
        return self.tokens[self.position]

    def found(self, token: Token) -> str:
        """A token in a message."""
        return self.END if token.category == "end" else repr(token.text)

    def advance(self) -> Token:
        token = self.token
        self.position += token.category != "end"
        return token

    def accept(self, *texts: str) -> Token | None:
        return self.advance() if self.token.category == "operator" and self.token.text in texts else None

    def expect(self, text: str, why: str = "") -> Token:
        return self.accept(text) or self.fail(f"expected '{text}'{why}, found {self.found(self.token)}")

    def since(self, start: Token) -> Span:
        """The location from a token to the last one read."""
        return start.span[0], self.tokens[self.position - 1].span[1]

    def parse_expression(self) -> _Tree:
        start, left = self.token, self.parse_binary()
        if (symbol := self.accept(*COMPARISON_SYMBOLS)) is None:
            return left
        right = self.parse_binary()
        if self.token.category == "operator" and self.token.text in COMPARISON_SYMBOLS:
            self.fail("comparisons cannot be chained", help="write (a < b) & (b < c)")
        return self.apply(COMPARISON_SYMBOLS[symbol.text], (left, right), self.since(start))

    def parse_binary(self, loosest: int = 0) -> _Tree:
        """Operands joined by operators that bind at least as tightly as `loosest`."""
        start, left = self.token, self.parse_unary()
        while (
            self.token.category == "operator" and (known := BINARY_SYMBOLS.get(self.token.text)) and known[1] >= loosest
        ):
            self.advance()
            right = self.parse_binary(known[1] + 1)
            left = self.apply(known[0], (left, right), self.since(start))
        return left

    def parse_unary(self) -> _Tree:
        if self.nesting == MAX_NESTING:
            self.fail_nesting()
        self.nesting += 1
        tree = self._parse_signed()
        self.nesting -= 1
        return tree

    def _parse_signed(self) -> _Tree:
        if (sign := self.accept("-", "+", "~")) is None:
            return self._parse_power()
        if sign.text == "-" and self.token.category == "number" and self.tokens[self.position + 1].text != "**":
            # The least integer is one only with its sign.
            return self.literal(-self.parse_number(self.advance(), is_negative=True), self.since(sign))
        operand = self.parse_unary()
        if sign.text == "+":
            return self.enclosed(operand, self.since(sign))
        value = self.value_of(operand) if sign.text == "-" else None
        if value is not None and type(value) is not bool:
            return self.literal(-value, self.since(sign))
        return self.apply(UNARY_SYMBOLS[sign.text], (operand,), self.since(sign))

    def _parse_power(self) -> _Tree:
        start, base = self.token, self._parse_primary()
        if self.accept("**") is None:
            return base
        return self.apply("pow", (base, self.parse_unary()), self.since(start))

    def _parse_primary(self) -> _Tree:
        token = self.token
        if token.category == "number":
            return self.literal(self.parse_number(self.advance()), token.span)
        if token.category == "name":
            return self.parse_name(self.advance())
        if self.accept("("):
            inner = self.parse_expression()
            self.expect(")", " to close the parenthesis")
            return self.enclosed(inner, self.since(token))
        self.fail(f"expected a tensor, a number, a function or '(', found {self.found(token)}")

    def parse_number(self, token: Token, is_negative: bool = False) -> Any:
        """The number of a token, behind a minus or not."""
        text = token.text.replace("_", "")
        try:
            return complex(text) if text[-1] in "jJ" else float(text) if any(c in text for c in ".eE") else int(text)
        except ValueError:
            self.fail(f"expected a number, found {token.text!r}", token.span)
