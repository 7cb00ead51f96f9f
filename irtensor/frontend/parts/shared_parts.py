"""Parts that a statement has several times, each as a statement of its own that all of them read.

They are found before anything else is decided about the statement: a decision for one of two equal sums would make it
another one than its twin.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import replace
from typing import NamedTuple

from irtensor.frontend.einsum.contraction_choice import is_clearly_less
from irtensor.frontend.einsum.contraction_costs import CALL, COMPILED, is_near
from irtensor.frontend.expression_tree import Access, Apply, Expression, Reduce, accesses, replaced
from irtensor.frontend.parts.dense_product import DenseProduct
from irtensor.frontend.parts.equal_parts import Form, form_of, has_full_sum, repeated_parts
from irtensor.frontend.parts.find_parts import FindParts, Occurrence
from irtensor.frontend.parts.part_context import PartContext
from irtensor.frontend.parts.part_times import PartTimes
from irtensor.frontend.parts.product_tree import tree_of

Choose = Callable[[Sequence[Expression], float, float, bool], None]


class Shared(NamedTuple):
    """A tensor with these labels that holds an expression; the last of a program is the statement's result."""

    access: Access
    expression: Expression
    context: PartContext

    def holding(self, expression: Expression) -> Shared:
        """The same tensor, if it holds another expression."""
        context = PartContext.all_of(expression, self.context.output, self.context.shows_nan, self.context.is_sparse)
        return self._replace(expression=expression, context=context)


class SharedParts:
    """The parts that are shared, and what reads them: `program`, in the order in which it is computed.

    `choose` is told the parts and the times of each choice. Parts of `equal` forms are factors of a chain, and would be
    computed by kernels of their own.
    """

    def __init__(self, result: Shared, times: PartTimes, choose: Choose, equal: Collection[Hashable]) -> None:
        self.program = [result]
        self.is_mixed = False
        self._times = times
        self._choose = choose
        self._equal = equal
        self._looked_at = set[Hashable]()
        self._forms: dict[Expression, Form] = {}
        while self._share_one():
            pass

    def _share_one(self) -> bool:
        """Share the first part that is worth it, and say whether there is one."""
        repeated = repeated_parts([one.expression for one in self.program])
        if not repeated:
            return False
        finder = FindParts(self._form, repeated, self._times.below)
        for one in reversed(self.program):
            finder.look_through(one.expression, one.context.output, lambda one=one: one.context)
        for shape, occurrences in finder.found.items():
            if len(occurrences) > 1 and shape not in self._looked_at:
                self._looked_at.add(shape)
                if self._is_worth_it(occurrences):
                    self._define(shape, occurrences, repeated)
                    return True
        return False

    def _form(self, part: Expression) -> Form:
        known = self._forms.get(part)
        if known is None:
            known = self._forms[part] = form_of(part)
        return known

    def _is_worth_it(self, occurrences: Sequence[Occurrence]) -> bool:
        """Whether one tensor takes less time than all that compute its elements."""
        first, times = occurrences[0], self._times
        if not self._may_be_tensor(occurrences):
            return False
        size = times.tensors.size(first.free)
        once, made = times.time(first.part, first.free, size), times.made(first.free)
        visits = [times.visits(one.part, times.ordered(one.free, one.context), one.context) for one in occurrences]
        its_call = CALL + COMPILED if self._form(first.part).shape in self._equal else 0.0
        before = once + made + CALL + COMPILED
        if not has_full_sum(first.part) and max(visits) <= size:
            if self._is_of_one_row(occurrences):
                return False
            # One kernel computes the sums that these parts have in common once, and the computation at each element
            # again.
            again = once + (len(occurrences) - 1) * times.time_at_each(first.part) * size
        else:
            if max(visits) <= size:
                visits = visits[: self._computed_by_one_kernel(occurrences)]
            again = sum([min(once * its / max(1.0, size), once + made) + its_call for its in visits])
        is_worth_it = is_clearly_less(before, again)
        if not is_worth_it and any(map(self._is_made, occurrences)):
            is_worth_it, again = True, max(before, again)
        self._choose([one.part for one in occurrences], before, again, is_worth_it)
        return is_worth_it

    def _is_made(self, one: Occurrence) -> bool:
        """Whether BLAS computes a part into a tensor where it stands, which the others may read."""
        tree = tree_of(one.part)
        matrices = tree.matrices() if tree is not None else None
        if tree is None or matrices is None:
            return False
        found = DenseProduct.of(tree, matrices, one.context.of_sum(one.free), self._times, False)
        return found is not None and found.is_less

    def _is_of_one_row(self, occurrences: Sequence[Occurrence]) -> bool:
        """Whether one kernel keeps what a row has at each element until it comes to the row again."""
        return len({one.at[:-1] for one in occurrences}) == 1

    def _may_be_tensor(self, occurrences: Sequence[Occurrence]) -> bool:
        """Whether a dense tensor may hold all occurrences: each is asked about with the others before it replaced."""
        first, tensors = occurrences[0], self._times.tensors
        may_be_absent = tensors.may_be_absent(first.part)
        read = dict[Expression, Expression]()
        for one in occurrences:
            context = one.context
            if read:
                context = context._replace(whole=replaced(context.whole, read))
            if not self._times.may_be_tensor(one.part, context):
                return False
            if may_be_absent:
                read[one.part] = tensors.stand_in(one.free)
        return True

    def _computed_by_one_kernel(self, occurrences: Sequence[Occurrence]) -> int:
        """How often one kernel computes a part, if each occurrence comes to all coordinates once.

        Loops of sums that stand beside each other are one loop, if the part is one number in each iteration of both.
        Where a row is collected in tiles, the loops of that row alone are behind it.
        """
        first, times = occurrences[0], self._times
        is_far = not is_near(times.tensors.size(first.free) * times.tensors.sizes.dtype.itemsize)
        if not any([one.is_factor_of_chain for one in occurrences]) and times.is_by_element(first.part):
            return len({one.beside for one in occurrences})
        if is_far and times.is_in_tiles(first.part):
            return len({one.at[:-1] for one in occurrences})
        return len(occurrences)

    def _define(self, shape: Hashable, occurrences: Sequence[Occurrence], repeated: Collection[Expression]) -> None:
        """Let all parts of a shape read a tensor, which is computed before what reads it."""
        first, times = occurrences[0], self._times
        numbers = self._order(occurrences)
        labels = tuple([first.free[number] for number in numbers])
        access = times.tensors.announced(labels)

        def read(expression: Expression) -> Expression:
            match expression:
                case Apply() | Reduce() if expression in repeated and (form := self._form(expression)).shape == shape:
                    return replace(access, indices=tuple([form.free[number] for number in numbers]))
                case Apply(_, arguments):
                    return replace(expression, arguments=tuple(map(read, arguments)))
                case Reduce(_, _, body):
                    return replace(expression, body=read(body))
                case _:
                    return expression

        changed = [one.holding(read(one.expression)) for one in self.program]
        first_user = [one != other for one, other in zip(self.program, changed, strict=True)].index(True)
        context = PartContext.all_of(first.part, labels, all([one.context.shows_nan for one in occurrences]))
        self.is_mixed |= times.tensors.may_be_absent(first.part)
        self.program = [*changed[:first_user], Shared(access, first.part, context), *changed[first_user:]]

    def _order(self, occurrences: Sequence[Occurrence]) -> list[int]:
        """The order in which the indices of a part are stored, as numbers.

        First those that tensors are stored along in rows, of these the ones of tensors that are too large to be read
        again and again, and then the ones that all loops have in common.
        """
        first, tensors = occurrences[0], self._times.tensors
        read = [tensors.factor(access) for access in accesses(first.part) if len(access.indices) > 1]
        full = next((its.labels for its in read if {*its.labels} >= {*first.free}), ())

        def rank(number: int) -> tuple[int, float, bool]:
            label = first.free[number]
            rows = max([its.entries for its in read if its.labels[:1] == (label,)], default=0.0)
            rows = min(1.0, rows) if is_near(rows * tensors.sizes.dtype.itemsize, is_often=True) else rows
            is_common = len({one.at[number] for one in occurrences}) == 1
            return full.index(label) if full else 0, -rows, not is_common

        return sorted(range(len(first.free)), key=rank)
