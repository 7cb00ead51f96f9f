"""Parses the statement form, `y[i] = A[i,j] * x[j] + b[i]`, with Python's precedence; taco's `y(i)` works as well."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import NoReturn

from irtensor.dialects.operator_symbols import BINARY_SYMBOLS, COMPARISON_SYMBOLS, CONSTANTS, UNARY_SYMBOLS
from irtensor.frontend.check_notation import check_statement
from irtensor.frontend.expression_tree import Access, Apply, Expression, Literal, Scalar, Span, Statement
from irtensor.frontend.function_calls import build_call, is_function, unknown_function
from irtensor.frontend.long_sums import divide_long_sums
from irtensor.frontend.notation_errors import notation_error
from irtensor.frontend.notation_tokens import Token, tokenize

_COMPOUND = {
    "+=": "add",
    "*=": "mul",
    "|=": "or",
    "&=": "and",
    "^=": "xor",
    # No reductions: `insert_reductions` says what to write instead.
    "-=": "sub",
    "/=": "div",
    "//=": "floordiv",
    "%=": "mod",
    "**=": "pow",
}
_EXAMPLE = "a statement names its result first: y[i] = A[i,j] * x[j]"
_ONE_STATEMENT = "compute each statement by itself; what one computes is an operand of the next"
# Parentheses, calls and signs within each other; the parser's own recursion takes several times as many frames.
MAX_NESTING = 100


def parse_notation(source: str, operators: Collection[str] = ()) -> Statement:
    """One statement. `operators` are the names of user operators that may be called or used as `name=`.

    Reductions are not inserted yet; `insert_reductions` does that. Errors are UserErrors that point into `source`.
    """
    statements = parse_statements(source, operators)
    if len(statements) != 1:
        message = f"expected one statement, found {len(statements) or 'none'}"
        span = statements[1].target.span if statements else (0, len(source))
        help = _ONE_STATEMENT if statements else _EXAMPLE
        raise notation_error("syntax-error", message, source, span, help=help)
    return statements[0]


def parse_statements(source: str, operators: Collection[str] = ()) -> tuple[Statement, ...]:
    """Statements separated by semicolons or line breaks."""
    try:
        statements = _Parser(source, operators).parse_all()
        for statement in statements:
            check_statement(statement)
    except RecursionError:
        # Reached from a deep stack of the caller's.
        message = "the notation nests too deeply for what is left of Python's stack"
        raise notation_error("notation-too-deep", message, source, None) from None
    return statements


class _Parser:
    def __init__(self, source: str, operators: Collection[str]):
        self.source = source
        self.operators = operators
        self.tokens = tokenize(source)
        self.position = 0
        self.nesting = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.position]

    def advance(self) -> Token:
        token = self.token
        self.position += token.kind != "end"
        return token

    def accept(self, *texts: str) -> Token | None:
        return self.advance() if self.token.kind == "operator" and self.token.text in texts else None

    def expect(self, text: str, why: str) -> Token:
        return self.accept(text) or self.fail(f"expected '{text}' {why}, found {self.token}")

    def fail(self, message: str, span: Span | None = None, help: str | None = None):
        raise notation_error("syntax-error", message, self.source, span or self.token.span, help=help)

    def fail_at_end(self) -> NoReturn:
        """The error for what follows a statement: the next one, or an operator that there is not."""
        help = None
        if self.token.text == "=":
            help = "to compare, write =="
        elif any(token.text == "=" or token.text in _COMPOUND for token in self.tokens[self.position :]):
            help = _ONE_STATEMENT
        self.fail(f"expected an operator or the end of the statement, found {self.token}", help=help)

    def parse_all(self) -> tuple[Statement, ...]:
        statements: list[Statement] = []
        while self.token.kind != "end":
            if self.accept(";", "\n"):
                continue
            statements.append(self.parse_statement())
            if self.token.kind != "end" and not self.accept(";", "\n"):
                self.fail_at_end()
        return tuple(statements)

    def parse_statement(self) -> Statement:
        if self.token.kind != "name":
            self.fail(f"expected the result, such as y[i], found {self.token}")
        if self.token.text.startswith("@"):
            self.fail(f"an operator cannot be the result: {self.token}")
        target = self.parse_access(self.advance())
        operator = self.parse_assignment()
        return Statement(target, operator, divide_long_sums(self.parse_expression()), self.source)

    def parse_assignment(self) -> str | None:
        if self.accept("="):
            return None
        if compound := self.accept(*_COMPOUND):
            return _COMPOUND[compound.text]
        if self.token.kind == "name" and self.tokens[self.position + 1].text == "=":
            name = self.advance()
            self.advance()
            if self.is_declared(name):
                return f"@{name.text.removeprefix('@')}"
            if is_function(name.text):
                return name.text
            self.fail(f"'{name.text}' is not an operator", name.span, help="declare it, or use one such as min= or +=")
        help = _EXAMPLE
        if "->" in self.source and "=" not in self.source:
            help = "subscripts are for einsum: einsum('ij,j->i', A, x)"
        return self.fail(f"expected '=' after the result, found {self.token}", help=help)

    def parse_expression(self) -> Expression:
        left = self.parse_binary()
        if (token := self.accept(*COMPARISON_SYMBOLS)) is None:
            return left
        right = self.parse_binary()
        if self.token.kind == "operator" and self.token.text in COMPARISON_SYMBOLS:
            self.fail("comparisons cannot be chained", help="write (a < b) & (b < c)")
        return Apply(COMPARISON_SYMBOLS[token.text], (left, right), _join(left, right))

    def parse_binary(self, loosest: int = 0) -> Expression:
        """Operands joined by operators that bind at least as tightly as `loosest`."""
        left = self.parse_unary()
        while self.token.kind == "operator" and (known := BINARY_SYMBOLS.get(self.token.text)) and known[1] >= loosest:
            self.advance()
            right = self.parse_binary(known[1] + 1)
            left = Apply(known[0], (left, right), _join(left, right))
        return left

    def parse_unary(self) -> Expression:
        if self.nesting == MAX_NESTING:
            message = f"parentheses, functions and signs nest deeper than {MAX_NESTING}"
            help = "compute it in several statements"
            raise notation_error("notation-too-deep", message, self.source, self.token.span, help=help)
        self.nesting += 1
        expression = self.parse_signed()
        self.nesting -= 1
        return expression

    def parse_signed(self) -> Expression:
        if (token := self.accept("-", "+", "~")) is None:
            return self.parse_power()
        if token.text == "-" and (least := self.parse_least(token)) is not None:
            return least
        operand = self.parse_unary()
        span = (token.span[0], _end(operand))
        if token.text == "+":
            return replace(operand, span=span)
        if token.text == "-" and isinstance(operand, Literal) and type(operand.value) is not bool:
            return Literal(-operand.value, span)
        return Apply(UNARY_SYMBOLS[token.text], (operand,), span)

    def parse_least(self, sign: Token) -> Literal | None:
        """The least integer of 64 bits after its sign, without which it would be too large."""
        number = self.token
        if number.kind != "number" or number.text.replace("_", "") != str(1 << 63):
            return None
        if self.tokens[self.position + 1].text == "**":
            return None
        self.advance()
        return Literal(-(1 << 63), (sign.span[0], number.span[1]))

    def parse_power(self) -> Expression:
        base = self.parse_primary()
        if self.accept("**") is None:
            return base
        exponent = self.parse_unary()
        return Apply("pow", (base, exponent), _join(base, exponent))

    def parse_primary(self) -> Expression:
        token = self.token
        if token.kind == "number":
            return Literal(self.parse_number(self.advance()), token.span)
        if token.kind == "name":
            return self.parse_name(self.advance())
        if self.accept("("):
            inner = self.parse_expression()
            close = self.expect(")", "to close the parenthesis")
            return replace(inner, span=(token.span[0], close.span[1]))
        return self.fail(f"expected a tensor, a number, a function or '(', found {token}")

    def parse_number(self, token: Token) -> Scalar:
        text = token.text.replace("_", "")
        try:
            if text[-1] in "jJ":
                return complex(text)
            value = float(text) if any(mark in text for mark in ".eE") else int(text)
        except ValueError:
            return self.fail(f"{token.text!r} is not a number", token.span)
        if isinstance(value, int) and value >= 1 << 63:
            help = f"write it as a float: {float(value):g}" if value < 1 << 1023 else "write it as a float"
            message = f"{value} does not fit in int64"
            raise notation_error("number-too-large", message, self.source, token.span, help=help)
        return value

    def parse_name(self, name: Token) -> Expression:
        following = self.token
        if following.text == "(" and (self.is_declared(name) or is_function(name.text)):
            return self.parse_call(name)
        if name.text.startswith("@"):
            self.fail(f"operator {name.text} is applied to arguments in parentheses", name.span)
        if name.text in CONSTANTS and following.text not in ("[", "("):
            return Literal(CONSTANTS[name.text], name.span)
        return self.parse_access(name)

    def is_declared(self, name: Token) -> bool:
        """Whether a name is a user's operator; `@name` can be nothing else."""
        if name.text.removeprefix("@") in self.operators:
            return True
        if name.text.startswith("@"):
            message = f"operator {name.text} is not declared"
            help = "declare it with irtensor.operator, and pass operators=[...]"
            raise notation_error("unknown-operator", message, self.source, name.span, help=help)
        return False

    def parse_access(self, name: Token) -> Access:
        opening = self.accept("[", "(")
        if opening is None:
            return Access(name.text, (), name.span)
        closing = "]" if opening.text == "[" else ")"
        indices: list[str] = []
        if self.is_call(opening):
            raise unknown_function(name.text, self.operators, self.source, name.span)
        while self.token.text != closing:
            indices.append(self.parse_index(name, opening))
            if self.accept(",") is None:
                break
        end = self.expect(closing, f"after the indices of {name.text}")
        return Access(name.text, tuple(indices), (name.span[0], end.span[1]))

    def is_call(self, opening: Token) -> bool:
        """Whether a parenthesis that was opened has arguments of a function: accesses in it, or calls."""
        if opening.text != "(":
            return False
        ends = (")", "]", ";", "\n", "=", "[", "(")
        following = (token for token in self.tokens[self.position :] if token.kind == "end" or token.text in ends)
        return next(following).text in ("[", "(")

    def parse_index(self, tensor: Token, opening: Token) -> str:
        token = self.advance()
        if token.kind == "name" and token.text[0] != "@" and self.token.text in (",", "]", ")"):
            return token.text
        place = token if token.kind != "name" else self.token
        if place.kind == "end" or place.text in ("=", ";", "\n", *_COMPOUND):
            self.fail(f"the indices of {tensor.text} are not closed", tensor.span)
        help = "index arithmetic and constant coordinates are not supported yet"
        if is_function(tensor.text):
            help = f"the arguments of {tensor.text} stand in parentheses: {tensor.text}(...)"
        elif opening.text == "(":
            help += f"; if a function was meant, there is none called {tensor.text}"
        raise notation_error(
            "unsupported-index",
            f"an index of {tensor.text} must be an index variable, found {place}",
            self.source,
            place.span,
            help=help,
        )

    def parse_call(self, name: Token) -> Expression:
        self.advance()
        arguments: list[Expression | tuple[Access, ...]] = []
        while self.token.text != ")":
            arguments.append(self.parse_index_tuple() or self.parse_expression())
            if self.accept(",") is None:
                break
        end = self.expect(")", f"after the arguments of {name.text}")
        function = f"@{name.text.removeprefix('@')}" if self.is_declared(name) else name.text
        return build_call(function, arguments, self.source, (name.span[0], end.span[1]))

    def parse_index_tuple(self) -> tuple[Access, ...] | None:
        """`(k, l)` as the first argument of a reduction; None if the parenthesis holds an expression."""
        start = self.position
        names: list[Access] = []
        if self.accept("("):
            while self.token.kind == "name":
                token = self.advance()
                names.append(Access(token.text, (), token.span))
                if self.accept(",") is None:
                    break
            if len(names) > 1 and self.accept(")") and self.token.text == ",":
                return tuple(names)
        self.position = start
        return None


def _end(expression: Expression) -> int:
    assert expression.span is not None
    return expression.span[1]


def _join(left: Expression, right: Expression) -> Span | None:
    assert left.span is not None and right.span is not None
    return left.span[0], right.span[1]
