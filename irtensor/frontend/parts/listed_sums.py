"""Sums of sparse tensors that are sparse as well: a kernel would compute them again, or iterate over all
coordinates."""

from __future__ import annotations

from typing import NamedTuple

from irtensor.frontend.einsum.contraction_costs import CALL, COMPILED, SCALAR, VECTOR, Factor
from irtensor.frontend.einsum.contraction_steps import Operand, ProductOfTensors, factor_of, sparse_format
from irtensor.frontend.expression_tree import Access, Expression, Reduce, Statement, accesses, free_indices
from irtensor.frontend.parts.may_split import least_indices, may_repeat
from irtensor.frontend.parts.part_context import PartContext
from irtensor.frontend.parts.part_times import PartTimes
from irtensor.frontend.parts.product_tree import ProductTree, tree_of
from irtensor.frontend.parts.split_chain import ring_of
from irtensor.frontend.parts.split_tensors import SplitTensors

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
    def of(part: Expression, context: PartContext, times: PartTimes) -> Listed | None:
        """What a part is; None for another one than a sum of sparse tensors, and where a dense tensor is better."""
        tensors, tree = times.tensors, tree_of(part)
        is_scanned = _is_scanned(part, context)
        is_repeated = _may_be_repeated(part, context, tensors)
        if tree is None or not (is_scanned or is_repeated) or tensors.dtype_of(part) != tensors.sizes.dtype:
            return None
        product = _product_of(tree, tensors)
        if product is None:
            return None
        factors = [factor_of(one, tensors.entries[one.name], product) for one in product.operands]
        whole = tensors.product(factors, ())
        factor = whole.result_of(factors, free_indices(part))
        if not factor.is_sparse or not tensors.may_list(factor.entries):
            return None
        labels, size = times.ordered(factor.labels, context), tensors.size(factor.labels)
        visits = times.visits(part, labels, context)
        before = whole.nest(factors, factor.labels, True) + 2 * whole.made(factor) + CALL + COMPILED
        again = whole.nest(factors, factor.labels, False) * visits / max(1.0, size) + _SCANNED * visits * is_scanned
        if is_repeated and times.may_be_tensor(part, context):
            full = times.time(part, labels, size) + times.made(labels) + CALL + COMPILED
            if full + VECTOR * visits <= before + SCALAR * visits * factor.entries / max(1.0, size):
                return None
        return Listed(factor, product, tensors, before, again)

    def define(self, part: Expression) -> Access:
        """The read of the tensor, which becomes a part of the program."""
        labels = self.factor.labels
        format = sparse_format(self.product.operands, labels, self.product)
        statement = Statement(Access(next(self.tensors.names), labels), None, part)
        return self.tensors.define(statement, format, self.factor.entries, 0)


def _product_of(tree: ProductTree, tensors: SplitTensors) -> ProductOfTensors | None:
    """A sum as a product of tensors; None for other factors."""
    accesses = [leaf.expression for leaf in tree.leaves if leaf.is_operand and isinstance(leaf.expression, Access)]
    ring = ring_of(tree, tensors) if tree.addition is not None else None
    if ring is None or len(accesses) < len(tree.leaves):
        return None
    operands = tuple([Operand(one.tensor, one.plain_indices, tensors.described[one.tensor]) for one in accesses])
    return ProductOfTensors(operands, (), None, tensors.sizes.extents, ring)


def _is_scanned(part: Expression, context: PartContext) -> bool:
    """Whether one kernel keeps a dense row of sums: the reduced expression has a value at all coordinates of it."""
    reduced = {*free_indices(part)} - {*context.output}
    return bool(reduced) and reduced <= context.combined and not context.is_sparse and not context.beside


def _may_be_repeated(part: Expression, context: PartContext, tensors: SplitTensors) -> bool:
    """Whether one kernel may compute a sum again, and a sparse result has the entries of one kernel without it.

    One kernel collects the rows of a sum if its loops iterate over rows of the result innermost, and the loops over
    these rows are outside of all sums. In other loops, or with something behind the outermost sum, the result may have
    entries where no sum has terms.
    """
    if not may_repeat(part, context.around, least_indices(tensors.is_sparse)):
        return False
    if not context.is_sparse:
        return True
    *rows, row = tensors.output

    def is_in_order(access: Access) -> bool:
        depths = [0 if label in rows else 2 if label == row else 1 for label in tensors.factor(access).labels]
        return depths == sorted(depths)

    are_collected = row in free_indices(part) and all(map(is_in_order, accesses(context.whole)))
    return isinstance(context.whole, Reduce) and are_collected and tensors.covers(context.whole)
