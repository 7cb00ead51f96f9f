"""Reads index expressions: `i + 1`, `2 * i - k`, `i // 2`, `I[i]`, inside of the brackets of an access."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from irtensor.core.diagnostics import UserError
from irtensor.frontend.expression_tree import (
    Access,
    Apply,
    Coordinate,
    Expression,
    If,
    Index,
    Literal,
    Reduce,
    Scalar,
    Span,
    Statement,
    Term,
    Variable,
    accesses,
    format_expression,
    variables_of,
    walk,
    with_terms,
)
from irtensor.frontend.notation.notation_errors import notation_error

# What an index says of coordinates outside of its dimension.
OUTSIDE = ("pad", "wrap", "clamp")
_LARGEST = (1 << 63) - 1
_FORMS = "an index is a sum of variables, integers and elements of integer tensors, with integer factors: 2 * i + k - 1"


def coordinate_of(
    expression: Expression, source: str | None, outside: str | None = None, value: Scalar | None = None
) -> Index:
    """The index that an expression is, as a name if it is a variable alone.

    `outside` and `value` are those of `Coordinate`. Raises UserError [unsupported-index].
    """
    span = _span_of(expression)
    if isinstance(expression, Access) and not expression.indices and outside is None:
        return expression.tensor
    if isinstance(expression, Variable) and outside is None:
        return expression.name
    sum = _Sum(source)
    sum.add(expression, 1)
    if outside is None and sum.divided is not None and len(sum.terms) == 1 and not sum.offset:
        return sum.divided
    return Coordinate(tuple(sum.terms.items()), sum.offset, 1, outside, value, span)


class _Sum:
    """The terms of an index with their factors, and the integers added up."""

    def __init__(self, source: str | None) -> None:
        self.source = source
        self.terms: dict[Term, int] = {}
        self.offset = 0
        # The only term, if it is a quotient.
        self.divided: Coordinate | None = None

    def add(self, expression: Expression, factor: int) -> None:
        """Add an expression times an integer."""
        match expression:
            case Literal(value=value) if type(value) is int:
                self.offset = self._fitting(self.offset + factor * value, expression)
            case Variable(name):
                self._add_term(name, factor, expression)
            case Access():
                term = expression if expression.indices else expression.tensor
                self._add_term(term, factor, expression)
            case Apply(operator="add" | "sub", arguments=(left, right)):
                self.add(left, factor)
                self.add(right, -factor if expression.operator == "sub" else factor)
            case Apply(operator="neg", arguments=(operand,)):
                self.add(operand, -factor)
            case Apply(operator="mul", arguments=(left, right)):
                self._add_product(expression, left, right, factor)
            case Apply(operator="floordiv", arguments=(left, right)):
                self._add_quotient(expression, left, right, factor)
            case Apply(operator="mod", arguments=(left, right)):
                # The remainder of a quotient rounded down.
                divisor = self._divisor(right, expression)
                self.add(left, factor)
                self._add_quotient(expression, left, right, -factor * divisor)
            case _:
                raise self.refuse(f"{format_expression(expression)} is not an index", expression, _FORMS)

    def _add_product(self, product: Expression, left: Expression, right: Expression, factor: int) -> None:
        for number, other in ((left, right), (right, left)):
            value = _integer(number)
            if value is not None:
                if value == 0:
                    raise self.refuse(f"{format_expression(product)} is 0 everywhere", product, "write 0")
                self.add(other, self._fitting(factor * value, product))
                return
        names = f"{format_expression(left)} and {format_expression(right)}"
        raise self.refuse(f"{names} are multiplied, and neither is an integer", product, _FORMS)

    def _add_quotient(self, quotient: Expression, left: Expression, right: Expression, factor: int) -> None:
        divisor = self._divisor(right, quotient)
        if divisor == 1:
            self.add(left, factor)
            return
        inner = _Sum(self.source)
        inner.add(left, 1)
        if not inner.terms:
            self.offset = self._fitting(self.offset + factor * (inner.offset // divisor), quotient)
            return
        term = Coordinate(tuple(inner.terms.items()), inner.offset, divisor, span=_span_of(quotient))
        self._add_term(term, factor, quotient)
        self.divided = term if factor == 1 else None

    def _divisor(self, expression: Expression, quotient: Expression) -> int:
        value = _integer(expression)
        if value is None or value < 1:
            message = f"the divisor of {format_expression(quotient)} is {format_expression(expression)}"
            raise self.refuse(message, quotient, "divide an index by a positive integer: i // 2")
        return value

    def _add_term(self, term: Term, factor: int, expression: Expression) -> None:
        total = self._fitting(self.terms.get(term, 0) + factor, expression)
        if total:
            self.terms[term] = total
        else:
            self.terms.pop(term, None)

    def _fitting(self, number: int, expression: Expression) -> int:
        if abs(number) > _LARGEST:
            message = f"{number} in an index does not fit in int64"
            raise notation_error("number-too-large", message, self.source, _span_of(expression))
        return number

    def refuse(self, message: str, expression: Expression, help: str) -> UserError:
        return notation_error("unsupported-index", message, self.source, _span_of(expression), help=help)


def with_names_resolved(statement: Statement) -> Statement:
    """The statement in which names are what they stand for: variables as values, as in `A[i, j] * i`, and integer
    operands in indices, as `s` in `x[i + s]`.

    A name is a variable if it is an index by itself, on the left or in a reduction, or alone in an index expression.
    """
    condition = statement.condition
    read = [*accesses(statement.expression), *(() if condition is None else accesses(condition))]
    computed = [index for access in read for index in access.indices if isinstance(index, Coordinate)]
    computed += [coordinate for _, coordinate in statement.coordinates]
    variables = {name for access in (statement.target, *read) for name in access.plain_indices}
    parts = [*walk(statement.expression), *(() if condition is None else walk(condition))]
    variables |= {name for node in parts if isinstance(node, Reduce) for name in node.indices}
    if not computed and not any(access.tensor in variables for access in read):
        return statement
    variables |= {name for one in computed if len(names := variables_of(one)) == 1 for name in names}
    condition = None if condition is None else _resolved(condition, variables)
    return replace(statement, expression=_resolved(statement.expression, variables), condition=condition)


def _resolved(expression: Expression, variables: Collection[str]) -> Expression:
    match expression:
        case Access(tensor, ()) if tensor in variables:
            return Variable(tensor, expression.span)
        case Access():
            return replace(expression, indices=tuple([_index_with(one, variables) for one in expression.indices]))
        case Apply():
            arguments = tuple([_resolved(one, variables) for one in expression.arguments])
            return replace(expression, arguments=arguments)
        case Reduce():
            return replace(expression, body=_resolved(expression.body, variables))
        case If(condition, body):
            return replace(expression, condition=_resolved(condition, variables), body=_resolved(body, variables))
        case Literal() | Variable():
            return expression


def _index_with(index: Index, variables: Collection[str]) -> Index:
    if isinstance(index, str):
        return index

    def of(term: str | Access) -> Term:
        if isinstance(term, str):
            return term if term in variables else Access(term, (), index.span)
        return replace(term, indices=tuple([_index_with(one, variables) for one in term.indices]))

    return with_terms(index, of)


def _integer(expression: Expression) -> int | None:
    return expression.value if isinstance(expression, Literal) and type(expression.value) is int else None


def _span_of(expression: Expression) -> Span | None:
    return expression.span
