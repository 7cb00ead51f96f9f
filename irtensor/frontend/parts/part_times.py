"""What parts of a statement take where they stand, and as a tensor that is computed before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from irtensor.frontend.einsum.contraction_costs import Factor
from irtensor.frontend.expression_tree import (
    Apply,
    Expression,
    Literal,
    Reduce,
    accesses,
    children,
    free_indices,
    replaced,
)
from irtensor.frontend.parts.may_split import bound_indices, divisions_in, functions_in, is_idempotent
from irtensor.frontend.parts.part_context import PartContext, stored_below
from irtensor.frontend.parts.product_tree import Leaf, ProductTree, has_sum, product_of, tree_of
from irtensor.frontend.parts.split_tensors import SplitTensors

# The time of the computation at each element beside sums, and of a function or a division there.
_ELEMENT, _FUNCTION, _DIVISION = 1.0, 2.0, 0.5
# A tile has that many columns at least: rows of fewer are summed one by one.
_COLUMNS = 16


class PartTimes:
    """Times of parts, by the sizes of tensors."""

    def __init__(self, tensors: SplitTensors) -> None:
        self.tensors = tensors

    def beside(self, tree: ProductTree, leaf: Leaf, context: PartContext) -> PartContext:
        """Where a leaf of a product stands."""
        summed = tree.summed_around(leaf)
        beside = [one for one in tree.leaves if one is not leaf and (summed or not tree.is_summed(one))]
        factors = [self.tensors.sparse_factor(one.expression) for one in beside if not one.divides]
        if context.is_sparse and not summed and not any(factors):
            # The entries of a sparse result are those of a sum.
            factors = [self.tensors.sum_as_factor(tree, leaf, context.around)]
        if tree.multiplication != "mul":
            factors = []
        lists = tuple([factor for factor in factors if factor is not None])
        combined = self._combined(tree.addition, summed, context)
        if tree.multiplication != "mul" or leaf.divides:
            # Another number at each of their coordinates, where products with 0 are 0 at all of them.
            combined = combined.difference(*[free_indices(one.expression) for one in beside])
        return context.under(tree.multiplication)._replace(
            combined=combined,
            around=(*context.around, *summed),
            beside=(*context.beside, *lists),
            along=context.along | stored_below([one.expression for one in beside], summed),
            is_inner=context.is_inner or (context.is_applied and bool(summed)),
        )

    def below(self, expression: Expression, context: PartContext) -> list[tuple[Expression, PartContext]]:
        """The parts of an expression with their contexts, of a product or a sum of one its factors."""
        if isinstance(expression, Reduce):
            context = context.of_sum(free_indices(expression))
        tree = product_of(expression)
        if tree is not None:
            return [(leaf.expression, self.beside(tree, leaf, context)) for leaf in tree.leaves]
        return self.arguments(expression, context)

    def arguments(self, expression: Expression, context: PartContext) -> list[tuple[Expression, PartContext]]:
        """The operands of an expression, with their contexts."""
        inner = context.under(_shown_by(expression))
        inner = inner._replace(around=(*context.around, *bound_indices(expression)))
        match expression:
            case Apply(_, arguments):
                return [(one, self._chosen_by(expression, number, inner)) for number, one in enumerate(arguments)]
            case Reduce(operator, indices, body):
                combined = self._combined(operator, indices, context)
                return [(body, inner._replace(is_inner=context.is_inner or context.is_applied, combined=combined))]
            case _:
                return []

    def _combined(self, reduction: str | None, indices: Sequence[str], context: PartContext) -> frozenset[str]:
        """The indices along which equal values inside of a reduction in a context are combined at once."""
        return context.combined.union(indices) if is_idempotent(reduction) else context.combined

    def _chosen_by(self, expression: Apply, number: int, context: PartContext) -> PartContext:
        """Where an argument stands: what a condition chooses is computed only where that holds, and a condition only
        where there is something to choose.
        """
        others = [free_indices(one) for other, one in enumerate(expression.arguments) if other != number]
        context = context._replace(combined=context.combined.difference(*others))
        if expression.operator != "where" or number > 1:
            return context
        is_chosen = number == 1 or expression.arguments[2] == Literal(0)
        other = self.tensors.pattern_of(expression.arguments[1 - number]) if is_chosen else None
        return context if other is None else context._replace(beside=(*context.beside, other))

    def made(self, labels: tuple[str, ...]) -> float:
        """The time that it takes to make a dense tensor and to read it."""
        return self.tensors.product((), labels).made(Factor(labels, False, self.tensors.size(labels)))

    def may_be_tensor(self, part: Expression, context: PartContext) -> bool:
        """Whether a dense tensor may hold a part.

        Not where a sparse result has all coordinates along a dense dimension: which of its rows it has depends on the
        loops.
        """
        pattern = self.tensors.pattern_of(part)
        if pattern is not None and 2 * pattern.entries < self.tensors.size(free_indices(part)):
            return False
        if self.tensors.dtype_of(part) != self.tensors.sizes.dtype or not self.may_be_number(part, context):
            return False
        if context.is_sparse and not self.tensors.covers(context.whole):
            return False
        return self.tensors.is_allowed(free_indices(part))

    def may_be_number(self, part: Expression, context: PartContext) -> bool:
        """Whether a part may be a number where it is absent: a sparse result has no other entries then, and a NaN that
        comes of it is seen.
        """
        if not self.tensors.may_be_absent(part) or (context.shows_nan and not context.is_sparse):
            return True
        changes = self.tensors.changes_by_presence(context.whole, part)
        # Inside of another sum, the loops decide where that has an entry.
        is_everywhere = {*context.around} <= {*context.output} and self.tensors.has_all_sums(part)
        if changes is None or (context.is_sparse and changes.entries and not is_everywhere):
            return False
        return context.shows_nan or not changes.numbers

    def ordered(self, labels: Sequence[str], context: PartContext) -> tuple[str, ...]:
        """The labels of an intermediate in the order in which it is read.

        Loops over the rows of a result are outside of those over summed indices, and those along a row inside.
        """
        walked = [label for factor in context.beside for label in factor.labels]
        others = [label for label in context.around if label not in context.output]
        rows, along = (context.output[:-1], context.output[-1:]) if len(context.output) > 1 else (context.output, ())
        in_order = dict.fromkeys([*walked, *rows, *others, *along, *labels])
        return tuple([label for label in in_order if label in labels])

    def time(self, part: Expression, labels: tuple[str, ...], elements: float) -> float:
        """The time that a part takes at all coordinates; `elements` is the number of those with elements."""
        time = elements * (_ELEMENT + _FUNCTION * functions_in(part))
        return time + sum([self._time_of_sum(one, labels) for one in _outermost_sums(part)])

    def _time_of_sum(self, reduction: Reduce, labels: tuple[str, ...]) -> float:
        """The time of a sum at all coordinates of labels; sums inside of it are computed once, and read."""
        tensors, inner = self.tensors, [*dict.fromkeys(_outermost_sums(reduction.body))]
        its_labels = [tuple(free_indices(one)) for one in inner]
        read = replaced(reduction.body, dict(zip(inner, [Literal(0)] * len(inner), strict=True)))
        factors = [tensors.factor(access) for access in dict.fromkeys(accesses(read))]
        factors += [Factor(its, False, tensors.size(its)) for its in its_labels]
        output = tuple([label for label in labels if label in free_indices(reduction)])
        time = tensors.product(factors, output).nest(factors, output, False)
        return time + sum([self._time_of_sum(*one) for one in zip(inner, its_labels, strict=True)])

    def time_at_each(self, part: Expression) -> float:
        """The time of a part at each coordinate, without its sums."""
        return _ELEMENT + self.at_each(part)

    def at_each(self, part: Expression) -> float:
        """The time of functions and divisions beside the sums of a part, at each coordinate."""
        return _FUNCTION * functions_in(part) + _DIVISION * divisions_in(part)

    def is_by_element(self, part: Expression) -> bool:
        """Whether loops compute a part element by element: what its sums read is stored along what they sum."""
        for sum in _outermost_sums(part):
            read = [self.tensors.factor(access).labels for access in accesses(sum.body)]
            if any([labels and labels[-1] in free_indices(sum) for labels in read]):
                return False
        return True

    def is_in_tiles(self, part: Expression) -> bool:
        """Whether loops compute the sums of a part in tiles of some columns each.

        A sum that a row has in common is behind the tiles.
        """
        for sum in _outermost_sums(part):
            tree, labels = tree_of(sum), free_indices(sum)
            if not {*labels} >= {*free_indices(part)}:
                continue
            if tree is None or not tree.is_in_tiles(1, labels, False):
                return False
            if self.tensors.sizes.extents[labels[-1]] < _COLUMNS:
                return False
        return True

    def visits(self, part: Expression, labels: tuple[str, ...], context: PartContext) -> float:
        """How many coordinates of labels loops come to. They compute a row of them at once, if no factor walks it.

        Loops over the result are outside of those of sums, unless the order of a sparse factor says otherwise, or the
        entries of one are walked and factors are stored along the result: a row of results is collected then. What has
        no sum leaves the loops inside of its own, and no others.
        """
        output = {*context.output}
        walked = {label for factor in context.beside for label in factor.labels}
        row = [label for label in labels if label not in walked][-1:]
        loops = inside = {*labels} - {*row}
        for factor in context.beside:
            reached = [number for number, label in enumerate(factor.labels) if label in inside]
            loops = loops | {*factor.labels[: max(reached, default=-1) + 1]}
        if row and row[0] in output and not has_sum(part):
            loops = loops | {*context.output[: context.output.index(row[0])]}
        if inside - output:
            loops = loops | (output - walked - {*row} - (context.along if context.beside else set()))
        return self.tensors.product(context.beside, ()).visits(loops, context.beside) * self.tensors.size(row)


def _shown_by(expression: Expression) -> str:
    """The operator whose result shows a NaN of what it is applied to: a power of a number is a product."""
    match expression:
        case Apply("pow", (_, Literal(value))) if value != 0:
            return "mul"
        case Apply(operator) | Reduce(operator):
            return operator
        case _:
            return ""


def _outermost_sums(expression: Expression) -> Iterator[Reduce]:
    if isinstance(expression, Reduce):
        yield expression
    else:
        for child in children(expression):
            yield from _outermost_sums(child)
