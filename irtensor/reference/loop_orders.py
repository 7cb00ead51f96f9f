"""Which statements have an order of loops that suits all their storage orders, found by trying every order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise, permutations

from irtensor.dialects.tensor_format import TensorFormat
from irtensor.frontend.expression_tree import Access, Statement, accesses, ordered_union

_Constraint = tuple[str, str]


def refusal(statement: Statement, formats: Mapping[str, TensorFormat | None], result: TensorFormat | None) -> set[str]:
    """The slugs with which the statement may be refused if no operand is converted; empty if it has to compile.

    Operands are traversed from the outermost level down to their innermost sparse level; a result is appended in
    that order as well, each entry once. The statement has all its reductions at the top.
    """
    reads = [c for access in accesses(statement.expression) for c in _traversal(access, formats[access.tensor])]
    writes = list(_traversal(statement.target, result))
    every = (*accesses(statement.expression), statement.target)
    variables = ordered_union(index for access in every for index in access.indices)
    appends = list(_appending(statement.target, result, variables))
    if not _has_order(variables, reads):
        return {"loop-order-cycle"} if not appends else {"loop-order-cycle", "output-needs-workspace"}
    if not _has_order(variables, [*reads, *writes]):
        return {"loop-order-cycle"} if not appends else {"loop-order-cycle", "output-needs-workspace"}
    return set() if _has_order(variables, [*reads, *writes, *appends]) else {"output-needs-workspace"}


def _has_order(variables: tuple[str, ...], constraints: list[_Constraint]) -> bool:
    return any(
        all(order.index(before) < order.index(after) for before, after in constraints)
        for order in permutations(variables)
    )


def _traversal(access: Access, format: TensorFormat | None) -> Iterator[_Constraint]:
    if format is None:
        return
    indices = [access.indices[dimension] for dimension in format.dimension_order]
    last = max(_sparse(format), default=0)
    for outer, inner in pairwise(indices[: last + 1]):
        if outer != inner:
            yield outer, inner


def _appending(target: Access, format: TensorFormat | None, variables: tuple[str, ...]) -> Iterator[_Constraint]:
    if format is None or not _sparse(format):
        return
    last = max(_sparse(format))
    indices = [target.indices[dimension] for dimension in format.dimension_order]
    for other in variables:
        if other not in indices[: last + 1]:
            yield indices[last], other


def _sparse(format: TensorFormat) -> list[int]:
    """The levels in which a coordinate has to be searched for, and is appended."""
    return [
        number for number, level in enumerate(format.levels) if level.format.name not in ("dense", "bitmap", "hashed")
    ]
