"""Sums that may have no terms, which loops multiply by a number afterwards: infinity times such a sum is NaN."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from irtensor.frontend.expression_tree import Access, Expression
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.parts.kernel_steps import Part
from irtensor.frontend.parts.product_tree import ProductTree, tree_of


def may_multiply_empty_sums(parts: Sequence[Part], operands: Sequence[tuple[str, OperandDescription]]) -> bool:
    """Whether one of several kernels may do so: two tensors that lack entries may have none in common along an index,
    and a dense one without that index is multiplied by the sum over it."""
    formats = {name: described.format for name, described in operands}
    formats |= {part.statement.target.tensor: part.format for part in parts}
    sparse = {name for name, format in formats.items() if format is not None and not format.is_dense}
    trees = [tree_of(part.statement.expression) for part in parts]
    return any([tree is not None and _multiplies_empty_sums(tree, sparse) for tree in trees])


def _multiplies_empty_sums(tree: ProductTree, sparse: Collection[str]) -> bool:
    for index in tree.summed:
        having, others = list[Expression](), list[Expression]()
        for leaf in tree.leaves:
            one = leaf.expression
            if isinstance(one, Access) and one.tensor in sparse:
                having += [one] if index in one.indices else []
            elif not isinstance(one, Access) or index not in one.indices:
                others.append(one)
        if len(having) > 1 and others:
            return True
    return False
