"""A statement as a program of several, where that is expected to take less time: by sizes and numbers of entries.

Three things make a statement of their own. In a product of more than two factors, those of a pair that is multiplied
first. What loops around it compute again and again, as it does not depend on them: a dense layer that is read at
the entries of a graph. And a product of dense matrices, which BLAS computes. The last statement has whatever is left.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from math import inf

from irtensor.frontend.einsum.contraction_choice import is_clearly_less
from irtensor.frontend.einsum.contraction_costs import CALL, COMPILED, COPIED, NEAR_LINE
from irtensor.frontend.element_types import is_rounded
from irtensor.frontend.expression_tree import (
    Access,
    Apply,
    Expression,
    Literal,
    Reduce,
    Statement,
    accesses,
    free_indices,
    in_numbers,
    replaced,
)
from irtensor.frontend.parts.dense_product import DenseProduct
from irtensor.frontend.parts.equal_factors import expression_of, with_equal_sums
from irtensor.frontend.parts.equal_parts import form_of
from irtensor.frontend.parts.joined_parts import with_joined_parts
from irtensor.frontend.parts.kernel_steps import Part
from irtensor.frontend.parts.least_times import LeastTimes
from irtensor.frontend.parts.listed_sums import Listed
from irtensor.frontend.parts.may_split import functions_in, least_indices, may_repeat, reads_several
from irtensor.frontend.parts.part_context import PartContext
from irtensor.frontend.parts.part_times import PartTimes
from irtensor.frontend.parts.product_tree import (
    Leaf,
    ProductTree,
    added_product,
    grouped_product,
    has_sum,
    stored_order,
    tree_of,
)
from irtensor.frontend.parts.shared_parts import Shared, SharedParts
from irtensor.frontend.parts.split import Split
from irtensor.frontend.parts.split_chain import Chains, applied
from irtensor.frontend.parts.split_tensors import Sizes, SplitTensors
from irtensor.frontend.parts.terms_apart import summed_product

# The time per element of reading a row of a tensor, and of making a tensor of such elements.
_READ, _WRITTEN = 0.15, 0.5


def split_statement(statement: Statement, sizes: Sizes) -> Split:
    """The program for tensors of these sizes."""
    return _Splitter(statement, sizes).split()


class _Splitter:
    def __init__(self, statement: Statement, sizes: Sizes) -> None:
        self._statement = statement
        self._tensors = SplitTensors(statement, sizes)
        self._times = PartTimes(self._tensors)
        self._chains = Chains(self._tensors)
        self._least = LeastTimes(self._times, self._chains)
        # The part that is computed before, with its indices in the order in which an expression has them.
        self._known: dict[Expression, tuple[Access, tuple[str, ...]]] = {}
        # The forms of factors that chains have several times.
        self._equal = set[Hashable]()
        # The parts whose terms are as far apart as they should be.
        self._apart = set[Expression]()
        # What choices were about.
        self._decided: dict[Expression, None] = {}
        self._chosen = self._at_once = 0.0
        # How much less time sums of terms take apart, before other choices.
        self._saved = 0.0
        self._otherwise: float | None = None
        self._refused: frozenset[str] = frozenset()
        self._is_mixed = False

    def split(self) -> Split:
        tensors, output, asked = self._tensors, self._tensors.output, self._statement.expression
        expression = self._with_terms_apart(asked, self._all_of(asked))
        expression = self._with_equal_sums(expression, self._all_of(expression))
        self._statement = replace(self._statement, expression=expression)
        result = Shared(Access("", output), expression, self._all_of(expression))
        shared = SharedParts(result, self._times, self._choose_shared, self._equal)
        self._is_mixed |= shared.is_mixed
        for access, part, context in shared.program:
            expression = self._planned(part, context, is_all=True)
            if access is not result.access:
                tensors.define(Statement(access, None, expression), None, None, tensors.size(access.plain_indices))
        last = Part(replace(self._statement, expression=expression), tensors.sizes.format, 0)
        parts = with_joined_parts((*tensors.parts, last), tensors.described)
        made = tuple([tensors.entries[part.statement.target.tensor] for part in parts[:-1]])
        left = self._left()
        otherwise = None if self._otherwise is None else self._otherwise + left
        times = self._chosen + left, self._at_once + self._saved + left, otherwise, self._refused
        item, is_other = tensors.sizes.dtype.itemsize, parts[-1].statement.expression != asked
        return Split(tuple(parts), *times, self._is_mixed, made, item, is_other)

    def _all_of(self, expression: Expression) -> PartContext:
        """Where an expression stands that is the statement's."""
        return PartContext.all_of(expression, self._tensors.output, True, self._tensors.is_sparse)

    def _with_terms_apart(self, expression: Expression, context: PartContext) -> Expression:
        """An expression in which sums of terms with few entries are apart from sums of others, where this is less."""
        if context.is_sparse or isinstance(expression, (Access, Literal)) or expression in self._apart:
            return expression
        at, found, is_in_pairs = context, None, False
        if isinstance(expression, Reduce):
            at, tree = context.of_sum(free_indices(expression)), summed_product(expression)
            found = None if tree is None else self._least.terms_apart(tree, at)
            is_in_pairs = tree is not None and found is not None and self._least.apart_in_pairs(tree, at)
        if found is not None and found.is_less:
            self._is_mixed = True
            self._saved += found.at_once - found.time
            expression = found.expression
        elif is_in_pairs:
            self._apart.add(expression)
            return expression
        below = [(part, self._with_terms_apart(part, inner)) for part, inner in self._times.below(expression, at)]
        changed = {part: found for part, found in below if found != part}
        if changed:
            # A factor that is computed from entries leaves others to be apart.
            return self._with_terms_apart(replaced(expression, changed), context)
        self._apart.add(expression)
        return expression

    def _with_equal_sums(self, expression: Expression, context: PartContext) -> Expression:
        """An expression in which chains have the sums of factors that they have twice, if these are worth a tensor."""
        if isinstance(expression, Reduce):
            context = context.of_sum(free_indices(expression))
        tree = tree_of(expression)
        if tree is not None and tree.is_chain:
            found = with_equal_sums(tree)
            is_less = found is not None and self._is_less_with_equal_sums(tree, found, context)
            return expression_of(found) if found is not None and is_less else expression
        below = [(part, self._with_equal_sums(part, at)) for part, at in self._times.below(expression, context)]
        changed = {part: found for part, found in below if found != part}
        return replaced(expression, changed) if changed else expression

    def _is_less_with_equal_sums(self, tree: ProductTree, found: ProductTree, context: PartContext) -> bool:
        """Whether a chain takes less time if the sum that stands there several times is computed once."""
        tensors = self._tensors
        sums = [leaf.expression for leaf in found.leaves if leaf not in tree.leaves]
        read = {one: tensors.stand_in(free_indices(one)) for one in sums}
        rest = found._replace(leaves=tuple([Leaf(read.get(one, one), divides) for one, divides in found.leaves]))
        part = sums[0].arguments[0] if isinstance(sums[0], Apply) else sums[0]
        its, labels = tree_of(part), free_indices(part)
        if its is None or not labels:
            return False
        chains = self._chains.of(tree, context), self._chains.of(its, PartContext.all_of(part, labels, True))
        at_once, once = (one.least for one in chains)
        # Nothing is left to sum of a power of one sum: no tensor has that.
        after = self._times.made(labels) + (self._chains.of(rest, context).least or inf) if rest.summed else 0.0
        is_less = at_once is not None and once is not None and once + after < at_once
        if is_less:
            self._equal.add(form_of(part).shape)
        return is_less

    def _left(self) -> float:
        """The time of what no choice was about, which the last kernel does."""
        if not self._at_once + self._saved:
            return 0.0
        tensors, read = self._tensors, dict[Expression, Expression]()
        for part in self._decided:
            read[part] = tensors.stand_in(free_indices(part))
        expression = replaced(self._statement.expression, read)
        if isinstance(expression, Access):
            return 0.0
        pattern = tensors.pattern_of(expression) if tensors.is_sparse else None
        elements = tensors.size(tensors.output) if pattern is None else pattern.entries
        return CALL + COMPILED + self._times.time(expression, tensors.output, elements)

    def _choose(self, in_parts: float | None, at_once: float, splits: bool) -> None:
        """Note the times of a choice; there was none without a time in parts."""
        chosen, other = (in_parts, at_once) if splits and in_parts is not None else (at_once, in_parts)
        self._chosen, self._at_once = self._chosen + chosen, self._at_once + at_once
        if other is not None:
            self._otherwise = (self._otherwise or 0.0) + other

    def _choose_shared(self, parts: Sequence[Expression], before: float, again: float, shares: bool) -> None:
        """Note the times of a choice about parts that are equal."""
        self._decided.update(dict.fromkeys(parts))
        self._choose(before, again, shares)

    def _planned(self, expression: Expression, context: PartContext, is_all: bool = False) -> Expression:
        """An expression that reads intermediates where these are worth it; `is_all` if it is the statement's."""
        if isinstance(expression, Reduce):
            context = context.of_sum(free_indices(expression))
        tree = tree_of(expression)
        if tree is not None:
            return self._planned_product(expression, tree, context, is_all)
        below = self._times.arguments(expression, context)
        alone = added_product(expression, self._tensors.output) if is_all else None
        planned = tuple([self._planned(*one, is_all=True) if one[0] is alone else self._part(*one) for one in below])
        if planned == tuple([part for part, _ in below]):
            return expression
        match expression:
            case Apply():
                return replace(expression, arguments=planned)
            case _:
                return replace(expression, body=planned[0])

    def _planned_product(
        self, expression: Expression, tree: ProductTree, context: PartContext, is_all: bool
    ) -> Expression:
        """A product that reads intermediates where these are worth it."""
        matrices, known = tree.matrices(), self._at_once
        if matrices is not None:
            found = self._product_of_matrices(tree, matrices, context, is_all)
            self._note(expression, known)
            if found is not None:
                return found
        if (listed := self._listed_factor(tree, context)) is not None:
            return listed
        asked, divided = expression, self._with_quotients(tree, context)
        if divided is not tree:
            tree, expression = divided, expression_of(divided)
        leaves = self._leaves(tree, context)
        known = self._at_once
        planned = tree._replace(leaves=tuple(leaves))
        chain = self._chain(planned, context, is_all) if tree.is_chain else None
        self._note(asked, known)
        if chain is not None:
            return chain
        grouped = grouped_product(expression)
        if grouped is not None and (matrices := grouped.matrices()) is not None:
            found = self._product_of_matrices(grouped, matrices, context, is_all)
            if found is not None:
                return found
        changed = {old.expression: new.expression for old, new in zip(tree.leaves, leaves, strict=True) if old != new}
        return replaced(expression, changed) if changed else expression

    def _note(self, expression: Expression, known: float) -> None:
        """Note that a choice was about an expression, if there is one since times were `known`."""
        if self._at_once != known:
            self._decided[expression] = None

    def _leaves(self, tree: ProductTree, context: PartContext) -> list[Leaf]:
        """The leaves of a product, which read intermediates where these are worth it."""
        found: list[Leaf] = []
        for leaf in tree.leaves:
            at = self._times.beside(tree, leaf, context)
            found.append(Leaf(self._along_rows(self._part(leaf.expression, at), at), leaf.divides))
        return found

    def _with_quotients(self, tree: ProductTree, context: PartContext) -> ProductTree:
        """A product that reads quotients of its factors from tensors, where these are worth it."""
        for quotient in tree.quotients():
            read = tree.reading(quotient, self._tensors.stand_in(free_indices(quotient)))
            made = self._part(quotient, self._times.beside(read, read.leaves[-1], context))
            tree = tree.reading(quotient, made) if isinstance(made, Access) else tree
        return tree

    # Parts that are computed repeatedly.

    def _part(self, part: Expression, context: PartContext) -> Expression:
        """A part of an expression, or the tensor that it is computed into before."""
        is_long = has_sum(part) or functions_in(part)
        if not is_long and not (reads_several(part) and context.beside and is_rounded(self._tensors.sizes.dtype)):
            return part
        known = self._found(part, context)
        if known is not None:
            return known
        tensors = self._tensors
        if (listed := self._listed(part, context)) is not None:
            return listed
        least = least_indices(tensors.is_sparse)
        if not may_repeat(part, context.around, least) or not self._times.may_be_tensor(part, context):
            return self._planned(part, context)
        labels = self._times.ordered(free_indices(part), context)
        visits, size = self._times.visits(part, labels, context), tensors.size(labels)
        if is_long:
            once = self._times.time(part, labels, size)
            before, again = once + self._times.made(labels), once * visits / max(1.0, size)
        else:
            reads, computed = len({*accesses(part)}), self._times.at_each(part)
            before, again = size * (_READ * reads + _WRITTEN + computed), visits * (_READ * (reads - 1) + computed)
        before += CALL + COMPILED
        is_worth_it = is_clearly_less(before, again)
        self._decided[part] = None
        self._choose(before, again, is_worth_it)
        return self._before(part, labels, context) if is_worth_it else self._planned(part, context)

    def _found(self, part: Expression, context: PartContext) -> Access | None:
        """The read of what holds a part already."""
        known = self._known.get(in_numbers(part))
        if known is None or not self._times.may_be_number(part, context):
            return None
        access, labels = known
        here = dict(zip(labels, free_indices(part), strict=True))
        return replace(access, indices=tuple([here[label] for label in access.plain_indices]))

    def _before(self, part: Expression, labels: tuple[str, ...], context: PartContext) -> Access:
        """The read of a dense tensor that a part is computed into before."""
        own = self._planned(part, PartContext.all_of(part, labels, context.shows_nan), is_all=True)
        return self._define(part, labels, own)

    def _define(self, part: Expression, labels: tuple[str, ...], own: Expression) -> Access:
        self._is_mixed |= self._tensors.may_be_absent(part)
        access = self._tensors.define_dense(labels, own)
        self._known[in_numbers(part)] = access, free_indices(part)
        return access

    # Sums of sparse tensors.

    def _listed(self, part: Expression, context: PartContext) -> Access | None:
        """The read of a sparse tensor that has a sum of sparse factors; None where one kernel takes less time."""
        listed = Listed.of(part, context, self._times)
        if listed is None:
            return None
        is_worth_it = is_clearly_less(listed.before, listed.again)
        self._decided[part] = None
        self._choose(listed.before, listed.again, is_worth_it)
        return listed.define(part) if is_worth_it else None

    def _listed_factor(self, tree: ProductTree, context: PartContext) -> Expression | None:
        """A product whose sum is a sparse tensor, times the factors that are not summed."""
        others = [leaf for leaf in tree.leaves if not tree.is_summed(leaf)]
        if not others or len(others) == len(tree.leaves):
            return None
        sum = expression_of(tree._replace(leaves=tuple([leaf for leaf in tree.leaves if leaf not in others])))
        product = ProductTree(None, tree.multiplication, (Leaf(sum), *others), ())
        listed = self._listed(sum, self._times.beside(product, Leaf(sum), context))
        if listed is None:
            return None
        left = [Leaf(self._part(one, self._times.beside(tree, Leaf(one, its), context)), its) for one, its in others]
        return applied(listed, left, tree.multiplication)

    # Dense matrices that are read across their rows.

    def _along_rows(self, expression: Expression, context: PartContext) -> Expression:
        """A dense matrix as a transposed copy, if entries are walked that each need one of its columns."""
        if not isinstance(expression, Access) or not len(expression.indices) == len({*expression.indices}) == 2:
            return expression
        tensors, (row, column) = self._tensors, expression.plain_indices
        walked = [factor for factor in context.beside if column in factor.labels and row not in factor.labels]
        is_inside = row not in context.output[:-1]
        if not (
            walked and is_inside and tensors.may_be_array(expression) and tensors.is_allowed(expression.plain_indices)
        ):
            return expression
        size, labels = tensors.size(expression.plain_indices), {label for factor in walked for label in factor.labels}
        again = NEAR_LINE * tensors.product(walked, ()).steps(labels, walked) * tensors.size((row,))
        before = COPIED * size + CALL + COMPILED
        is_worth_it = is_clearly_less(before, again)
        self._choose(before, again, is_worth_it)
        if not is_worth_it:
            return expression
        return self._found(expression, context) or self._define(expression, (column, row), expression)

    # Products of two dense matrices.

    def _product_of_matrices(
        self, tree: ProductTree, matrices: tuple[Leaf, Leaf], context: PartContext, is_all: bool
    ) -> Expression | None:
        """A product that BLAS computes before, times the other leaves; None where loops take less time."""
        found = DenseProduct.of(tree, matrices, context, self._times, is_all)
        if found is None:
            return None
        self._choose(found.by_blas, found.in_loops, found.is_less)
        if not found.is_less:
            return None
        at = found.context
        made = {one: self._found(one, at) or self._before(one, stored_order(one), at) for one in found.computed}
        own = replaced(found.product, made)
        read = self._define(found.product, found.labels, own) if found.is_before else own
        left = [
            Leaf(self._part(leaf.expression, self._times.beside(tree, leaf, context)), leaf.divides)
            for leaf in tree.leaves
            if leaf not in matrices
        ]
        return applied(read, left, "mul")

    # Products of more than two factors.

    def _chain(self, tree: ProductTree, context: PartContext, is_all: bool) -> Expression | None:
        """The last sum of a product whose pairs are multiplied before; None for one sum."""
        chain = self._chains.of(tree, context)
        choice = chain.choice
        if choice is None:
            return None
        self._refused |= choice.refused
        in_pairs = choice.in_pairs + chain.merged if choice.intermediates else None
        self._choose(in_pairs, choice.at_once + chain.merged, choice.splits)
        if not choice.splits:
            return None
        self._is_mixed |= chain.may_be_absent or choice.is_mixed
        # The times of the pairs are those of the chain, or less where their terms are apart.
        times, saved = (self._chosen, self._at_once, self._otherwise), self._saved
        last, after = chain.taken_apart(
            lambda pair, labels: self._pair(pair, PartContext.all_of(pair, labels, context.shows_nan), True)
        )
        found = applied(self._pair(last, context, is_all and not after), after, tree.multiplication)
        self._chosen, self._at_once, self._otherwise = times
        self._chosen, self._saved = self._chosen - (self._saved - saved), saved
        return found

    def _pair(self, pair: Expression, context: PartContext, is_all: bool) -> Expression:
        """A pair of a chain. If BLAS multiplies it, factors that are not tensors are computed before."""
        apart = self._with_terms_apart(pair, context)
        if apart != pair:
            return self._planned(apart, context, is_all)
        tree = tree_of(pair)
        matrices = tree.matrices() if tree is not None else None
        found = self._product_of_matrices(tree, matrices, context, is_all) if tree is not None and matrices else None
        return pair if found is None else found
