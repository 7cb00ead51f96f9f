"""What may change in the formats of a statement's operands so that its result is what it was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from irtensor.frontend.expression_tree import Access, Apply, Expression, Reduce, Statement, accesses, walk

# With a 0 that is stored they give what they give with one that is absent, or NaN, which all of them pass on.
_LINEAR = frozenset("add sub mul div neg conj abs".split())


class FormatRules(NamedTuple):
    """What other formats of the operands have to leave as it is.

    - `stays_absent`: why elements that are absent may not be stored; None if they may, as zeros.
    - `exact`: whether those that are absent count as zeros anyway.
    - `ordered`: the setting for which the terms of sums stay in order; None if they need not.
    - `summed`: for each operand, the only dimension that is summed over; None where there are others, or none.
    - `axes`: for each operand, which of its dimensions are axes of the result: what it stores at a coordinate of the
      dimension has a part in the result at that coordinate of the axis only.
    - `guarded`: for each operand, whether a zero that it stores, and that counts as absent, leads to no NaN.
    - `divides`: whether something is divided. Of integers, 0 / 0 is NaN, and kernels skip no stored 0.
    """

    stays_absent: str | None
    exact: bool
    ordered: str | None
    summed: Sequence[int | None]
    axes: Sequence[Sequence[tuple[int, int]]]
    guarded: Sequence[bool]
    divides: bool


def format_rules(statement: Statement, names: Sequence[str], is_dense: bool, ordered: str | None) -> FormatRules:
    """The rules for a statement with explicit reductions; `names` are its operands, in order."""
    expression = statement.expression
    stays = _stays_absent(expression) if is_dense else "the result would have an entry for each 0 that is stored"
    summed = [_summed(expression, name) for name in names]
    axes = [_axes(statement, name) for name in names]
    guarded = [_is_guarded(expression, name) for name in names]
    divides = any([isinstance(part, Apply) and part.operator == "div" for part in walk(expression)])
    return FormatRules(stays, statement.exact, ordered, summed, axes, guarded, divides)


def _stays_absent(expression: Expression) -> str | None:
    for part in walk(expression):
        if isinstance(part, Apply | Reduce) and part.operator not in _LINEAR:
            return f"'{part.operator}' could tell a 0 that is stored from one that is not"
    return None


def _summed(expression: Expression, name: str) -> int | None:
    """The dimension of a tensor that the only sum of a statement is over."""
    sums = [part for part in walk(expression) if isinstance(part, Reduce)]
    read = [access.indices for access in accesses(expression) if access.tensor == name]
    if len(sums) != 1 or len(sums[0].indices) != 1 or len(read) != 1:
        return None
    dimensions = [dimension for dimension, index in enumerate(read[0]) if index == sums[0].indices[0]]
    return dimensions[0] if len(dimensions) == 1 else None


def _axes(statement: Statement, name: str) -> list[tuple[int, int]]:
    """The dimensions of a tensor that is read once which are axes of the result."""
    bound = {index for part in walk(statement.expression) if isinstance(part, Reduce) for index in part.indices}
    read = [access.indices for access in accesses(statement.expression) if access.tensor == name]
    axes = {index: axis for axis, index in enumerate(statement.target.indices) if index not in bound}
    if len(read) != 1:
        return []
    return [(dimension, axes[index]) for dimension, index in enumerate(read[0]) if index in axes]


def _is_guarded(expression: Expression, name: str) -> bool:
    """Whether a tensor is multiplied by one other factor at most, and itself: the product is absent, and counts as 0
    in what it is added to."""
    match expression:
        case Reduce(_, _, body):
            return _is_guarded(body, name)
        case Apply(operator, arguments) if operator in ("add", "sub"):
            return all([_is_guarded(one, name) for one in arguments])
        case Apply(operator, arguments) if operator in ("mul", "div"):
            reads = [one for one in arguments if any([access.tensor == name for access in accesses(one)])]
            return all([isinstance(one, Access) for one in reads]) and len(reads) < 2
        case Apply():
            return not any([access.tensor == name for access in accesses(expression)])
        case _:
            return True
