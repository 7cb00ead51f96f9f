"""Products in a statement, with the sums that they are summed by: what may be computed in another order."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from irtensor.frontend.expression_tree import (
    Access,
    Apply,
    Expression,
    Literal,
    Reduce,
    children,
    free_indices,
    remembered,
    walk,
)
from irtensor.operators.known_operators import OPERATORS, REDUCTIONS
from irtensor.runtime.matrix_product import is_matrix_product

# Operators that take as long as a product: to compute them in each tile again takes little time.
_QUICK = frozenset("add sub mul neg abs max min where eq ne lt le gt ge first second".split())


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
        """Whether pairs may be multiplied first: factors that are not summed may be multiplied last."""
        return sum([leaf.is_operand and self.is_summed(leaf) for leaf in self.leaves]) > 2

    @property
    def is_chain_of_matrices(self) -> bool:
        """Whether a product of two is left of a chain: its factors have more than two sets of indices."""
        sets = {frozenset(free_indices(leaf.expression)) for leaf in self.leaves if self.is_summed(leaf)}
        return self.is_chain and len(sets) > 2

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

    @property
    def has_computed_matrices(self) -> bool:
        """Whether a matrix of a product of two is computed, in each tile again."""
        matrices = self.matrices()
        return matrices is not None and not all([isinstance(leaf.expression, Access) for leaf in matrices])

    def grouped(self) -> ProductTree | None:
        """A product of two matrices; each is the product of all factors with its indices.

        None where these are not matrices, or are tensors as they are.
        """
        summed = [leaf for leaf in self.leaves if self.is_summed(leaf)]
        labels = [frozenset(free_indices(leaf.expression)) for leaf in summed]
        largest = [its for its in dict.fromkeys(labels) if not any([its < other for other in labels])]
        if len(summed) < 3 or len(largest) != 2 or (self.addition, self.multiplication) != ("add", "mul"):
            return None
        groups: list[list[Leaf]] = [[], []]
        for leaf, its in zip(summed, labels, strict=True):
            groups[0 if its <= largest[0] else 1].append(leaf)
        matrices: list[Leaf] = []
        for group in groups:
            group.sort(key=lambda leaf: leaf.divides)
            if not group[0].is_operand:
                return None
            matrices.append(Leaf(multiplied(group, self.multiplication)))
        others = [leaf for leaf in self.leaves if leaf not in summed and not _is_one(leaf)]
        found = self._replace(leaves=(*matrices, *others))
        return None if found.matrices() is None else found

    def quotients(self) -> list[Expression]:
        """Divisors of a term that is summed, each with all factors that have the same indices."""
        operator, groups = OPERATORS.get(self.multiplication), dict[frozenset[str], list[Leaf]]()
        if operator is None or self.addition not in operator.distributes_over:
            return []
        for leaf in self.leaves:
            if self.is_summed(leaf):
                groups.setdefault(frozenset(free_indices(leaf.expression)), []).append(leaf)
        found = [sorted(its, key=lambda leaf: leaf.divides) for its in groups.values()]
        return [multiplied(its, self.multiplication) for its in found if its[-1].divides and not its[0].divides]

    def reading(self, quotient: Expression, read: Access) -> ProductTree:
        """The product with a tensor in place of a quotient."""
        labels = {*free_indices(quotient)}
        others = [leaf for leaf in self.leaves if {*free_indices(leaf.expression)} != labels]
        return self._replace(leaves=(*others, Leaf(read)))

    def is_in_tiles(self, products: int, output: Sequence[str], is_inner: bool) -> bool:
        """Whether loops compute the product of matrices in tiles of registers, in about the time that BLAS takes.

        They do so for one of the `products` of a kernel, where no other factor is read at each step, and if rows of one
        matrix are multiplied by columns of the other one, as they are stored. What a matrix is computed from is
        computed again in each tile, and not in tiles that would have to be transposed for the `output` of the kernel.
        A sum or maximum over rows is behind the tiles, unless it `is_inner`: another operation is behind it.
        """
        matrices = self.matrices()
        if matrices is None or products > 1 or is_inner:
            return False
        orders = [stored_order(leaf.expression) for leaf in matrices]
        ends = [order[-1] in self.summed for order in orders]
        if ends[0] == ends[1]:
            return False
        left, right = ({*order} for order in orders)
        others = [{*free_indices(leaf.expression)} for leaf in self.leaves if leaf not in matrices]
        is_read = any([its & (left - right) and its & (right - left) for its in others])
        rows, columns = [matrices[number].expression for number in (ends.index(True), ends.index(False))]
        is_computed = not (isinstance(rows, Access) and isinstance(columns, Access))
        kept = [label for label in output if label in left ^ right]
        is_across = {*kept} >= left ^ right and kept[-1] in free_indices(rows)
        return not (is_read or (is_computed and is_across)) and _is_quick(rows) and _is_quick(columns)

    def is_summed(self, leaf: Leaf) -> bool:
        """Whether a leaf is another one at some index of the sum than at others."""
        return bool({*free_indices(leaf.expression)} & {*self.summed})

    def summed_around(self, leaf: Leaf) -> tuple[str, ...]:
        """The indices of the sum whose loops a leaf is computed in: none where it is the same at all of them."""
        return self.summed if self.is_summed(leaf) else ()


def stored_order(expression: Expression) -> tuple[str, ...]:
    """The free indices of an expression in the order in which a tensor or a sum in it has all of them, if one does."""
    free = free_indices(expression)
    for node in walk(expression):
        if isinstance(node, (Access, Reduce)) and {*(its := free_indices(node))} == {*free}:
            return its
    return free


@remembered
def has_sum(expression: Expression) -> bool:
    """Whether something is summed in an expression."""
    return any([isinstance(node, Reduce) for node in walk(expression)])


def multiplied(leaves: Sequence[Leaf], multiplication: str) -> Expression:
    """The product of factors in their order; the first one does not divide."""
    first, *others = leaves
    found = first.expression
    for leaf in others:
        found = Apply("div" if leaf.divides else multiplication, (found, leaf.expression))
    return found


@remembered
def product_of(expression: Expression) -> ProductTree | None:
    """The product that an expression is or sums, whose factors may be sums; None for no product."""
    is_sum = isinstance(expression, Reduce)
    body, addition = (expression.body, expression.operator) if is_sum else (expression, None)
    multiplication = _multiplication(body)
    if multiplication is None or multiplication == addition:
        return None
    found = _Gatherer(addition, multiplication, False)
    found.gather(body, False)
    return ProductTree(addition, multiplication, tuple(found.leaves), expression.indices if is_sum else ())


def parts_below(expression: Expression) -> Sequence[Expression]:
    """The parts of an expression, of a product or a sum of one its factors."""
    tree = product_of(expression)
    return children(expression) if tree is None else [leaf.expression for leaf in tree.leaves]


@remembered
def grouped_product(expression: Expression) -> ProductTree | None:
    """A product of matrices that an expression is, each of them a product of factors with the same indices."""
    for tree in (tree_of(expression), product_of(expression)):
        found = tree.grouped() if tree is not None else None
        if found is not None:
            return found
    return None


def without_ones(leaves: Sequence[Leaf], multiplication: str) -> list[Leaf]:
    """Leaves that are multiplied, without the number 1."""
    if multiplication != "mul":
        return [*leaves]
    return [leaf for leaf in leaves if leaf.divides or not _is_one(leaf)]


def _is_one(leaf: Leaf) -> bool:
    return isinstance(leaf.expression, Literal) and type(leaf.expression.value) is int and leaf.expression.value == 1


def added_product(expression: Expression, output: Collection[str]) -> Expression | None:
    """A product that a tensor of the result's indices is added to, which is done with what BLAS computes."""
    if not isinstance(expression, Apply) or expression.operator != "add":
        return None
    for one, other in (expression.arguments, expression.arguments[::-1]):
        tree = tree_of(one)
        if isinstance(other, Access) and {*other.indices} == {*output} and tree is not None and tree.matrices():
            return one
    return None


def _is_quick(expression: Expression) -> bool:
    """Whether an expression takes about as long as a step of a product of matrices."""
    nodes = [node for node in walk(expression) if isinstance(node, Apply)]
    return not has_sum(expression) and all([node.operator in _QUICK for node in nodes])


@remembered
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


@remembered
def products_of_matrices(expression: Expression) -> frozenset[Expression]:
    """The products of matrices in an expression, one for a chain; equal ones are computed once."""
    tree = tree_of(expression)
    if tree is None:
        return frozenset[Expression]().union(*map(products_of_matrices, children(expression)))
    found = frozenset([expression] if tree.matrices() or tree.is_chain_of_matrices else [])
    return found.union(*[products_of_matrices(leaf.expression) for leaf in tree.leaves])


def has_inner_product(expression: Expression, is_applied: bool = False, is_inner: bool = False) -> bool:
    """Whether a product of matrices is in a sum or maximum, and that in another operation."""
    tree = tree_of(expression)
    if tree is None:
        is_inner = is_inner or (is_applied and isinstance(expression, Reduce))
        return any([has_inner_product(child, True, is_inner) for child in children(expression)])
    if is_inner and tree.matrices() is not None:
        return True
    leaves = [(leaf.expression, is_inner or (is_applied and tree.is_summed(leaf))) for leaf in tree.leaves]
    return any([has_inner_product(leaf, True, its) for leaf, its in leaves])


def _summed(expression: Expression) -> Expression:
    """What nested sums of one kind sum."""
    body = expression
    while isinstance(body, Reduce) and isinstance(expression, Reduce) and body.operator == expression.operator:
        body = body.body
    return body


def _multiplication(body: Expression) -> str | None:
    """The operator of a product; a quotient counts as a product."""
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
