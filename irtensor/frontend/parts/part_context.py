"""Where a part stands in a statement that several kernels may compute."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from irtensor.frontend.einsum.contraction_costs import Factor
from irtensor.frontend.expression_tree import Access, Expression
from irtensor.frontend.parts.product_tree import products_of_matrices

# Operators that are NaN where an operand is. Results are looked through for NaN, which others hide.
_SHOW_NAN = frozenset(
    "add sub mul div neg abs max min sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh".split()
)


class PartContext(NamedTuple):
    """Where a part of a statement stands: indices of loops around it, the sparse factors of products that it is in.

    `output` are the indices of what its kernel computes, `products` is the number of products of matrices in that.
    `shows_nan` says that a result is NaN where the part is, `along` which indices other factors are stored along below
    one that is summed. `is_applied` says that the part is not all of the statement, `is_inner` that it is in a sum that
    is not. `whole` is what the kernel computes, and `is_sparse` says that the result is. `combined` are indices along
    which equal values of the part are equal in the reduced expression, and are reduced at once.
    """

    output: tuple[str, ...]
    products: int
    shows_nan: bool
    around: tuple[str, ...]
    whole: Expression
    is_sparse: bool = False
    beside: tuple[Factor, ...] = ()
    along: frozenset[str] = frozenset()
    is_applied: bool = False
    is_inner: bool = False
    combined: frozenset[str] = frozenset()

    @staticmethod
    def all_of(
        expression: Expression, output: tuple[str, ...], shows_nan: bool, is_sparse: bool = False
    ) -> PartContext:
        """Where an expression stands that is all of a statement."""
        return PartContext(output, len(products_of_matrices(expression)), shows_nan, output, expression, is_sparse)

    def of_sum(self, free: Collection[str]) -> PartContext:
        """Where the inside of a sum with these free indices stands: outside of the loops inside of all of theirs.

        For a dense result, sums that are a vector together are computed for all of it first.
        """
        if not self.is_sparse and len({*free}) == 1:
            own = tuple([label for label in self.around if label in free])
            return self._replace(around=own, output=tuple([label for label in self.output if label in free]))
        last = max([number for number, label in enumerate(self.around) if label in free], default=-1)
        around = self.around[: last + 1]
        return self._replace(around=around, output=tuple([label for label in self.output if label in around]))

    def under(self, operator: str) -> PartContext:
        shows_nan = self.shows_nan and operator in _SHOW_NAN
        return self._replace(shows_nan=shows_nan, is_applied=True)


def stored_below(factors: Sequence[Expression], summed: Collection[str]) -> frozenset[str]:
    """The indices of factors that come behind one which is summed: loops over these go inside."""
    tensors = [factor.plain_indices for factor in factors if isinstance(factor, Access)]
    behind = [indices[number:] for indices in tensors for number, label in enumerate(indices) if label in summed]
    return frozenset(label for labels in behind for label in labels if label not in summed)
