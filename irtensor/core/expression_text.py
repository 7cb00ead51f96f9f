"""Expressions of index notation as text, such as `B[i,k] * C[k,j]`: how a schedule says which part of a statement it
means. Plain values, no IR; the notation's own front end adds types, reductions and errors about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NoReturn, TypeAlias, TypeVar

from irtensor.core.diagnostics import SourceLocation, UserError
from irtensor.core.operator_precedence import MAX_NESTING, PrecedenceParser, Span, Token, tokenize
from irtensor.core.operator_symbols import (
    BINARY_SYMBOLS,
    CASTS,
    CLIP,
    COMPARISON_SYMBOLS,
    CONSTANTS,
    REDUCE_ONLY,
    VARIADIC_FUNCTIONS,
)
from irtensor.core.operators import Scalar
from irtensor.operators.known_operators import ALIASES, REDUCTIONS, operator_named

# The name that such a text has where a file would be named.
EXPRESSION = "<expression>"
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
    """The term that a text means. Raises UserError [bad-expression] with its location."""
    return _Parser(text).parse()


class _Parser(PrecedenceParser[Term]):
    def __init__(self, text: str) -> None:
        super().__init__(text, [token for token in tokenize(text, r"[\w$.]") if token.text != "\n"])

    def fail(self, message: str, span: Span | None = None, help: str | None = None) -> NoReturn:
        start, end = span or self.token.span
        line = self.source.partition("\n")[0]
        location = SourceLocation(EXPRESSION, 1, start + 1, max(end, start + 1) + 1, line)
        help = help or "write a part of the statement as it stands there, such as B[i,k] * C[k,j]"
        raise UserError("bad-expression", message, location=location, help=help)

    def fail_expected(self, what: str) -> NoReturn:
        self.fail(f"expected {what}, found {self.found(self.token)}")

    def fail_nesting(self) -> NoReturn:
        self.fail_expected(f"parentheses and signs nested no deeper than {MAX_NESTING}")

    def apply(self, operator: str, arguments: tuple[Term, ...], span: Span) -> Term:
        return Application(operator, arguments)

    def literal(self, value: Scalar, span: Span) -> Term:
        return Number(value)

    def value_of(self, tree: Term) -> Scalar | None:
        return tree.value if isinstance(tree, Number) else None

    def parse(self) -> Term:
        term = self.parse_expression()
        if self.token.category != "end":
            self.fail_expected("an operator or the end of the expression")
        return term

    def parse_name(self, name: Token) -> Term:
        return self.named(name.text)

    def named(self, name: str) -> Term:
        if self.token.text == "(" and not self.is_function(name) and self.has_components_inside():
            # A statement names an operator of the user's without the mark.
            name = f"@{name}"
        if self.token.text == "(" and self.is_function(name):
            self.position += 1
            start = self.position
            arguments = self.listed(self.argument, ")")
            if name in REDUCE_ONLY and not _are_names(arguments):
                self.position = start
                self.fail_expected(f"the index variables of {name}, and then an expression")
            return _call(name, arguments)
        opening = self.accept("[", "(")
        if opening is None:
            return Number(CONSTANTS[name]) if name in CONSTANTS else Component(name)
        return Component(name, tuple(self.listed(self.index, "]" if opening.text == "[" else ")")))

    def is_function(self, name: str) -> bool:
        """Brackets after other names hold indices, as in taco's A(i,j); `@` names an operator of the user's."""
        known = operator_named(name) is not None or name in REDUCE_ONLY or name in CASTS or name == CLIP
        return known or name.startswith("@")

    def has_components_inside(self) -> bool:
        """Whether the parentheses that open here hold components or calls, which no indices of a tensor are."""
        depth = 0
        for token in self.tokens[self.position :]:
            depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
            if depth != 1:
                return depth > 1
        return False

    def argument(self) -> Term | tuple[Term, ...]:
        """An argument of a function, or a list of index variables in parentheses, `(k, l)`."""
        following = [(token.category, token.text) for token in self.tokens[self.position :]]
        closing = following.index(("operator", ")")) if ("operator", ")") in following else 0
        inside = following[1:closing]
        is_list = len(inside) > 2 and [category for category, _ in inside[::2]] == ["name"] * (len(inside) // 2 + 1)
        if following[0][1] != "(" or not is_list or any(token != "," for _, token in inside[1::2]):
            return self.parse_expression()
        self.position += closing + 1
        return tuple([Component(name) for _, name in inside[::2]])

    def index(self) -> str:
        if self.token.category != "name":
            self.fail_expected("an index variable")
        return self.advance().text

    def listed(self, one: Callable[[], _Item], closing: str) -> list[_Item]:
        items: list[_Item] = []
        while self.token.text != closing:
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
