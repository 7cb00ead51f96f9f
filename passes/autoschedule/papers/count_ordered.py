"""How often a tree is counted where the arguments of commutative operators may be in any order."""

from __future__ import annotations

from math import prod

from irtensor.passes.autoschedule.statements import Access, Assign, Call, Literal, Node, parts


def count_ordered(tree: Node) -> int:
    """In how many orders the arguments of the commutative operators of a tree can be written."""
    match tree:
        case Assign(_, _, value):
            return count_ordered(value)
        case Call():
            return _count_ordered(tree)
        case Access() | Literal():
            return 1
        case _:
            return prod(map(count_ordered, parts(tree)))


def _count_ordered(tree: Call) -> int:
    orders = 2 if tree.operator.commutative and len({*tree.arguments}) == 2 else 1
    for argument in tree.arguments:
        orders *= count_ordered(argument)
    return orders
