"""What sums of products take in the best way: in the best order, and with sums of sparse and dense terms apart."""

from __future__ import annotations

from collections.abc import Hashable
from math import inf

from irtensor.frontend.expression_tree import Expression
from irtensor.frontend.parts.part_context import PartContext
from irtensor.frontend.parts.part_times import PartTimes
from irtensor.frontend.parts.product_tree import ProductTree
from irtensor.frontend.parts.split_chain import Chains
from irtensor.frontend.parts.terms_apart import TermsApart, summed_product, terms_apart

# The part of the coordinates of a tensor that has entries, if these are few.
_FEW = 0.25


class LeastTimes:
    """The least times of the sums of a statement, each found once."""

    def __init__(self, times: PartTimes, chains: Chains) -> None:
        self._times = times
        self._chains = chains
        self._known: dict[Hashable, float | None] = {}

    def terms_apart(self, tree: ProductTree, context: PartContext) -> TermsApart | None:
        """A sum whose terms are apart, if it has such ones; the terms of another factor may be apart in these sums."""
        return terms_apart(
            tree,
            self._has_few,
            lambda: self._together(tree, context),
            lambda one: self._of(one, context),
        )

    def _of(self, tree: ProductTree, context: PartContext) -> float | None:
        """The time of a sum in the best way; None where it is not known."""
        key = tree, context.around, context.beside, context.shows_nan
        if key not in self._known:
            found, least = self.terms_apart(tree, context), self._together(tree, context)
            self._known[key] = least if found is None or least is None else min(least, found.time)
        return self._known[key]

    def _has_few(self, term: Expression) -> bool:
        """Whether a term has few entries: digits cancel in a difference with a dense term at these."""
        factor = self._times.tensors.sparse_factor(term)
        return factor is not None and factor.entries <= _FEW * self._times.tensors.size(factor.labels)

    def apart_in_pairs(self, tree: ProductTree, context: PartContext) -> bool:
        """Whether the terms of a product are apart in its pairs."""
        least = self._chains.of(tree, context).least
        return least is not None and self._in_pairs(tree, context) < least

    def _together(self, tree: ProductTree, context: PartContext) -> float | None:
        """The time of a sum whose terms are together: in one kernel, or in pairs whose terms may be apart."""
        least = self._chains.of(tree, context).least
        return None if least is None else min(least, self._in_pairs(tree, context))

    def _in_pairs(self, tree: ProductTree, context: PartContext) -> float:
        """The time of the pairs of a chain, and of the tensors between them; infinite where no terms are apart."""
        chain = self._chains.of(tree, context)
        if not chain.has_terms or not chain.splits:
            return inf
        *before, last = chain.pairs()
        total = self._of_pair(last.expression, context)
        for expression, labels in before:
            at = PartContext.all_of(expression, labels, context.shows_nan)
            total += self._of_pair(expression, at) + self._times.made(labels)
        return total

    def _of_pair(self, pair: Expression, context: PartContext) -> float:
        tree = summed_product(pair)
        time = None if tree is None else self._of(tree, context)
        return inf if time is None else time
