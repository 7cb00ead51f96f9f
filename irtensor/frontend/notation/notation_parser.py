"""Parses the statement form, `y[i] = A[i,j] * x[j] + b[i]`, with Python's precedence; taco's `y(i)` works as well."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import NoReturn

from irtensor.core.diagnostics import UserError
from irtensor.core.operator_precedence import MAX_NESTING, PrecedenceParser, Token, tokenize
from irtensor.core.operator_symbols import CONSTANTS
from irtensor.frontend.computed_target import with_plain_target
from irtensor.frontend.expression_tree import (
    Access,
    Apply,
    Expression,
    If,
    Index,
    Literal,
    Scalar,
    Span,
    Statement,
)
from irtensor.frontend.long_sums import divide_long_sums
from irtensor.frontend.notation.check_definitions import check_definitions
from irtensor.frontend.notation.check_notation import check_sizes, check_statement
from irtensor.frontend.notation.coordinates import OUTSIDE, coordinate_of, with_names_resolved
from irtensor.frontend.notation.function_calls import build_call, is_function, unknown_function
from irtensor.frontend.notation.named_expressions import NamedExpressions
from irtensor.frontend.notation.notation_errors import notation_error
from irtensor.frontend.notation.slices import Slice, refused
from irtensor.operators.known_operators import ALIASES, operator_named

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
_SYMBOLS = {"sum": "+=", "prod": "*="}
_EXAMPLE = "a statement names its result first: y[i] = A[i,j] * x[j]"
_SEPARATE = "separate statements by ';' or a line break"


def parse_statement(source: str, operators: Collection[str] = ()) -> Statement:
    """One statement; see `parse_notation`."""
    first, *others = parse_notation(source, operators)
    if others:
        message = f"expected one statement, found {len(others) + 1}"
        help = "compute each statement by itself; what one computes is an operand of the next"
        raise notation_error("syntax-error", message, source, others[0].target.span, help=help)
    return first


def parse_notation(source: str, operators: Collection[str] = ()) -> tuple[Statement, ...]:
    """Statements separated by semicolons or line breaks; what one computes, those behind it may read.

    `operators` are the names of user operators that may be called or used as `name=`. Reductions are not inserted yet;
    `insert_reductions` does that. Errors are UserErrors that point into `source`.
    """
    try:
        statements = tuple([_understood(statement) for statement in _Parser(source, operators).parse_all()])
    except RecursionError:
        # Reached from a deep stack of the caller's.
        message = "the notation nests too deeply for the rest of Python's stack"
        raise notation_error("notation-too-deep", message, source, None) from None
    if len(statements) == 0:
        message = "expected a statement, found none"
        raise notation_error("syntax-error", message, source, (0, len(source)), help=_EXAMPLE)
    check_definitions(statements)
    return statements


def _understood(statement: Statement) -> Statement:
    """A statement as it was parsed, with names resolved, after checks."""
    check_sizes(statement)
    statement = with_names_resolved(with_plain_target(statement))
    check_statement(statement)
    return statement


class _Parser(PrecedenceParser[Expression]):
    END = "the end of the notation"

    def __init__(self, source: str, operators: Collection[str]):
        super().__init__(source, tokenize(source))
        self.operators = operators
        self.statements: list[Statement] = []
        # How far index variables run that slices have as an index.
        self.ranges: dict[str, tuple[int, str]] = {}
        self.named = NamedExpressions(source, self.statements)
        if (strange := next((token for token in self.tokens if token.category == "other"), None)) is not None:
            hints = {"@": "write a matrix product with index variables: A[i, k] * B[k, j]", "!": "write != or not(...)"}
            message, help = f"{strange.text!r} is not part of the notation", hints.get(strange.text)
            raise notation_error("unexpected-character", message, source, strange.span, help=help)

    def fail(self, message: str, span: Span | None = None, help: str | None = None) -> NoReturn:
        raise notation_error("syntax-error", message, self.source, span or self.token.span, help=help)

    def fail_nesting(self) -> NoReturn:
        message = f"parentheses, functions and signs nest deeper than {MAX_NESTING}"
        help = "compute it in several statements"
        raise notation_error("notation-too-deep", message, self.source, self.token.span, help=help)

    def apply(self, operator: str, arguments: tuple[Expression, ...], span: Span) -> Expression:
        return Apply(operator, arguments, span)

    def literal(self, value: Scalar, span: Span) -> Expression:
        return Literal(value, span)

    def value_of(self, tree: Expression) -> Scalar | None:
        return tree.value if isinstance(tree, Literal) else None

    def enclosed(self, tree: Expression, span: Span) -> Expression:
        return replace(tree, span=span)

    def parse_number(self, token: Token, is_negative: bool = False) -> Scalar:
        value = super().parse_number(token)
        if isinstance(value, int) and value >= (1 << 63) + is_negative:
            help = f"write it as a float: {float(value):g}" if value < 1 << 1023 else "write it as a float"
            message = f"{value} does not fit in int64"
            raise notation_error("number-too-large", message, self.source, token.span, help=help)
        return value

    def fail_at_end(self) -> NoReturn:
        """The error for text behind a statement: the next one, or an operator that there is not."""
        help = None
        if self.token.text == "=":
            help = "to compare, write =="
        elif any(token.text == "=" or token.text in _COMPOUND for token in self.tokens[self.position :]):
            help = _SEPARATE
        self.fail(f"expected an operator or the end of the statement, found {self.found(self.token)}", help=help)

    def parse_all(self) -> list[Statement]:
        while self.token.category != "end":
            if self.accept(";", "\n"):
                continue
            self.named.start()
            self.ranges = {}
            if not self.parse_let():
                self.statements.append(self.parse_statement())
            if self.token.category != "end" and not self.accept(";", "\n"):
                self.fail_at_end()
        self.named.check_used()
        return self.statements

    def parse_let(self) -> bool:
        """`let c = ...`: a name for an expression; False if a statement follows."""
        name, behind = self.following, self.tokens[min(self.position + 2, len(self.tokens) - 1)]
        if self.token.text != "let" or name.category != "name" or operator_named(name.text) is not None:
            return False
        if behind.text != "=":
            message = f"expected '=' after the name, found {self.found(behind)}"
            help = f"a name without indices stands for an expression with them: let {name.text} = A[i, j] * x[j]"
            self.fail(message, behind.span, help=help)
        for _ in range(3):
            self.advance()
        self.named.define(name, divide_long_sums(self.parse_expression()))
        return True

    def parse_statement(self) -> Statement:
        if self.token.category != "name":
            self.fail(f"expected the result, such as y[i], found {self.found(self.token)}")
        if self.token.text.startswith("@"):
            self.fail(f"an operator cannot be the result: {self.found(self.token)}")
        name = self.advance()
        if name.text in self.named:
            self.named.refuse_second(name.text, name.span)
        target = self.parse_access(name)
        operator = self.parse_assignment()
        expression = divide_long_sums(self.parse_expression())
        condition = self.parse_condition()
        extents = tuple([(name, extent) for name, (extent, _) in self.ranges.items()])
        return Statement(target, operator, expression, self.source, condition=condition, extents=extents)

    def parse_condition(self) -> Expression | None:
        """`if` and a condition, where they follow."""
        if self.token.text != "if" or self.token.category != "name":
            return None
        start = self.advance()
        condition, behind = self.parse_expression(), self.token
        if behind.text == "else":
            help = "write where(condition, a, b) to choose; where the condition of an 'if' is false, nothing is stored"
            self.fail("a condition has no other choice, found 'else'", self.since(start), help=help)
        return condition

    def parse_assignment(self) -> str | None:
        if self.accept("="):
            return None
        if compound := self.accept(*_COMPOUND):
            return _COMPOUND[compound.text]
        if self.token.category == "name" and self.tokens[self.position + 1].text == "=":
            name = self.advance()
            self.advance()
            if self.is_declared(name):
                return f"@{name.text.removeprefix('@')}"
            if operator_named(name.text) is not None:
                return ALIASES.get(name.text, name.text)
            known = _SYMBOLS.get(name.text)
            help = f"write {known}" if known else "declare it, or use one such as min= or +="
            self.fail(f"'{name.text}' is not an operator", name.span, help=help)
        help = _EXAMPLE
        if "->" in self.source and "=" not in self.source:
            help = "subscripts are for einsum: einsum('ij,j->i', A, x)"
        self.fail(f"expected '=' after the result, found {self.found(self.token)}", help=help)

    def parse_name(self, name: Token) -> Expression:
        following = self.token
        if following.text == "(" and (self.is_declared(name) or is_function(name.text)):
            return self.parse_call(name)
        if name.text.startswith("@"):
            self.fail(f"operator {name.text} is applied to arguments in parentheses", name.span)
        if name.text in self.named:
            return self.parse_named(name)
        if name.text in CONSTANTS and following.text not in ("[", "("):
            return Literal(CONSTANTS[name.text], name.span)
        return self.parse_access(name)

    def parse_named(self, name: Token) -> Expression:
        """What a name stands for, where a `let` has said so."""
        if self.token.text == "[":
            message = f"{name.text} names an expression, and takes no indices"
            help = f"write {name.text}: the expression has the index variables that it was written with"
            self.fail(message, self.token.span, help=help)
        return self.named.use(name)

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
        indices: list[Index] = []
        if self.is_call(opening):
            raise unknown_function(name.text, self.operators, self.source, name.span)
        slices = self.parse_slices(name) if opening.text == "[" and self.is_sliced() else None
        while self.token.text != closing:
            indices.append(self.parse_index(name, opening))
            if self.accept(",") is None:
                break
        end = self.expect(closing, f" after the indices of {name.text}")
        span = name.span[0], end.span[1]
        return Access(name.text, tuple(indices if slices is None else self.in_slices(slices, indices, span)), span)

    def is_sliced(self) -> bool:
        """Whether a bracket that was opened has slices inside."""
        depth = 0
        for token in self.tokens[self.position :]:
            if token.category == "end" or (token.text == "]" and depth == 0):
                return False
            if token.text == ":" and depth == 0:
                return True
            depth += (token.text in ("[", "(")) - (token.text in ("]", ")"))
        return False

    def parse_slices(self, name: Token) -> list[Slice | Index]:
        """`2:10:3, 4]` and the bracket behind it: slices, and indices of dimensions that are none."""
        found: list[Slice | Index] = []
        while self.token.text != "]":
            start, begin = self.token, self.position
            bounds = [self.parse_bound(is_first=True)]
            while len(bounds) < 3 and self.accept(":"):
                bounds.append(self.parse_bound())
            if len(bounds) == 1:
                # No slice: an index of a dimension that the slice does not have.
                self.position = begin
                found.append(self.parse_index(name, start))
            else:
                numbers = [*bounds, None][:3]
                found.append(Slice.of(numbers[0], numbers[1], numbers[2], self.source, self.since(start)))
            if self.accept(",") is None:
                break
        self.expect("]", f" after the slices of {name.text}")
        self.expect("[", f" with the indices of the slice: {name.text}[...][i]")
        return found

    def parse_bound(self, is_first: bool = False) -> int | None:
        """An integer of a slice, if there is one. The first expression of an index may belong to no slice."""
        if self.token.text in (":", ",", "]"):
            return None
        start = self.token
        value = self.value_of(self.parse_expression())
        if type(value) is not int and (self.token.text == ":" or not is_first):
            message, help = "the numbers of a slice are integers", "write them out, or compute the index: a[n + i]"
            raise refused(message, self.source, self.since(start), help)
        return value if type(value) is int else None

    def in_slices(self, slices: list[Slice | Index], indices: list[Index], span: Span) -> list[Index]:
        """The indices of a tensor for those of its slices."""
        rest, found = list(indices), list[Index]()
        count = sum(isinstance(one, Slice) for one in slices)
        if count != len(indices):
            message = f"the slice has {count} dimensions, {len(indices)} indices are given"
            raise refused(message, self.source, span, "give an index for each slice, as in A[2:5, ::2][i, j]")
        for one in slices:
            if not isinstance(one, Slice):
                found.append(one)
                continue
            index = rest.pop(0)
            if isinstance(index, str) and one.values is not None:
                text = self.source[span[0] : span[1]]
                known = self.ranges.setdefault(index, (one.values, text))
                if known[0] != one.values:
                    message = f"index {index} has {one.values} values in {text}, but {known[0]} in {known[1]}"
                    raise notation_error("extent-mismatch", message, self.source, span)
            found.append(one.at(index, self.source, span))
        return found

    def is_call(self, opening: Token) -> bool:
        """Whether a parenthesis that was opened has arguments of a function: accesses in it, or calls."""
        if opening.text != "(":
            return False
        ends = (")", "]", ";", "\n", "=", "[", "(")
        following = (token for token in self.tokens[self.position :] if token.category == "end" or token.text in ends)
        return next(following).text in ("[", "(")

    def parse_index(self, tensor: Token, opening: Token) -> Index:
        token, following = self.token, self.following
        is_alone = token.category == "name" and token.text[0] != "@" and following.text in (",", "]", ")")
        if is_alone and token.text not in self.named:
            return self.advance().text
        is_name = token.category == "name"
        if opening.text == "(" or is_function(tensor.text):
            raise self.no_variable(tensor, opening, following if is_name else token)
        if self.is_end(following if is_name else token):
            self.fail(f"the indices of {tensor.text} are not closed", tensor.span)
        index = self.parse_coordinate()
        if self.is_end(self.token):
            self.fail(f"the indices of {tensor.text} are not closed", tensor.span)
        return index

    def parse_coordinate(self) -> Index:
        """One index, as an expression or `pad(...)`, `wrap(...)`, `clamp(...)` of one."""
        outside = None
        if self.token.text in OUTSIDE and self.following.text == "(":
            outside = self.advance().text
            self.advance()
        index, value = self.parse_expression(), None
        if outside is not None:
            if outside == "pad" and self.accept(","):
                start = self.token
                value = self.value_of(self.parse_expression())
                if value is None:
                    self.fail("pad takes an index, and a number to read outside", self.since(start))
            self.expect(")", f" after the index of {outside}")
        return coordinate_of(index, self.source, outside, value)

    @property
    def following(self) -> Token:
        """The token after the next one."""
        return self.tokens[min(self.position + 1, len(self.tokens) - 1)]

    def is_end(self, token: Token) -> bool:
        """Whether a token is none that brackets have inside."""
        return token.category == "end" or token.text in ("=", ";", "\n", *_COMPOUND)

    def no_variable(self, tensor: Token, opening: Token, found: Token) -> UserError:
        """The error of an index that is not a variable, where parentheses have nothing else."""
        help = f"write it in brackets: {tensor.text}[...]"
        if is_function(tensor.text):
            help = f"the arguments of {tensor.text} stand in parentheses: {tensor.text}(...)"
        elif opening.text == "(":
            help += f"; if a function was meant, there is none called {tensor.text}"
        message = f"an index of {tensor.text} must be an index variable, found {self.found(found)}"
        return notation_error("unsupported-index", message, self.source, found.span, help=help)

    def parse_call(self, name: Token) -> Expression:
        self.advance()
        arguments: list[Expression | tuple[Access, ...]] = []
        while self.token.text != ")":
            arguments.append(self.parse_index_tuple() or self.parse_argument())
            if self.accept(",") is None:
                break
        end = self.expect(")", f" after the arguments of {name.text}")
        function = f"@{name.text.removeprefix('@')}" if self.is_declared(name) else name.text
        return build_call(function, arguments, self.source, (name.span[0], end.span[1]))

    def parse_argument(self) -> Expression:
        start, body = self.token, self.parse_expression()
        condition = self.parse_condition()
        return body if condition is None else If(condition, body, self.since(start))

    def parse_index_tuple(self) -> tuple[Access, ...] | None:
        """`(k, l)` as the first argument of a reduction; None if the parenthesis holds an expression."""
        start = self.position
        names: list[Access] = []
        if self.accept("("):
            while self.token.category == "name":
                token = self.advance()
                names.append(Access(token.text, (), token.span))
                if self.accept(",") is None:
                    break
            if len(names) > 1 and self.accept(")") and self.token.text == ",":
                return tuple(names)
        self.position = start
        return None
