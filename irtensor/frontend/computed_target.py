"""Results whose indices are computed, `h[I[i]] += x[i]`: each term has a coordinate of its own."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from irtensor.frontend.expression_tree import (
    Access,
    Apply,
    Coordinate,
    Expression,
    Literal,
    Statement,
    Term,
    accesses,
    format_expression,
    gathered,
    variables_of,
)
from irtensor.frontend.notation.notation_errors import notation_error


def with_plain_target(statement: Statement) -> Statement:
    """The statement with variables for the computed indices of its result, and the condition that they are equal.

    `h[I[i]] += x[i]` becomes `h[at_0] += x[i] if I[i] == at_0`. Raises UserError [unsupported-index].
    """
    target = statement.target
    computed = [(number, index) for number, index in enumerate(target.indices) if isinstance(index, Coordinate)]
    if not computed:
        return statement
    taken = _names(statement)
    indices, conditions = list(target.indices), list[Expression]()
    coordinates: list[tuple[str, Coordinate]] = []
    for number, index in computed:
        _check(statement, index)
        name = f"at_{number}"
        while name in taken:
            name += "_"
        indices[number] = name
        coordinates.append((name, index))
        value = _value(replace(index, outside=None, value=None))
        conditions.append(Apply("eq", (value, Access(name, (), index.span)), index.span))
    if statement.condition is not None:
        conditions.append(statement.condition)
    return replace(
        statement,
        target=replace(target, indices=tuple(indices)),
        condition=reduce(lambda a, b: Apply("and", (a, b), b.span), conditions),
        coordinates=tuple(coordinates),
    )


def written_target(statement: Statement) -> Access:
    """The target with its indices as they were computed."""
    computed = dict(statement.coordinates)
    indices = [computed.get(index, index) if isinstance(index, str) else index for index in statement.target.indices]
    return replace(statement.target, indices=tuple(indices))


def _names(statement: Statement) -> set[str]:
    """The names that a statement has for tensors and variables."""
    parts = [statement.expression, *(() if statement.condition is None else (statement.condition,))]
    read = [statement.target, *(access for part in parts for access in accesses(part))]
    variables = {name for access in read for index in access.indices for name in variables_of(index)}
    return {access.tensor for access in read} | variables


def _check(statement: Statement, index: Coordinate) -> None:
    """That terms of one coordinate may be combined, and that all coordinates are integers of a range."""
    text = format_expression(statement.target)
    if index.outside not in (None, "pad") or index.value is not None:
        message = f"an index of the result {text} is written {index.outside}(...)"
        help = "write pad(...) with nothing else: terms outside are dropped"
        raise notation_error("unsupported-index", message, statement.source, index.span, help=help)
    if statement.operator is None and (len(index.terms) > 1 or index.divisor > 1 or gathered([index])):
        message = f"several terms may have the same coordinate in the result {text}"
        help = "say how they are combined: write +=, or another operator such as max="
        raise notation_error("unsupported-index", message, statement.source, index.span, help=help)


def _value(term: Term) -> Expression:
    """What a coordinate is computed from, as a value."""
    match term:
        case str():
            return Access(term)
        case Access():
            return term
        case Coordinate():
            total: Expression | None = None
            for part, factor in term.terms:
                value = _value(part)
                if abs(factor) != 1:
                    value = Apply("mul", (Literal(abs(factor)), value), term.span)
                if total is None:
                    total = value if factor > 0 else Apply("neg", (value,), term.span)
                else:
                    total = Apply("add" if factor > 0 else "sub", (total, value), term.span)
            offset = Literal(abs(term.offset), term.span)
            if total is None:
                total = offset if term.offset >= 0 else Literal(term.offset, term.span)
            elif term.offset:
                total = Apply("add" if term.offset > 0 else "sub", (total, offset), term.span)
            return total if term.divisor == 1 else Apply("floordiv", (total, Literal(term.divisor)), term.span)
