"""Which statements have an order of loops that suits all their operands' storage, found by trying every order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise, permutations

from irtensor.dialects.tensor_format import TensorFormat
from irtensor.frontend.expression_tree import Access, Statement, accesses, ordered_union

_Constraint = tuple[str, str]


def refusal(statement: Statement, formats: Mapping[str, TensorFormat | None]) -> set[str]:
    """The slugs with which the statement may be refused if no operand is converted; empty if it has to compile.

    Operands are traversed from the outermost level down to their innermost sparse level. The result never matters:
    what cannot be appended in order is collected in a workspace. The statement has all its reductions at the top.
    """
    reads = [c for access in accesses(statement.expression) for c in _traversal(access, formats[access.tensor])]
    every = (*accesses(statement.expression), statement.target)
    variables = ordered_union(index for access in every for index in access.indices)
    suits = any(
        all(order.index(before) < order.index(after) for before, after in reads) for order in permutations(variables)
    )
    return set() if suits else {"loop-order-cycle"}


def _traversal(access: Access, format: TensorFormat | None) -> Iterator[_Constraint]:
    if format is None:
        return
    indices = [access.indices[dimension] for dimension in format.dimension_order]
    last = max(_searched(format), default=0)
    for outer, inner in pairwise(indices[: last + 1]):
        if outer != inner:
            yield outer, inner


def _searched(format: TensorFormat) -> list[int]:
    """The levels in which a coordinate has to be searched for."""
    return [
        number for number, level in enumerate(format.levels) if level.format.name not in ("dense", "bitmap", "hashed")
    ]
