"""Expressions that a text gives names to: `let c = D[i] + W[i,j]`. The name stands for the expression further on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from irtensor.core.operator_precedence import Token
from irtensor.frontend.expression_tree import Expression, Span, Statement, tensor_names, walk
from irtensor.frontend.notation.check_definitions import reads
from irtensor.frontend.notation.check_notation import MAX_NODES, check_size
from irtensor.frontend.notation.notation_errors import notation_error


class NamedExpressions:
    """The named expressions of a text, in which `statements` have been read so far."""

    def __init__(self, source: str, statements: Sequence[Statement]) -> None:
        self.source = source
        self.statements = statements
        self._expressions: dict[str, Expression] = {}
        self._sizes: dict[str, int] = {}
        self._spans: dict[str, Span] = {}
        # How many statements stand in front of each.
        self._before: dict[str, int] = {}
        self._unused: dict[str, Span] = {}
        # How many operators the names have brought into the statement that is read.
        self._inserted = 0

    def __contains__(self, name: str) -> bool:
        return name in self._expressions

    def start(self) -> None:
        """A statement begins."""
        self._inserted = 0

    def define(self, name: Token, expression: Expression) -> None:
        """Let a name stand for an expression. Raises UserError [assigned-twice]."""
        if name.text in self:
            self.refuse_second(name.text, name.span)
        for statement in self.statements:
            if name.text == statement.target.tensor or name.text in {access.tensor for access in reads(statement)}:
                message = f"{name.text} is a tensor of a statement before, and cannot name an expression"
                help = "give the expression another name"
                raise notation_error("assigned-twice", message, self.source, name.span, help=help)
        check_size(expression, self.source, name.span)
        self._expressions[name.text] = expression
        self._sizes[name.text] = sum(1 for _ in walk(expression))
        self._spans[name.text] = self._unused[name.text] = name.span
        self._before[name.text] = len(self.statements)

    def use(self, name: Token) -> Expression:
        """The expression that a name stands for. Raises UserError [read-before-definition] or [notation-too-deep]."""
        expression = self._expressions[name.text]
        self._unused.pop(name.text, None)
        read = tensor_names(expression)
        for statement in self.statements[self._before[name.text] :]:
            tensor = statement.target.tensor
            if tensor in read:
                message = f"{name.text} reads {tensor}, which has another value here than where {name.text} was named"
                notes = [(f"{tensor} is assigned here", statement.target.span)]
                help = f"name the expression after {tensor} is assigned, or store it: a statement of its own"
                span = name.span
                raise notation_error("read-before-definition", message, self.source, span, notes=notes, help=help)
        self._inserted += self._sizes[name.text]
        if self._inserted > MAX_NODES:
            message = f"the expression has more than {MAX_NODES} operators where names are what they stand for"
            help = "compute it in several statements"
            raise notation_error("notation-too-deep", message, self.source, name.span, help=help)
        return expression

    def refuse_second(self, name: str, span: Span | None) -> NoReturn:
        """Raise UserError [assigned-twice] for a name that has an expression."""
        message, notes = f"{name} names an expression already", [("it is named here", self._spans[name])]
        help = "give one of the two another name"
        raise notation_error("assigned-twice", message, self.source, span, notes=notes, help=help)

    def check_used(self) -> None:
        """Raise UserError [unused-definition] for a name that no statement uses."""
        for name, span in self._unused.items():
            message = f"no statement uses {name}"
            help = "use it further on, or remove it"
            raise notation_error("unused-definition", message, self.source, span, help=help)
