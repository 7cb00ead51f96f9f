"""Sums of sparse tensors that are sparse as well, where a kernel would go along all coordinates of them."""

from __future__ import annotations

from typing import NamedTuple

from irtensor.frontend.contraction_costs import CALL, COMPILED, Factor
from irtensor.frontend.contraction_steps import Operand, ProductOfTensors, factor_of, sparse_format
from irtensor.frontend.expression_tree import Access, Expression, Statement
from irtensor.frontend.product_tree import ProductTree
from irtensor.frontend.split_chain import ring_of
from irtensor.frontend.split_tensors import SplitTensors

# The time of an element of a dense row, which is filled and read again.
_SCANNED = 0.35


class Listed(NamedTuple):
    """A sum as a sparse tensor, and the times that it takes to make and read that, and without it."""

    factor: Factor
    product: ProductOfTensors
    tensors: SplitTensors
    before: float
    again: float

    @staticmethod
    def of(tree: ProductTree, tensors: SplitTensors) -> Listed | None:
        """What a product of sparse tensors is; None for other factors."""
        accesses = [leaf.expression for leaf in tree.leaves if leaf.is_operand and isinstance(leaf.expression, Access)]
        ring = ring_of(tree, tensors) if tree.addition is not None else None
        if ring is None or len(accesses) < len(tree.leaves):
            return None
        operands = tuple([Operand(one.tensor, one.indices, tensors.described[one.tensor]) for one in accesses])
        product = ProductOfTensors(operands, (), None, tensors.sizes.extents, ring)
        factors = [factor_of(one, tensors.entries[one.name], product) for one in operands]
        kept = {label for factor in factors for label in factor.labels} - {*tree.summed}
        whole = tensors.product(factors, ())
        factor = whole.result_of(factors, kept)
        if not factor.is_sparse:
            return None
        before = whole.nest(factors, factor.labels, True) + 2 * whole.made(factor) + CALL + COMPILED
        again = whole.nest(factors, factor.labels, False) + _SCANNED * tensors.size(factor.labels)
        return Listed(factor, product, tensors, before, again)

    @property
    def is_allowed(self) -> bool:
        """Whether a sparse intermediate may be so large."""
        return self.tensors.may_list(self.factor.entries)

    def define(self, part: Expression) -> Access:
        """The read of the tensor, which becomes a part of the program."""
        labels = self.factor.labels
        format = sparse_format(self.product.operands, labels, self.product)
        statement = Statement(Access(next(self.tensors.names), labels), None, part)
        return self.tensors.define(statement, format, self.factor.entries, 0)
