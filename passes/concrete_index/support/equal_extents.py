"""Which extents of operands are equal in a statement, as one index variable runs over both."""

from __future__ import annotations

from xdsl.ir import BlockArgument, Operation, SSAValue

from irtensor.dialects.concrete_index.concrete_index import AccessOp
from irtensor.dialects.storage.storage import format_of
from irtensor.passes.analysis.iteration_graph import level_variables
from irtensor.passes.support.operations_in import is_argument, operations_in

Dimension = tuple[SSAValue, int]
"""A tensor and one of its dimensions."""


def equal_extents(statement: Operation) -> dict[Dimension, Dimension]:
    """Dimensions of operands, each with the first one of the same extent.

    So equal sums have loops with the same end, whatever other operands there are and in which order they stand.
    """
    first: dict[Dimension, Dimension] = {}
    indexed: dict[SSAValue, Dimension] = {}

    def root(dimension: Dimension) -> Dimension:
        while first[dimension] != dimension:
            dimension = first[dimension]
        return dimension

    for access in operations_in(statement, AccessOp):
        if not is_argument(access.tensor):
            continue
        for variable, level in zip(level_variables(access), format_of(access.tensor.type).levels, strict=True):
            if level.expression.form == "whole":
                own = (access.tensor, level.expression.dimension)
                first.setdefault(own, own)
                one, other = root(own), root(indexed.setdefault(variable, own))
                least, more = sorted((one, other), key=_number)
                first[more] = least
    return {dimension: root(dimension) for dimension in first}


def _number(dimension: Dimension) -> tuple[int, int]:
    """By the position of the tensor among the arguments."""
    tensor, number = dimension
    assert isinstance(tensor, BlockArgument)
    return tensor.index, number
