"""Reads programs from the text in which they are shown: `forall i: ((forall j: A[i,j] = w[s(j)]) where (...))`."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import NoReturn

from irtensor.core.diagnostics import UserError
from irtensor.core.expression_text import Application, Component, Number, Reduction, Term, parse_expression
from irtensor.core.operators import OPERATORS, Operator
from irtensor.dialects.concrete_index.protocols import APPEND, INSERT, LOCATE, STEP
from irtensor.passes.autoschedule.statements import (
    INFIX,
    Access,
    Assign,
    Call,
    Expression,
    Indices,
    Literal,
    Statement,
    Where,
    is_associative,
    located,
    loops_over,
)

_FORALL = re.compile(r"forall\s+([^:]*):(.*)", re.DOTALL)
_WHERE = re.compile(r"\s*where\s*(\(.*)", re.DOTALL)
_ASSIGN = re.compile(r"([^\W\d][\w.$]*\s*(?:\[[^\]]*\])?)\s*([^\s=]*)=(.*)", re.DOTALL)
# A protocol of an access; the notation of expressions has no such marks, but takes the sign in names.
_READ_MARK, _WRITE_MARK = (re.compile(rf"(?<=[\[,\s])([{s}])\(\s*([^\W\d][\w.]*)\s*\)") for s in ("sl", "ail"))
_MOST_NESTED = 100
_PROTOCOLS = {"s": STEP, "l": LOCATE, "a": APPEND, "i": INSERT}
_SIGNS = {symbol: operator for operator, symbol in INFIX.items()}


def parse_program(text: str, indices: Collection[str], operators: Mapping[str, Operator] = OPERATORS) -> Statement:
    """A program over some index variables, with operators by name. Raises UserError [bad-expression].

    `ijk` after `forall` is one variable if there is one of that name, else three.
    """
    parser = _Parser(text, frozenset(indices), operators)
    if max(_READ_MARK.sub(r"\2", text).count("("), text.count("forall")) > _MOST_NESTED:
        parser.fail(f"there are more than {_MOST_NESTED} parentheses or loops")
    return parser.statement(text.strip())


class _Parser:
    def __init__(self, text: str, indices: frozenset[str], operators: Mapping[str, Operator]) -> None:
        self.text = text
        self.operators = operators
        self.indices = indices

    def fail(self, message: str) -> NoReturn:
        help = "write a program as irtensor-autoschedule shows them, such as forall ij: a[i] += B[s(i),s(j)] * c[j]"
        raise UserError("bad-expression", f"{message}, in '{self.text}'", help=help)

    def statement(self, text: str) -> Statement:
        if (loop := _FORALL.fullmatch(text)) is not None:
            variables = tuple(variable for word in loop[1].split() for variable in self.variables(word))
            return loops_over(variables, self.statement(loop[2].strip()))
        if not text.startswith("("):
            return self.assign(text)
        inside, rest = self.parenthesized(text)
        if not rest.strip():
            return self.statement(inside)
        if (where := _WHERE.fullmatch(rest)) is None:
            self.fail(f"expected 'where (...)' after parentheses, found '{rest.strip()}'")
        producer, rest = self.parenthesized(where[1])
        if rest.strip():
            self.fail(f"expected the end after 'where (...)', found '{rest.strip()}'")
        return Where(self.statement(inside), self.statement(producer))

    def variables(self, word: str) -> Indices:
        if word in self.indices:
            return (word,)
        for letter in word:
            if letter not in self.indices:
                self.fail(f"'{word}' after forall is not an index variable; use {', '.join(sorted(self.indices))}")
        return tuple(word)

    def parenthesized(self, text: str) -> tuple[str, str]:
        """The text in the parentheses at the beginning, and the text behind them."""
        depth = 0
        for position, character in enumerate(text):
            depth += (character == "(") - (character == ")")
            if depth == 0:
                return text[1:position].strip(), text[position + 1 :]
        self.fail("a parenthesis is not closed")

    def assign(self, text: str) -> Assign:
        if (found := _ASSIGN.fullmatch(text)) is None:
            self.fail(f"expected an assignment such as a[i] += b[i], found '{text}'")
        target, sign, value = found.groups()
        operator = self.operators.get(_SIGNS.get(sign, sign))
        if sign and operator is None:
            self.fail(f"'{sign}=' is not a reduction")
        stored = self.expression(parse_expression(_WRITE_MARK.sub(r"\1$\2", target)))
        if not isinstance(stored, Access):
            self.fail(f"expected a tensor before '=', found '{target}'")
        # Whether the others are appended or inserted follows from the loops.
        written = [LOCATE if one == LOCATE else INSERT for one in stored.protocols] if located(stored) else ()
        marked = _READ_MARK.sub(r"\1$\2", value)
        return Assign(stored._replace(protocols=tuple(written)), operator, self.expression(parse_expression(marked)))

    def expression(self, term: Term) -> Expression:
        match term:
            case Component(tensor, marked):
                marks = [mark.rpartition("$") for mark in marked]
                indices = tuple([index for _, _, index in marks])
                if unknown := [index for index in indices if index not in self.indices]:
                    self.fail(
                        f"{tensor} has an index '{unknown[0]}', which is none of {', '.join(sorted(self.indices))}"
                    )
                protocols = tuple([_PROTOCOLS[mark] for mark, _, _ in marks if mark])
                if protocols and len(protocols) < len(indices):
                    self.fail(f"only some modes of {tensor} have a protocol")
                return Access(tensor, indices, protocols)
            case Number(value):
                return Literal(value)
            case Reduction():
                self.fail(f"'{term}' reduces, which loops of a program do")
            case Application(name, arguments):
                if (operator := self.operators.get(name)) is None:
                    self.fail(f"no operator is named '{name}'")
                first, *rest = [self.expression(argument) for argument in arguments]
                # A sum written as a + b + c is one call.
                if isinstance(first, Call) and first.operator is operator and is_associative(operator):
                    return Call(operator, (*first.arguments, *rest))
                return Call(operator, (first, *rest))
