"""Products in a statement, with the sums that they are summed by: what may be computed in another order."""

from __future__ import annotations

from typing import NamedTuple

from irtensor.dialects.operator_symbols import REDUCTIONS
from irtensor.frontend.expression_tree import Apply, Expression, Literal, Reduce, children, free_indices, walk
from irtensor.runtime.matrix_product import is_matrix_product


class Leaf(NamedTuple):
    """What a product multiplies, or `divides` by."""

    expression: Expression
    divides: bool = False

    @property
    def is_operand(self) -> bool:
        """Whether it is neither a number nor divides."""
        return not self.divides and not isinstance(self.expression, Literal)


class ProductTree(NamedTuple):
    """A product of leaves, summed over some indices; no addition where nothing is summed."""

    addition: str | None
    multiplication: str
    leaves: tuple[Leaf, ...]
    summed: tuple[str, ...]

    @property
    def is_chain(self) -> bool:
        """Whether pairs may be multiplied first: what is not summed may be multiplied last."""
        return sum([leaf.is_operand and self.is_summed(leaf) for leaf in self.leaves]) > 2

    def matrices(self) -> tuple[Leaf, Leaf] | None:
        """The two leaves that are summed, if their sum is a product of matrices: the others may multiply that."""
        summed = [leaf for leaf in self.leaves if self.is_summed(leaf)]
        if (self.addition, self.multiplication) != ("add", "mul") or len(summed) != 2:
            return None
        left, right = (free_indices(leaf.expression) for leaf in summed)
        kept = tuple([label for label in dict.fromkeys((*left, *right)) if label not in self.summed])
        has_rows_and_columns = {*left} - {*right} and {*right} - {*left}
        is_product = all([leaf.is_operand for leaf in summed]) and is_matrix_product(left, right, kept)
        is_product = is_product and has_rows_and_columns
        return (summed[0], summed[1]) if is_product else None

    def is_in_tiles(self, products: int) -> bool:
        """Whether loops compute the product of matrices in tiles of registers, in about the time that BLAS takes.

        They do so for one of the `products` of a kernel, where no other factor is read at each step, and if rows of one
        matrix are multiplied by columns of the other one, as they are stored.
        """
        matrices = self.matrices()
        if matrices is None or products > 1:
            return False
        ends = [free_indices(leaf.expression)[-1] in self.summed for leaf in matrices]
        if ends[0] == ends[1]:
            return False
        left, right = ({*free_indices(leaf.expression)} for leaf in matrices)
        others = [{*free_indices(leaf.expression)} for leaf in self.leaves if leaf not in matrices]
        is_read = any([its & (left - right) and its & (right - left) for its in others])
        return not is_read and not any(
            [isinstance(node, Reduce) for leaf in matrices for node in walk(leaf.expression)]
        )

    def is_summed(self, leaf: Leaf) -> bool:
        """Whether a leaf is another one at some index of the sum than at others."""
        return bool({*free_indices(leaf.expression)} & {*self.summed})

    def summed_around(self, leaf: Leaf) -> tuple[str, ...]:
        """The indices of the sum whose loops a leaf is computed in: none where it is the same at all of them."""
        return self.summed if self.is_summed(leaf) else ()


def tree_of(expression: Expression) -> ProductTree | None:
    """The product that an expression is, with inner sums where they may go over all of it; None for no product."""
    body = _summed(expression)
    addition = expression.operator if isinstance(expression, Reduce) else None
    multiplication = _multiplication(body)
    if multiplication is None or multiplication == addition:
        return None
    for opens_sums in (True, False):
        found = _Gatherer(addition, multiplication, opens_sums)
        found.gather(expression, False, True)
        if found.is_one_sum():
            return ProductTree(found.addition, multiplication, tuple(found.leaves), tuple(found.summed))
    return None


def products_of_matrices(expression: Expression) -> set[Expression]:
    """The products of matrices in an expression: equal ones are computed once."""
    tree = tree_of(expression)
    if tree is None:
        return set[Expression]().union(*map(products_of_matrices, children(expression)))
    found = {expression} if tree.matrices() else set[Expression]()
    return found.union(*[products_of_matrices(leaf.expression) for leaf in tree.leaves])


def _summed(expression: Expression) -> Expression:
    """What nested sums of one kind sum."""
    body = expression
    while isinstance(body, Reduce) and isinstance(expression, Reduce) and body.operator == expression.operator:
        body = body.body
    return body


def _multiplication(body: Expression) -> str | None:
    """The operator of a product, of which a quotient is one."""
    if not isinstance(body, Apply) or len(body.arguments) != 2:
        return None
    operator = "mul" if body.operator == "div" else body.operator
    return operator if operator in REDUCTIONS or operator.startswith("@") else None


class _Gatherer:
    def __init__(self, addition: str | None, multiplication: str, opens_sums: bool) -> None:
        self.addition = addition
        self.leaves: list[Leaf] = []
        self.summed: list[str] = []
        self._multiplication = multiplication
        self._opens_sums = opens_sums
        # The indices of each sum, and which leaves it goes over.
        self._ranges: list[tuple[tuple[str, ...], range]] = []

    def gather(self, expression: Expression, divides: bool, is_outermost: bool = False) -> None:
        match expression:
            case Reduce() if not divides and self._may_open(expression, is_outermost):
                self.addition, start = expression.operator, len(self.leaves)
                self.gather(expression.body, False, is_outermost)
                self.summed.extend(expression.indices)
                self._ranges.append((expression.indices, range(start, len(self.leaves))))
            case Apply(operator, (left, right)) if not divides and operator == self._multiplication:
                self.gather(left, False)
                self.gather(right, False)
            case Apply("div", (left, right)) if not divides and self._multiplication == "mul":
                self.gather(left, False)
                self.gather(right, True)
            case _:
                self.leaves.append(Leaf(expression, divides))

    def _may_open(self, sum: Reduce, is_outermost: bool) -> bool:
        if self.addition not in (None, sum.operator) or sum.operator == self._multiplication:
            return False
        return is_outermost or (self._opens_sums and _multiplication(_summed(sum)) == self._multiplication)

    def _is_outer(self, inside: range) -> bool:
        """Whether a sum is inside of no other one: the factors of several such sums are better summed by themselves."""
        return not any([{*inside} < {*other} for _, other in self._ranges])

    def is_one_sum(self) -> bool:
        """Whether sums of inner products are sums of all: nothing outside of them has their indices."""
        outer = {(its.start, its.stop) for _, its in self._ranges if self._is_outer(its)}
        if len({*self.summed}) < len(self.summed) or len(outer) > 1:
            return False
        labels = [{*free_indices(leaf.expression)} for leaf in self.leaves]
        return not any(
            [
                number not in inside and its & {*indices}
                for indices, inside in self._ranges
                for number, its in enumerate(labels)
            ]
        )
