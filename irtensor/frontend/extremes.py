"""Reductions that say where something is: `argmax(j, e)`, `maxby(j, e, v)`, `last(j, e)`, `any(j, e)`.

Each is written in choices, minima and conditions, which have every format, schedule and target that those have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from irtensor.core.element_values import largest
from irtensor.frontend.expression_tree import (
    Access,
    Apply,
    Expression,
    If,
    Literal,
    Reduce,
    Span,
    Variable,
    remembered,
    renamed,
    variables_of,
    walk,
)

# What ordinary reductions these functions ask for: an extreme, or whether any or all elements are true.
EXTREMES = {"argmin": "min", "argmax": "max", "minby": "min", "maxby": "max"}
TRUTHS = {"any": "or", "all": "and"}
# The operator that gets the value at a coordinate: it keeps the only one, and its type.
CHOOSE = "choose"
# Those by coordinate, which are functions of other arguments as well: `first(a, b)` is `a`.
ENDS = {"first": "min", "last": "max"}
FUNCTIONS = (*EXTREMES, *TRUTHS)
NOWHERE = -1


def number_of_arguments(name: str) -> int:
    """How many arguments a function has, the variable among them; `any` and `all` may have more variables."""
    return 3 if name.endswith("by") else 2


def reduction(name: str, variables: tuple[str, ...], values: tuple[Expression, ...], span: Span | None) -> Expression:
    """A function of these over variables: one variable, but for `any` and `all`."""
    body = values[0]
    if name in TRUTHS:
        return Reduce(TRUTHS[name], variables, _mapped(body, lambda one: Apply("ne", (one, Literal(0)), span)), span)
    (variable,) = variables
    if name in ENDS:
        return _end(ENDS[name], variable, body, span)
    if name.startswith("arg"):
        at = _coordinate(EXTREMES[name], variable, body, span)
        return _or_nowhere(at, span) if isinstance(body, If) else at
    other = _another(variable, *values)
    at = _coordinate(EXTREMES[name], other, _with_variable(body, variable, other), span)
    return _value_at(variable, at, values[1], span)


@remembered
def nonempty_reductions(expression: Expression) -> tuple[Reduce, ...]:
    """The reductions of an expression that have no value over an empty range."""
    return tuple([node for node in walk(expression) if isinstance(node, Reduce) and node.is_nonempty])


def _coordinate(operator: str, variable: str, body: Expression, span: Span | None) -> Expression:
    """The least coordinate at which a value is the extreme one, or NaN."""
    other = _another(variable, body)
    extreme = Reduce(operator, (other,), _with_variable(body, variable, other), span)

    def is_extreme(value: Expression) -> Expression:
        return Apply("or", (Apply("eq", (value, extreme), span), Apply("ne", (value, value), span)), span)

    return Reduce("min", (variable,), _where(body, is_extreme, variable, span), span, is_nonempty=True)


def _or_nowhere(coordinate: Expression, span: Span | None) -> Expression:
    """A coordinate that was found, or `NOWHERE` for the identity of minima."""
    is_none = Apply("eq", (coordinate, Literal(largest("i64"))), span)
    return Apply("where", (is_none, Literal(NOWHERE), coordinate), span)


def _end(operator: str, variable: str, body: Expression, span: Span | None) -> Expression:
    """The value at the least or greatest coordinate, of those for which its condition holds."""
    other = _another(variable, body)
    there = _with_variable(body, variable, other)
    at = Reduce(operator, (other,), _where(there, _is_any, other, span), span)
    return _value_at(variable, at, body.body if isinstance(body, If) else body, span)


def _is_any(value: Expression) -> Expression:
    """True, of any value: a range of coordinates is that of the operands in it."""
    return Apply("or", (Apply("eq", (value, value)), Apply("ne", (value, value))))


def _where(body: Expression, holds: Callable[[Expression], Expression], variable: str, span: Span | None) -> Expression:
    """A variable where something holds of a value, which may have a condition of its own."""
    condition = holds(body.body if isinstance(body, If) else body)
    if isinstance(body, If):
        condition = Apply("and", (body.condition, condition), span)
    return If(condition, Variable(variable, span), span)


def _value_at(variable: str, coordinate: Expression, value: Expression, span: Span | None) -> Expression:
    """A value at one coordinate of a variable; the fill at a coordinate outside of its range."""
    return Reduce(CHOOSE, (variable,), If(Apply("eq", (Variable(variable, span), coordinate), span), value, span), span)


def _mapped(body: Expression, function: Callable[[Expression], Expression]) -> Expression:
    return replace(body, body=function(body.body)) if isinstance(body, If) else function(body)


def _another(variable: str, *expressions: Expression) -> str:
    """A name that no variable and no tensor of some expressions has."""
    taken: set[str] = set()
    for expression in expressions:
        for node in walk(expression):
            match node:
                case Access(tensor, indices):
                    taken |= {tensor, *(name for index in indices for name in variables_of(index))}
                case Reduce(_, indices, _):
                    taken |= {*indices}
                case Variable(name):
                    taken.add(name)
                case _:
                    pass
    while (variable := f"{variable}_") in taken:
        pass
    return variable


def _with_variable(expression: Expression, old: str, new: str) -> Expression:
    """An expression with another name for a variable, which as a value may still look like a tensor."""

    def rename(name: str) -> str:
        return new if name == old else name

    def inside(one: Expression) -> Expression:
        return _with_variable(one, old, new)

    match expression:
        case Access(tensor, ()):
            return replace(expression, tensor=rename(tensor))
        case Access(_, indices):
            return replace(expression, indices=tuple([renamed(index, rename) for index in indices]))
        case Apply(_, arguments):
            return replace(expression, arguments=tuple(map(inside, arguments)))
        case Reduce(_, indices, body):
            return expression if old in indices else replace(expression, body=inside(body))
        case If(condition, body):
            return replace(expression, condition=inside(condition), body=inside(body))
        case Variable(name):
            return replace(expression, name=rename(name))
        case Literal():
            return expression
