"""A product of more than two factors; pairs are multiplied first, each by a kernel of its own."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from irtensor.frontend.einsum.contraction_choice import Choice
from irtensor.frontend.einsum.contraction_costs import COMPILED
from irtensor.frontend.einsum.contraction_order import contractions_of
from irtensor.frontend.einsum.contraction_steps import Operand, ProductOfTensors, Ring, choose_steps, parts_of
from irtensor.frontend.element_types import element_name
from irtensor.frontend.expression_tree import (
    Access,
    Apply,
    Expression,
    Literal,
    accesses,
    free_indices,
    replaced,
)
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.parts.kernel_steps import Part
from irtensor.frontend.parts.part_context import PartContext
from irtensor.frontend.parts.product_tree import Leaf, ProductTree, without_ones
from irtensor.frontend.parts.split_tensors import SplitTensors

# The time of an element of a sum of sparse and dense terms, and of an entry between two stretches of the dense ones.
_MERGED, _MERGED_ENTRY = 0.15, 10.0
# Loops for both kinds of terms are compiled: half as long again as those for one.
_MERGE_COMPILED = 0.5 * COMPILED


class Pair(NamedTuple):
    """A pair of a chain, or its last sum, and the indices of its result."""

    expression: Expression
    labels: tuple[str, ...]


class Chain:
    """The product of a tree that stands in a context; `choice` is None where it has to be one sum."""

    def __init__(self, tree: ProductTree, context: PartContext, tensors: SplitTensors) -> None:
        self._tensors = tensors
        # The replacements of factors that are not tensors, and the operators applied after the sum.
        self._expressions: dict[Expression, Expression] = {}
        self._dense: list[Expression] = []
        self._after: list[Leaf] = []
        # The entries of factors that are a sparse tensor divided by something.
        self._entries: dict[str, int | None] = {}
        self.choice: Choice | None = None
        # The time of sparse terms beside dense ones, which is in none of the times of the choice.
        self.merged = 0.0
        operands, ring = self._operands(tree), ring_of(tree, tensors)
        self._after = without_ones(self._after, tree.multiplication)
        if operands is None or ring is None:
            return
        labels = {label for operand in operands for label in operand.labels} - {*tree.summed}
        output = tuple([label for label in dict.fromkeys((*context.around, *labels)) if label in labels])
        sizes, is_sparse = tensors.sizes, tensors.is_sparse
        self._product = ProductOfTensors(operands, output, sizes.format if is_sparse else None, sizes.extents, ring)
        entries = [self._entries.get(operand.name, tensors.entries.get(operand.name)) for operand in operands]
        self.may_be_absent = any([tensors.may_be_absent(expression) for expression in self._dense])
        # A pair would be computed at all coordinates, where a factor that is not a tensor has few entries.
        if any([tensors.pattern_of(expression) is not None for expression in self._dense]):
            return
        if not self.may_be_absent or (context.shows_nan and not is_sparse):
            choice = choose_steps(
                self._product, entries, sizes.taken, sizes.dtype, may_mix=context.shows_nan, beside=context.beside
            )
            if choice is not None:
                self.merged, again = self._merged_once(), self._merged_at_once()
                # What both take decides nothing: in pairs, the terms may be apart.
                self.choice = choice._replace(at_once=choice.at_once + again - self.merged)

    @property
    def least(self) -> float | None:
        """The time in the best way; None where the product is one kernel whatever the sizes are.

        It includes that of factors with sparse terms, which are computed at all coordinates.
        """
        return None if self.choice is None else min(self.choice.in_pairs, self.choice.at_once) + self.merged

    @property
    def splits(self) -> bool:
        """Whether several kernels are better than one."""
        return self.choice is not None and self.choice.splits

    @property
    def has_terms(self) -> bool:
        """Whether factors have sparse terms beside dense ones."""
        return any(map(self._merged, self._dense))

    def _merged_once(self) -> float:
        """The time of the sparse terms of all factors, each computed once."""
        return sum([its + _MERGE_COMPILED for expression in self._dense if (its := self._merged(expression))])

    def _merged_at_once(self) -> float:
        """The time of the sparse terms of all factors in one kernel, those of the first factor outside of others."""
        around, time = set[str](), 0.0
        for expression in self._dense:
            labels = free_indices(expression)
            if its := self._merged(expression):
                time += its * self._tensors.size([*around.difference(labels)]) + _MERGE_COMPILED
                around.update(labels)
        return time

    def _merged(self, expression: Expression) -> float:
        """The time of the sparse terms of a factor, beside its dense ones."""
        sparse = [factor for one in accesses(expression) if (factor := self._tensors.factor(one)).is_sparse]
        size = self._tensors.size(free_indices(expression)) if sparse else 0.0
        return _MERGED * size + _MERGED_ENTRY * sum([factor.entries for factor in sparse])

    def pairs(self) -> list[Pair]:
        """The pairs and the last sum; they read intermediates that nothing defines."""
        assert self.choice is not None
        tensors, between = self._tensors, self.choice.intermediates
        parts = self._parts(tensors.stand_in(factor.labels).tensor for factor in between)
        return [
            Pair(replaced(part.statement.expression, self._expressions), part.statement.target.plain_indices)
            for part in parts
        ]

    def _parts(self, names: Iterator[str]) -> list[Part]:
        """The statements of the pairs and of the last sum."""
        product, choice = self._product, self.choice
        assert choice is not None
        contractions = contractions_of([operand.labels for operand in product.operands], product.output, choice.path)
        return parts_of(product, contractions, choice, names)

    def taken_apart(
        self, planned: Callable[[Expression, tuple[str, ...]], Expression]
    ) -> tuple[Expression, Sequence[Leaf]]:
        """The last sum, and the factors multiplied with it; it reads the results of the pairs, each as `planned` for
        its indices.
        """
        assert self.choice is not None
        *before, last = self._parts(self._tensors.names)
        for (statement, format, size), factor in zip(before, self.choice.intermediates, strict=True):
            pair = planned(replaced(statement.expression, self._expressions), statement.target.plain_indices)
            statement = replace(statement, expression=pair)
            self._tensors.define(statement, format, factor.entries if factor.is_sparse else None, size)
        return replaced(last.statement.expression, self._expressions), self._after

    def _operands(self, tree: ProductTree) -> tuple[Operand, ...] | None:
        tensors, operands = self._tensors, list[Operand]()
        leaves = _with_quotients(tree, tensors)
        if leaves is None:
            return None
        for number, leaf in enumerate(leaves):
            expression = leaf.expression
            is_after = not tree.is_summed(leaf) and (leaf.divides or tensors.sparse_factor(expression) is None)
            if (leaf not in tree.leaves or not leaf.is_operand) and not _is_of_type(expression, tensors):
                return None
            if is_after:
                self._after.append(leaf)
            elif isinstance(expression, Access):
                operands.append(
                    Operand(expression.tensor, expression.plain_indices, tensors.described[expression.tensor])
                )
            else:
                operands.append(self._computed(f"_factor{number}", expression))
                self._expressions[Access(operands[-1].name, operands[-1].labels)] = expression
        return tuple(operands)

    def _computed(self, name: str, expression: Expression) -> Operand:
        """A factor that is not a tensor. A quotient of a sparse one has its entries."""
        tensors, divided = self._tensors, _divided(expression)
        if divided is not None and tensors.pattern_of(expression) is not None:
            self._entries[name] = tensors.entries[divided.tensor]
            return Operand(name, divided.plain_indices, tensors.described[divided.tensor])
        self._dense.append(expression)
        labels = free_indices(expression)
        return Operand(name, labels, OperandDescription(tensors.sizes.dtype, len(labels)))


class Chains:
    """The chains of a statement, each planned once: several rules ask about one."""

    def __init__(self, tensors: SplitTensors) -> None:
        self._tensors = tensors
        self._known: dict[Hashable, Chain] = {}

    def of(self, tree: ProductTree, context: PartContext) -> Chain:
        key = tree, context.around, context.beside, context.shows_nan
        if key not in self._known:
            self._known[key] = Chain(tree, context, self._tensors)
        return self._known[key]


def _divided(expression: Expression) -> Access | None:
    """The tensor that a quotient divides; None for another expression."""
    while isinstance(expression, Apply) and expression.operator == "div":
        expression = expression.arguments[0]
    return expression if isinstance(expression, Access) else None


def _with_quotients(tree: ProductTree, tensors: SplitTensors) -> list[Leaf] | None:
    """The leaves of a product, those that are summed and divide with the smallest factor that has their indices; None
    without such a factor."""

    def entries(leaf: Leaf) -> float:
        factor = tensors.sparse_factor(leaf.expression)
        return tensors.size(free_indices(leaf.expression)) if factor is None else factor.entries

    found = [leaf for leaf in tree.leaves if not (leaf.divides and tree.is_summed(leaf))]
    for leaf in tree.leaves:
        if leaf.divides and tree.is_summed(leaf):
            labels = {*free_indices(leaf.expression)}
            having = [one for one in found if one.is_operand and {*free_indices(one.expression)} >= labels]
            if not having:
                return None
            taken = min(having, key=entries)
            found[found.index(taken)] = Leaf(Apply("div", (taken.expression, leaf.expression)))
    return found


def applied(found: Expression, leaves: Sequence[Leaf], multiplication: str) -> Expression:
    """An expression, multiplied and divided by the rest of a product."""
    for leaf in leaves:
        operator, arguments = multiplication, (leaf.expression, found)
        if leaf.divides:
            operator, arguments = "div", (found, leaf.expression)
        found = Apply(operator, arguments)
    return found


def _is_of_type(expression: Expression, tensors: SplitTensors) -> bool:
    """Whether products with a number, or quotients by something, have the type of the tensors."""
    kind = tensors.sizes.dtype.kind
    if not isinstance(expression, Literal):
        return kind in "fc"
    value = expression.value
    return kind in ("iufc" if isinstance(value, int) else "fc" if isinstance(value, float) else "c")


def ring_of(tree: ProductTree, tensors: SplitTensors) -> Ring | None:
    """The sums and products; None where it is not known what a sum of nothing is."""
    assert tree.addition is not None
    dtype = tensors.sizes.dtype
    if (tree.addition, tree.multiplication) == ("add", "mul"):
        return None if dtype.kind == "b" else Ring()
    from irtensor.core.operators import OPERATORS

    if tree.addition not in OPERATORS:
        return None  # Declared by the user, with an identity of its own.
    zero = OPERATORS[tree.addition].identity(element_name(dtype))
    return Ring(tree.addition, tree.multiplication, (), zero)
