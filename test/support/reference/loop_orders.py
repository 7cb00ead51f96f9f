"""Which statements have an order of loops that suits all their operands' storage, found by trying every order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import permutations, product

from irtensor.core.storage_levels import Level
from irtensor.core.tensor_format import TensorFormat
from irtensor.frontend.expression_tree import Access, Statement, accesses, ordered_union

_Constraint = tuple[str, str]
_LOOKED_UP = ("dense", "bitmap", "hashed", "range", "offset")


def refusal(statement: Statement, formats: Mapping[str, TensorFormat | None]) -> set[str]:
    """The slugs with which the statement may be refused if no operand is converted; empty if it has to compile.

    Operands are traversed from the outermost level down to their innermost sparse level. The result never matters:
    what cannot be appended in order is collected in a workspace. The statement has all its reductions at the top. One
    with diagonals may be refused in addition, as [diagonal-mismatch], where something else does not follow them.
    """
    reads = [c for access in accesses(statement.expression) for c in _traversal(access, formats[access.tensor])]
    every = (*accesses(statement.expression), statement.target)
    variables = ordered_union(index for access in every for index in access.plain_indices)
    suits = any(
        all(order.index(before) < order.index(after) for before, after in reads) for order in permutations(variables)
    )
    return set() if suits else {"loop-order-cycle"}


def _traversal(access: Access, format: TensorFormat | None) -> Iterator[_Constraint]:
    """Pairs of index variables whose loops have to be in this order; those of a diagonal may be in any."""
    if format is None:
        return
    variables = [_variables(access, level) for level in format.levels]
    last = max(_searched(format), default=0)
    for number in range(last):
        seen = {index for outer in variables[: number + 1] for index in outer}
        for outer, inner in product(variables[number], variables[number + 1]):
            if inner not in seen:
                yield outer, inner


def _variables(access: Access, level: Level) -> tuple[str, ...]:
    """The index variables that give the coordinate of a level."""
    one = level.expression
    return tuple(access.plain_indices[dimension] for dimension in (one.dimension, one.other) if dimension is not None)


def _searched(format: TensorFormat) -> list[int]:
    """The levels in which a coordinate has to be searched for."""
    return [number for number, level in enumerate(format.levels) if level.format.name not in _LOOKED_UP]
