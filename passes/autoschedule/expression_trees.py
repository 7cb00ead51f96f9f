"""The ways to parenthesise an expression, by the algebra of its operators (Ahrens 2022, section 7.1)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product

from irtensor.core.operators import OPERATORS, Operator
from irtensor.passes.autoschedule.statements import (
    Assign,
    Call,
    Expression,
    Statement,
    is_associative,
    order_of,
    parts,
    with_parts,
)

# A product of six operands has 945.
MANY_TREES = 1000
_ADD, _SUB, _MUL, _NEG = (OPERATORS[name] for name in ("add", "sub", "mul", "neg"))


def expression_trees(expression: Expression, most: int = MANY_TREES) -> list[Expression]:
    """All trees that associativity, commutativity and distributivity make of an expression, calls with two arguments
    at most; arguments of commutative operators are in one order, so that trees that differ by it are one.

    Of two operators that distribute over each other, such as min and max, neither is applied to the arguments of the
    other: there would be no end of trees. There are `most` trees, the first ones by the number of laws that it takes
    to get from the expression to them.
    """
    trees = [_binary(expression)]
    found = {*trees}
    for tree in trees:
        for other in _rewritten(tree):
            if len(trees) >= most:
                return trees
            if other not in found:
                found.add(other)
                trees.append(other)
    return trees


def statement_trees(program: Statement, most: int = MANY_TREES) -> list[Statement]:
    """A program with all trees of the values that it stores, or `most` of them."""
    if isinstance(program, Assign):
        return [program._replace(value=tree) for tree in expression_trees(program.value, most)]
    ways = product(*(statement_trees(part, most) for part in parts(program)))
    return [with_parts(program, trees) for trees in islice(ways, most)]


def _binary(node: Expression) -> Expression:
    """Calls of two arguments; differences are sums, and signs are outside of products and inside of sums."""
    if not isinstance(node, Call):
        return node
    arguments = [_binary(argument) for argument in node.arguments]
    if node.operator is _SUB:
        return _call(_ADD, arguments[0], _negative(arguments[1]))
    if node.operator is _NEG:
        return _negative(arguments[0])
    if node.operator.arity != 2:
        return Call(node.operator, tuple(arguments))
    result = arguments[0]
    for argument in arguments[1:]:
        result = _call(node.operator, result, argument)
    return result


def _negative(node: Expression) -> Expression:
    inner = _negated(node)
    if inner is not None:
        return inner
    if isinstance(node, Call) and node.operator is _ADD:
        return _call(_ADD, *map(_negative, node.arguments))
    return Call(_NEG, (node,))


def _call(operator: Operator, left: Expression, right: Expression) -> Expression:
    if operator is _MUL:
        signs = _negated(left), _negated(right)
        if signs != (None, None):
            product = _call(operator, signs[0] or left, signs[1] or right)
            return _negative(product) if None in signs else product
    if operator.commutative and order_of(right) < order_of(left):
        left, right = right, left
    return Call(operator, (left, right))


def _negated(node: Expression) -> Expression | None:
    """What an expression is the negative of, if it is written so."""
    return node.arguments[0] if isinstance(node, Call) and node.operator is _NEG else None


def _rewritten(node: Expression) -> Iterator[Expression]:
    """The trees that one law makes of a tree, at its root or below."""
    if not isinstance(node, Call):
        return
    if len(node.arguments) == 2:
        yield from _at_root(node.operator, *node.arguments)
    for position, argument in enumerate(node.arguments):
        for inner in _rewritten(argument):
            yield _rebuilt(node.operator, (*node.arguments[:position], inner, *node.arguments[position + 1 :]))


def _rebuilt(operator: Operator, arguments: tuple[Expression, ...]) -> Expression:
    if operator is _NEG:
        return _negative(arguments[0])
    return _call(operator, *arguments) if len(arguments) == 2 else Call(operator, arguments)


def _at_root(operator: Operator, left: Expression, right: Expression) -> Iterator[Expression]:
    for one, other in ((left, right), (right, left)):
        if not isinstance(one, Call) or len(one.arguments) != 2:
            continue
        first, second = one.arguments
        if one.operator is operator and is_associative(operator):
            if operator.commutative:
                yield _call(operator, first, _call(operator, second, other))
                yield _call(operator, second, _call(operator, first, other))
            elif one is left:
                yield Call(operator, (first, Call(operator, (second, right))))
            else:
                yield Call(operator, (Call(operator, (left, first)), second))
        elif one.operator.name in operator.distributes_over and operator.name not in one.operator.distributes_over:
            if one is left:
                yield _call(one.operator, _call(operator, first, other), _call(operator, second, other))
            else:
                yield _call(one.operator, _call(operator, other, first), _call(operator, other, second))
