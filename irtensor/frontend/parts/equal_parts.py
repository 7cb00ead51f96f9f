"""Parts of an expression that are equal but for the names of index variables and the order of factors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import count
from typing import NamedTuple, TypeAlias

from irtensor.core.operators import OPERATORS
from irtensor.frontend.expression_tree import Access, Apply, Expression, Reduce, free_indices, ordered_union, walk


class Form(NamedTuple):
    """The common form of equal parts, and the free indices of one of them: those at one position stand for each
    other."""

    shape: Hashable
    free: tuple[str, ...]


# A tensor with the names of indices, or an operator with arguments.
_Shape: TypeAlias = tuple[Hashable, ...]


def form_of(part: Expression) -> Form:
    """The form of a part: indices are numbered, and what a commutative operator is applied to has an order of its own.

    Factors that differ in their indices alone stay as they are written, so that not all equal parts have one form.
    """
    shape = _shape(part, {})
    free = ordered_union(_free_in(shape))
    return Form(_renamed(shape, {name: number for number, name in enumerate(free)}), free)


def repeated_parts(expressions: Sequence[Expression]) -> set[Expression]:
    """The parts that hold a sum and may be equal to another one of the expressions; free indices are left to see."""
    numbers = dict[Hashable, int]()
    parts: list[tuple[int, Expression]] = []

    def number_of(part: Expression) -> tuple[int, bool]:
        has_sum = isinstance(part, Reduce)
        match part:
            case Access(tensor, indices):
                key: Hashable = tensor, len(indices)
            case Apply(operator, arguments):
                inner = [number_of(one) for one in arguments]
                has_sum = any([holds for _, holds in inner])
                its = [number for number, _ in inner]
                key = operator, *(sorted(its) if _commutes(operator) else its), "apply"
            case Reduce(operator, indices, body):
                key = operator, len(indices), number_of(body)[0], "reduce"
            case _:
                key = part
        number = numbers.setdefault(key, len(numbers))
        if has_sum:
            parts.append((number, part))
        return number, has_sum

    for expression in expressions:
        number_of(expression)
    often = Counter([number for number, _ in parts])
    return {part for number, part in parts if often[number] > 1}


def has_full_sum(part: Expression) -> bool:
    """Whether a sum in a part is another one at each of its coordinates: not one that a row has in common."""
    free = {*free_indices(part)}
    return any([isinstance(one, Reduce) and {*free_indices(one)} >= free for one in walk(part)])


def _commutes(operator: str) -> bool:
    known = OPERATORS.get(operator)
    return known is not None and known.commutative


def _shape(part: Expression, bound: Mapping[str, int]) -> _Shape:
    """A part as nested tuples, in which indices of its own sums are numbers, and others names."""
    match part:
        case Access(tensor):
            return ("access", tensor, *[bound.get(name, name) for name in part.plain_indices])
        case Apply(operator, arguments):
            its = [_shape(one, bound) for one in arguments]
            return ("apply", operator, *(sorted(its, key=_without_names) if _commutes(operator) else its))
        case Reduce(operator, indices, body):
            numbers = count(-1 - len(bound), -1)
            own = dict(zip(indices, numbers, strict=False))
            return ("reduce", operator, len(indices), _shape(body, {**bound, **own}))
        case _:
            return ("literal", part)


def _without_names(shape: _Shape) -> str:
    return repr(_renamed(shape, {}))


def _free_in(shape: _Shape) -> list[str]:
    if shape[0] == "access":
        return [name for name in shape[2:] if isinstance(name, str)]
    return [name for one in shape if isinstance(one, tuple) for name in _free_in(one)]


def _renamed(shape: _Shape, names: Mapping[str, int]) -> _Shape:
    if shape[0] == "access":
        return (*shape[:2], *[names.get(name) if isinstance(name, str) else name for name in shape[2:]])
    return tuple([_renamed(one, names) if isinstance(one, tuple) else one for one in shape])
