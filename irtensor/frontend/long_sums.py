"""Sums of many terms as sums of sums: a chain that is as deep as it is long is too deep to be worked on."""

from __future__ import annotations

from dataclasses import replace

from irtensor.frontend.expression_tree import Apply, Expression, Reduce, Span, children

# Terms of a chain, and of each part of a longer one: few enough to nest in other operators.
_PART = 64
# A tree of more has other limits to meet first; see check_size.
_MOST_NODES = 40_000


def divide_long_sums(expression: Expression) -> Expression:
    """The expression, in which chains of more than 64 additions and subtractions are sums of shorter ones.

    The terms keep their order. A statement too deep or large in another way stays as it is.
    """
    return expression if _is_shallow(expression) else _divided(expression, [_MOST_NODES], 0)


def _is_shallow(expression: Expression) -> bool:
    level, depth, nodes = [expression], 0, 0
    while level:
        depth, nodes = depth + 1, nodes + len(level)
        if depth > _PART:
            return False
        if nodes > _MOST_NODES:
            return True
        level = [child for node in level for child in children(node)]
    return True


def _divided(expression: Expression, budget: list[int], depth: int) -> Expression:
    budget[0] -= 1
    if budget[0] < 0 or depth > _PART:
        return expression
    terms = _terms(expression)
    if len(terms) > _PART:
        budget[0] -= len(terms)
        terms = [(minus, _divided(term, budget, depth + 1)) for minus, term in terms]
        while len(terms) > _PART:
            terms = [_joined(terms[start : start + _PART]) for start in range(0, len(terms), _PART)]
        return _joined(terms)[1]
    match expression:
        case Apply():
            parts = tuple(_divided(argument, budget, depth + 1) for argument in expression.arguments)
            return replace(expression, arguments=parts)
        case Reduce():
            return replace(expression, body=_divided(expression.body, budget, depth + 1))
        case _:
            return expression


def _terms(expression: Expression) -> list[tuple[bool, Expression]]:
    """The terms of a chain from left to right, each with whether it is subtracted."""
    found: list[tuple[bool, Expression]] = []
    while isinstance(expression, Apply) and expression.operator in ("add", "sub") and len(expression.arguments) == 2:
        expression, right = expression.arguments[0], (expression.operator == "sub", expression.arguments[1])
        found.append(right)
    return [(False, expression), *reversed(found)]


def _joined(terms: list[tuple[bool, Expression]]) -> tuple[bool, Expression]:
    """One term for several: with the sign of the first, and the others' relative to it."""
    sign, sum = terms[0]
    for minus, term in terms[1:]:
        sum = Apply("sub" if minus != sign else "add", (sum, term), _span(sum, term))
    return sign, sum


def _span(left: Expression, right: Expression) -> Span | None:
    if left.span is None or right.span is None:
        return None
    return left.span[0], right.span[1]
