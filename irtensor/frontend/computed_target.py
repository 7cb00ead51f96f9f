"""Results whose indices are computed, `h[I[i]] += x[i]`: each term has a coordinate of its own."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from irtensor.frontend.expression_tree import (
    Access,
    Apply,
    Coordinate,
    Expression,
    Index,
    Literal,
    Statement,
    Term,
    accesses,
    format_expression,
    format_index,
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
    if statement.operator is None:
        _check_reduction(statement)
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
        stores_once=statement.operator is None and not tells_apart(target),
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
    """A coordinate of a result is written, so that nothing says what to read outside."""
    text = format_expression(statement.target)
    if index.outside not in (None, "pad") or index.value is not None:
        message = f"an index of the result {text} is written {index.outside}(...)"
        help = "write pad(...) with nothing else: terms outside are dropped"
        raise notation_error("unsupported-index", message, statement.source, index.span, help=help)


def _check_reduction(statement: Statement) -> None:
    """A plain assignment of several terms to one coordinate, whatever operands hold, is a reduction."""
    target = statement.target
    if not all(map(_is_affine, target.indices)) or tells_apart(target):
        return
    shared = next(index for index in target.indices if len(variables_of(index)) > 1)
    text, names = format_index(shared), " and ".join(variables_of(shared))
    message = f"{text} is the same for several {names}, so that {format_expression(target)} = ... is a reduction"
    help = f"say which: {format_expression(target)} += ..., or min=, max=, *=, |=, &="
    raise notation_error("unsupported-index", message, statement.source, target.span, help=help)


def _is_affine(index: Index) -> bool:
    if isinstance(index, str):
        return True
    return index.divisor == 1 and all(isinstance(term, str) for term, _ in index.terms)


def tells_apart(target: Access) -> bool:
    """Whether a result has other coordinates for other values of its variables, whatever operands hold."""
    known = {*target.plain_indices}
    waiting = [{*variables_of(one)} for one in target.indices if _is_affine(one)]
    while new := [names - known for names in waiting if len(names - known) == 1]:
        known = known.union(*new)
    return all(name in known for index in target.indices for name in variables_of(index))


def _value(term: Term) -> Expression:
    """What a coordinate is computed from, as a value."""
    match term:
        case str():
            return Access(term)
        case Access():
            # Elements of narrow integers would overflow.
            return Apply("int64", (term,), term.span)
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
