"""Sums of terms as sums of each: of `(A[i,j] - k[i] * k[j]) * x[j]` with few entries of `A`, the sum of `A[i,j] * x[j]`
comes to these entries, and that of `k[j] * x[j]` is one number for all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from math import inf
from typing import NamedTuple

from irtensor.frontend.einsum.contraction_choice import is_clearly_less
from irtensor.frontend.einsum.contraction_costs import CALL, COMPILED
from irtensor.frontend.expression_tree import Access, Apply, Expression, Reduce, free_indices, walk
from irtensor.frontend.parts.equal_factors import expression_of
from irtensor.frontend.parts.product_tree import Leaf, ProductTree, multiplied, product_of, tree_of

# How much less a sum takes in the kernel of another one: it has no call of its own, and half of the compilation.
_JOINED = CALL + 0.5 * COMPILED
# What adds the negative of a term, for an operator that adds terms.
_SUBTRACTS = {"add": "sub"}


class Term(NamedTuple):
    """What a sum adds or subtracts."""

    expression: Expression
    is_subtracted: bool


class _Sum(NamedTuple):
    """The sum of a term, which is added or subtracted."""

    tree: ProductTree
    is_subtracted: bool


class TermsApart(NamedTuple):
    """A sum of terms as the sum of each, and the times of both."""

    expression: Expression
    time: float
    at_once: float

    @property
    def is_less(self) -> bool:
        """Whether the sums by themselves take less time."""
        return is_clearly_less(self.time, self.at_once)


def terms_apart(
    tree: ProductTree,
    is_sparse: Callable[[Expression], object],
    in_one: Callable[[], float | None],
    time: Callable[[ProductTree], float | None],
) -> TermsApart | None:
    """A sum in which a factor has terms with few entries, and others, taken apart where that takes the least time.

    `is_sparse` says which terms have few entries. `in_one` gives the time of the sum with its terms together, `time`
    that of the sum of one of them; both give None if it is not known.
    """
    found: list[TermsApart] = []
    for leaf in tree.leaves:
        sums = _sums(tree, leaf, terms_of(leaf, tree), is_sparse)
        at_once = in_one() if sums else None
        if at_once is None:
            continue
        total = -_JOINED * (len(sums) - 1)
        for one in sums:
            # More than one sum takes is not asked.
            its = time(one.tree) if total < at_once else None
            total = inf if its is None else total + its
        terms = [Term(expression_of(one.tree), one.is_subtracted) for one in sums]
        found.append(TermsApart(_combined(terms, tree.addition), total, at_once))
    return min(found, key=lambda one: one.time, default=None)


def has_terms(expression: Expression) -> bool:
    """Whether a sum has a factor whose terms may be summed by themselves: one with the entries of a matrix."""
    for node in walk(expression):
        tree = summed_product(node) if isinstance(node, Reduce) else None
        terms = [] if tree is None else [term for leaf in tree.leaves for term in terms_of(leaf, tree)]
        read = [one for term in terms for one in walk(term.expression) if isinstance(one, Access)]
        if any([len(access.indices) > 1 for access in read]):
            return True
    return False


def summed_product(expression: Expression) -> ProductTree | None:
    """The product that a sum is of, which may have one factor; None for no sum."""
    tree = tree_of(expression) or product_of(expression)
    if tree is None and isinstance(expression, Reduce) and expression.operator in _SUBTRACTS:
        return ProductTree(expression.operator, "mul", (Leaf(expression.body),), expression.indices)
    return tree if tree is not None and tree.summed else None


def terms_of(leaf: Leaf, tree: ProductTree) -> list[Term]:
    """The terms of a factor of a sum, in their order; none of another factor than a sum of terms."""
    assert tree.addition is not None
    if leaf.divides or not tree.is_summed(leaf):
        return []
    found = [*_terms(leaf.expression, tree.addition, False)]
    return found if len(found) > 1 else []


def _terms(expression: Expression, addition: str, is_subtracted: bool) -> Sequence[Term]:
    operators = (addition, _SUBTRACTS.get(addition))
    if not isinstance(expression, Apply) or expression.operator not in operators or len(expression.arguments) != 2:
        return [Term(expression, is_subtracted)]
    left, right = expression.arguments
    other = is_subtracted != (expression.operator != addition)
    return [*_terms(left, addition, is_subtracted), *_terms(right, addition, other)]


def _sums(
    tree: ProductTree, leaf: Leaf, terms: Sequence[Term], is_sparse: Callable[[Expression], object]
) -> list[_Sum]:
    """A sum for all terms with few entries, and for all others of one index; none if terms stay together, or a sum has
    no tensor with one of its indices.

    Digits that cancel in a difference of vectors cancel there. Those of a matrix with few entries and a dense one
    cancel at these entries alone.
    """
    groups: dict[Hashable, list[Term]] = {}
    for term in terms:
        labels = frozenset(free_indices(term.expression))
        key = "few" if is_sparse(term.expression) else labels if len(labels) < 2 else term
        groups.setdefault(key, []).append(term)
    if len(groups) < 2 or "few" not in groups:
        return []
    found: list[_Sum] = []
    for first, *others in groups.values():
        same = [Term(one, minus != first.is_subtracted) for one, minus in others]
        factor = Leaf(_combined([first, *same], tree.addition))
        one_sum = tree._replace(leaves=tuple([factor if one is leaf else one for one in tree.leaves]))
        if not {*tree.summed} <= {label for one in one_sum.leaves for label in free_indices(one.expression)}:
            return []
        assert tree.addition is not None
        whole = Reduce(tree.addition, tree.summed, multiplied(one_sum.leaves, tree.multiplication))
        found.append(_Sum(tree_of(whole) or one_sum, first.is_subtracted))
    return found


def _combined(terms: Sequence[Term], addition: str | None) -> Expression:
    """The sum of terms; the first one is not subtracted."""
    assert addition is not None
    found = terms[0].expression
    for expression, is_subtracted in terms[1:]:
        found = Apply(_SUBTRACTS[addition] if is_subtracted else addition, (found, expression))
    return found
