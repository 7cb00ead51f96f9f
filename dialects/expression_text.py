"""Expressions of index notation as text, such as `B[i,k] * C[k,j]`: how a schedule says which part of a statement it
means. Plain values, no IR; the notation's own front end adds types, reductions and errors about them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NoReturn, TypeAlias, TypeVar

from irtensor.dialects.diagnostics import SourceLocation, UserError
from irtensor.dialects.operator_symbols import (
    BINARY_SYMBOLS,
    CASTS,
    CLIP,
    COMPARISON_SYMBOLS,
    CONSTANTS,
    REDUCE_ONLY,
    UNARY_SYMBOLS,
    VARIADIC_FUNCTIONS,
)
from irtensor.dialects.operators import Scalar
from irtensor.operators.known_operators import ALIASES, REDUCTIONS, operator_named

# The name that such a text has where a file would be named.
EXPRESSION = "<expression>"
_TOKEN = re.compile(
    r"(?P<number>(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?[jJ]?)|(?P<name>@?[^\W\d][\w$.]*)"
    r"|(?P<symbol>\*\*|//|==|!=|<=|>=|[-+*/%<>&|^~()\[\],])|(?P<other>\S)"
)
_MAX_NESTING = 100
_Item = TypeVar("_Item")


@dataclass(frozen=True)
class Component:
    """One component of a tensor."""

    tensor: str
    indices: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.tensor}[{', '.join(self.indices)}]" if self.indices else self.tensor


@dataclass(frozen=True)
class Number:
    """A constant."""

    value: Scalar

    def __str__(self) -> str:
        return f"{self.value}"


@dataclass(frozen=True)
class Application:
    """An operator applied to its arguments; a user's is named `@name`."""

    operator: str
    arguments: tuple[Term, ...]

    def __str__(self) -> str:
        symbol = _SYMBOLS.get(self.operator)
        if symbol is None or len(self.arguments) != 2:
            return f"{self.operator}({', '.join(map(str, self.arguments))})"
        return f" {symbol} ".join(_within(argument) for argument in self.arguments)


@dataclass(frozen=True)
class Reduction:
    """An operator applied over all coordinates of index variables, which the body uses: a sum, a product, ..."""

    operator: str
    indices: tuple[str, ...]
    body: Term

    def __str__(self) -> str:
        return f"{_REDUCING.get(self.operator, self.operator)}({', '.join((*self.indices, str(self.body)))})"


Term: TypeAlias = Component | Number | Application | Reduction
_REDUCING = {operator: name for name, operator in REDUCE_ONLY.items()}
_SYMBOLS = {
    **{operator: symbol for symbol, (operator, _) in BINARY_SYMBOLS.items()},
    **{operator: symbol for symbol, operator in COMPARISON_SYMBOLS.items()},
}


def _within(term: Term) -> str:
    infix = isinstance(term, Application) and term.operator in _SYMBOLS and len(term.arguments) == 2
    return f"({term})" if infix else str(term)


def parse_expression(text: str) -> Term:
    """The term that a text means. Raises UserError [bad-expression] with its place."""
    return _Parser(text).parse()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [(str(found.lastgroup), found.group(), found.start()) for found in _TOKEN.finditer(text)]
        self.tokens.append(("end", "", len(text)))
        self.position = 0
        self.nesting = 0

    def fail(self, message: str) -> NoReturn:
        _, token, start = self.tokens[self.position]
        found = f"'{token}'" if token else "the end"
        place = SourceLocation(EXPRESSION, 1, start + 1, start + 1 + max(len(token), 1), self.text.partition("\n")[0])
        help = "write a part of the statement as it stands there, such as B[i,k] * C[k,j]"
        raise UserError("bad-expression", f"expected {message}, found {found}", location=place, help=help)

    def accept(self, *symbols: str) -> str | None:
        kind, token, _ = self.tokens[self.position]
        if kind != "symbol" or token not in symbols:
            return None
        self.position += 1
        return token

    def expect(self, symbol: str) -> None:
        if self.accept(symbol) is None:
            self.fail(f"'{symbol}'")

    def parse(self) -> Term:
        term = self.comparison()
        if self.tokens[self.position][0] != "end":
            self.fail("an operator or the end of the expression")
        return term

    def comparison(self) -> Term:
        left = self.binary(0)
        if (symbol := self.accept(*COMPARISON_SYMBOLS)) is None:
            return left
        return Application(COMPARISON_SYMBOLS[symbol], (left, self.binary(0)))

    def binary(self, loosest: int) -> Term:
        left = self.unary()
        while True:
            known = BINARY_SYMBOLS.get(self.tokens[self.position][1])
            if known is None or known[1] < loosest:
                return left
            self.position += 1
            left = Application(known[0], (left, self.binary(known[1] + 1)))

    def unary(self) -> Term:
        self.nesting += 1
        if self.nesting > _MAX_NESTING:
            self.fail(f"parentheses and signs nested no deeper than {_MAX_NESTING}")
        term = self.signed()
        self.nesting -= 1
        return term

    def signed(self) -> Term:
        if (symbol := self.accept("-", "+", "~")) is None:
            return self.power()
        operand = self.unary()
        if symbol == "+":
            return operand
        if symbol == "-" and isinstance(operand, Number):
            return Number(-operand.value)
        return Application(UNARY_SYMBOLS[symbol], (operand,))

    def power(self) -> Term:
        base = self.primary()
        return base if self.accept("**") is None else Application("pow", (base, self.unary()))

    def primary(self) -> Term:
        kind, token, _ = self.tokens[self.position]
        if kind == "number":
            return self.number(token)
        if kind == "name":
            self.position += 1
            return self.named(token)
        if self.accept("(") is None:
            self.fail("a tensor, a number, a function or '('")
        term = self.comparison()
        self.expect(")")
        return term

    def number(self, token: str) -> Term:
        text = token.replace("_", "")
        try:
            value = complex(text) if text[-1] in "jJ" else float(text) if any(c in text for c in ".eE") else int(text)
        except ValueError:
            self.fail("a number")
        self.position += 1
        return Number(value)

    def named(self, name: str) -> Term:
        if self.tokens[self.position][1] == "(" and not self.is_function(name) and self.has_components_inside():
            # A statement names an operator of the user's without the mark.
            name = f"@{name}"
        if self.tokens[self.position][1] == "(" and self.is_function(name):
            self.position += 1
            start = self.position
            arguments = self.listed(self.argument, ")")
            if name in REDUCE_ONLY and not _are_names(arguments):
                self.position = start
                self.fail(f"the index variables of {name}, and then an expression")
            return _call(name, arguments)
        closing = {"[": "]", "(": ")"}.get(self.accept("[", "(") or "")
        if closing is None:
            return Number(CONSTANTS[name]) if name in CONSTANTS else Component(name)
        return Component(name, tuple(self.listed(self.index, closing)))

    def is_function(self, name: str) -> bool:
        """Brackets after other names hold indices, as in taco's A(i,j); `@` names an operator of the user's."""
        known = operator_named(name) is not None or name in REDUCE_ONLY or name in CASTS or name == CLIP
        return known or name.startswith("@")

    def has_components_inside(self) -> bool:
        """Whether the parentheses that open here hold components or calls, which no indices of a tensor are."""
        depth = 0
        for _, token, _ in self.tokens[self.position :]:
            depth += (token in ("(", "[")) - (token in (")", "]"))
            if depth != 1:
                return depth > 1
        return False

    def argument(self) -> Term | tuple[Term, ...]:
        """An argument of a function, or a list of index variables in parentheses, `(k, l)`."""
        following = [(kind, token) for kind, token, _ in self.tokens[self.position :]]
        closing = following.index(("symbol", ")")) if ("symbol", ")") in following else 0
        inside = following[1:closing]
        is_list = len(inside) > 2 and [kind for kind, _ in inside[::2]] == ["name"] * (len(inside) // 2 + 1)
        if following[0][1] != "(" or not is_list or any(token != "," for _, token in inside[1::2]):
            return self.comparison()
        self.position += closing + 1
        return tuple([Component(name) for _, name in inside[::2]])

    def index(self) -> str:
        kind, token, _ = self.tokens[self.position]
        if kind != "name":
            self.fail("an index variable")
        self.position += 1
        return token

    def listed(self, one: Callable[[], _Item], closing: str) -> list[_Item]:
        items: list[_Item] = []
        while self.tokens[self.position][1] != closing:
            items.append(one())
            if self.accept(",") is None:
                break
        self.expect(closing)
        return items


def _flat(given: Sequence[Term | tuple[Term, ...]]) -> list[Term]:
    return [one for argument in given for one in (argument if isinstance(argument, tuple) else (argument,))]


def _are_names(given: Sequence[Term | tuple[Term, ...]]) -> bool:
    """Whether all arguments but the last may be index variables, and there are some."""
    *names, body = _flat(given) or [Number(0)]
    return bool(names) and given[-1] is body and all(isinstance(one, Component) and not one.indices for one in names)


def _call(name: str, given: Sequence[Term | tuple[Term, ...]]) -> Term:
    """An operator of arguments; a reduction if all but the last are index variables, which that uses."""
    operator = REDUCE_ONLY.get(name) or ALIASES.get(name, name)
    arguments = _flat(given)
    if _are_names(given):
        *names, body = arguments
        indices = tuple([str(one) for one in names])
        reduces = operator in REDUCTIONS or operator.startswith("@")
        if name in REDUCE_ONLY or (reduces and _indices_of(body).issuperset(indices)):
            return Reduction(operator, indices, body)
    return _application(operator, arguments)


def _application(operator: str, arguments: list[Term]) -> Term:
    if operator == CLIP and len(arguments) == 3:
        return Application("min", (Application("max", (arguments[0], arguments[1])), arguments[2]))
    known = operator_named(operator)
    if known is not None and known.default is not None and len(arguments) == known.arity - 1:
        arguments = [*arguments, Number(known.default)]
    if operator in VARIADIC_FUNCTIONS and len(arguments) > 2:
        return reduce(lambda left, right: Application(operator, (left, right)), arguments)
    return Application(operator, tuple(arguments))


def _indices_of(term: Term) -> set[str]:
    """The index variables that a term uses."""
    match term:
        case Component(_, indices):
            return set(indices)
        case Number():
            return set()
        case Application(_, arguments):
            return set[str]().union(*map(_indices_of, arguments))
        case Reduction(_, _, body):
            return _indices_of(body)
