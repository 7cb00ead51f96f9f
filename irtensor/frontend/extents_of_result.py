"""Index variables that the result alone has: their extents come from an array that is only as long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from irtensor.frontend.expression_tree import Access, Apply, Expression, Statement, accesses


def indices_of_result_alone(statement: Statement) -> tuple[str, ...]:
    """The index variables of the result that no operand has."""
    known = {index for access in accesses(statement.expression) for index in access.indices}
    return tuple(dict.fromkeys(index for index in statement.target.indices if index not in known))


def with_extents(statement: Statement, indices: Sequence[str]) -> tuple[Statement, dict[str, str]]:
    """The statement with an operand for each of these index variables, whose values are not used, and their names.

    Source: as a broadcast is written by an outer product with ones, but exact for every value, and absent where the
    expression is.
    """
    taken = {access.tensor for access in (*accesses(statement.expression), statement.target)}
    expression: Expression = statement.expression
    names: dict[str, str] = {}
    for index in indices:
        name = f"extent_of_{index}"
        while name in taken:
            name += "_"
        names[index] = name
        expression = Apply("first", (expression, Access(name, (index,))))
    return replace(statement, expression=expression), names


def extent_operands(statement: Statement, names: Mapping[str, str], shape: Sequence[int]) -> dict[str, np.ndarray]:
    """The arguments for the operands of `with_extents`, for a result of a shape."""
    target = statement.target.indices
    return {name: np.ones(shape[target.index(index)], np.bool_) for index, name in names.items()}
