"""A statement as a program of several, where that is expected to take less time: by sizes and numbers of entries.

Two things make a statement of their own. In a product of more than two factors, those of a pair that is multiplied
first. And what loops around it compute again and again, as it does not depend on them: a dense layer that is read at
the entries of a graph. The last statement has whatever is left.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irtensor.frontend.contraction_choice import Choice, is_clearly_less
from irtensor.frontend.contraction_costs import CALL, COMPILED, Factor, Product
from irtensor.frontend.contraction_order import contractions_of
from irtensor.frontend.contraction_steps import (
    Operand,
    ProductOfTensors,
    Ring,
    choose_steps,
    factor_of,
    parts_of,
)
from irtensor.frontend.element_types import element_name
from irtensor.frontend.expression_tree import (
    Access,
    Apply,
    Expression,
    Literal,
    Reduce,
    Statement,
    accesses,
    children,
    free_indices,
    replaced,
    tensor_names,
)
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.kernel_steps import Part, allowed_bytes
from irtensor.frontend.may_split import bound_indices, has_sum, least_indices, may_repeat
from irtensor.frontend.product_tree import Leaf, ProductTree, tree_of

if TYPE_CHECKING:
    from irtensor.dialects.tensor_format import TensorFormat

# Operators that are NaN where an operand is. Results are looked through for NaN, which others hide.
_SHOW_NAN = frozenset(
    "add sub mul div neg abs max min sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh".split()
)
# Steps of what is computed at each element beside sums.
_ELEMENT = 1.0


class Sizes(NamedTuple):
    """What is known of the tensors of a call: all have one type, and `entries` are those of sparse ones."""

    described: Mapping[str, OperandDescription]
    entries: Mapping[str, int | None]
    extents: Mapping[str, int]
    format: TensorFormat | None
    taken: int
    dtype: np.dtype


class Split(NamedTuple):
    """The statements; one for one kernel. Times are nanoseconds: of what is chosen, of one kernel, and of what else
    there was to choose, None for nothing.

    `entries` are those of intermediates, None if dense. `is_mixed` says that one of these is dense where sparse tensors
    have no entries. `item` is the bytes of an element.
    """

    parts: tuple[Part, ...]
    chosen: float
    at_once: float
    otherwise: float | None
    is_mixed: bool
    entries: tuple[int | None, ...]
    item: int


def split_statement(statement: Statement, sizes: Sizes) -> Split:
    """The program for tensors of these sizes."""
    return _Splitter(statement, sizes).split()


class _Place(NamedTuple):
    """Where a part of a statement stands: indices of loops around it, the sparse factors of products that it is in.

    `shows_nan` says that a result is NaN where the part is, `along` which indices other factors are stored along below
    one that is summed.
    """

    around: tuple[str, ...]
    beside: tuple[Factor, ...]
    shows_nan: bool
    along: frozenset[str] = frozenset()

    def under(self, operator: str) -> _Place:
        return self._replace(shows_nan=self.shows_nan and operator in _SHOW_NAN)


class _Splitter:
    def __init__(self, statement: Statement, sizes: Sizes) -> None:
        self._statement = statement
        self._sizes = sizes
        target, format = statement.target.indices, sizes.format
        order = range(len(target)) if format is None else dict.fromkeys(format.dimension_order)
        self._output = tuple([target[dimension] for dimension in order])
        self._is_sparse = format is not None and not format.is_dense
        self._plain = ProductOfTensors((), self._output, None, sizes.extents, Ring())
        result = 0 if self._is_sparse else self._size(self._output) * sizes.dtype.itemsize
        self._bound = allowed_bytes(sizes.taken, result)
        self._described = dict(sizes.described)
        self._entries = dict(sizes.entries)
        self._parts: list[Part] = []
        self._known: dict[Expression, Access] = {}
        self._chosen = self._at_once = 0.0
        self._otherwise: float | None = None
        self._is_mixed = False
        names = {*tensor_names(statement.expression), statement.target.tensor}
        self._names = (name for name in map("intermediate{}".format, count()) if name not in names)

    def split(self) -> Split:
        place = _Place(self._output, (), True)
        expression = self._planned(self._statement.expression, place)
        last = Part(replace(self._statement, expression=expression), self._sizes.format, 0)
        made = tuple([self._entries[part.statement.target.tensor] for part in self._parts])
        times = self._chosen, self._at_once, self._otherwise
        return Split((*self._parts, last), *times, self._is_mixed, made, self._sizes.dtype.itemsize)

    def _choose(self, in_parts: float | None, at_once: float, splits: bool) -> None:
        """Note the times of a choice; there was none without a time in parts."""
        chosen, other = (in_parts, at_once) if splits and in_parts is not None else (at_once, in_parts)
        self._chosen, self._at_once = self._chosen + chosen, self._at_once + at_once
        if other is not None:
            self._otherwise = (self._otherwise or 0.0) + other

    def _planned(self, expression: Expression, place: _Place) -> Expression:
        """An expression that reads intermediates where these are worth it."""
        tree = tree_of(expression)
        if tree is None:
            inner = place.under(getattr(expression, "operator", ""))
            inner = inner._replace(around=(*place.around, *bound_indices(expression)))
            match expression:
                case Apply():
                    planned = tuple([self._part(child, inner) for child in expression.arguments])
                    return expression if planned == expression.arguments else replace(expression, arguments=planned)
                case Reduce():
                    return replace(expression, body=self._part(expression.body, inner))
                case _:
                    return expression
        inner = place.under(tree.multiplication)
        leaves: list[Leaf] = []
        for leaf in tree.leaves:
            summed = tree.summed_around(leaf)
            beside = [one for one in tree.leaves if one is not leaf and (summed or not tree.is_summed(one))]
            factors = [self._sparse_factor(one) for one in beside] if tree.multiplication == "mul" else []
            at = inner._replace(
                around=(*place.around, *summed),
                beside=(*place.beside, *[factor for factor in factors if factor is not None]),
                along=_stored_below([one.expression for one in beside], summed),
            )
            planned = self._part(leaf.expression, at)
            leaves.append(Leaf(planned, leaf.divides))
        chain = self._chain(tree._replace(leaves=tuple(leaves)), place) if tree.is_chain else None
        if chain is not None:
            return chain
        changed = {old.expression: new.expression for old, new in zip(tree.leaves, leaves, strict=True) if old != new}
        return replaced(expression, changed) if changed else expression

    def _sparse_factor(self, leaf: Leaf) -> Factor | None:
        if leaf.divides or not isinstance(leaf.expression, Access):
            return None
        factor = self._factor(leaf.expression)
        return factor if factor.is_sparse else None

    # What is computed again and again.

    def _part(self, part: Expression, place: _Place) -> Expression:
        """A part of an expression, or the tensor that it is computed into before."""
        if not has_sum(part):
            return part
        if part in self._known and (place.shows_nan or not self._reads_sparse(part)):
            return self._known[part]
        least = least_indices(self._is_sparse)
        if not may_repeat(part, place.around, least) or not self._may_be_tensor(part, place):
            return self._planned(part, place)
        labels = self._ordered(free_indices(part), place)
        once, size = self._time(part, labels), self._size(labels)
        again = once * self._visits(labels, place) / max(1.0, size)
        before = once + CALL + COMPILED + self._product((), labels).made(Factor(labels, False, size))
        is_worth_it = is_clearly_less(before, again)
        self._choose(before, again, is_worth_it)
        if not is_worth_it:
            return self._planned(part, place)
        self._is_mixed |= self._reads_sparse(part)
        own = self._planned(part, _Place(labels, (), place.shows_nan))
        statement = Statement(Access(next(self._names), labels), None, own)
        self._known[part] = self._named(statement, None, None, size)
        return self._known[part]

    def _may_be_tensor(self, part: Expression, place: _Place) -> bool:
        """Whether a dense tensor may hold a part: a sparse result has an entry wherever it has an element."""
        labels = free_indices(part)
        if self._reads_sparse(part) and (self._is_sparse or not place.shows_nan):
            return False
        return self._size(labels) * self._sizes.dtype.itemsize <= self._bound

    def _reads_sparse(self, part: Expression) -> bool:
        described = [self._described[access.tensor].format for access in accesses(part)]
        return any([format is not None and not format.is_dense for format in described])

    def _ordered(self, labels: Sequence[str], place: _Place) -> tuple[str, ...]:
        """The labels of an intermediate in the order in which it is read: the last ones are those of the result."""
        walked = [label for factor in place.beside for label in factor.labels]
        others = [label for label in place.around if label not in self._output]
        in_order = dict.fromkeys([*walked, *others, *self._output, *labels])
        return tuple([label for label in in_order if label in labels])

    def _time(self, part: Expression, labels: tuple[str, ...]) -> float:
        """The time that a part takes at all coordinates."""
        time = self._size(labels) * _ELEMENT
        for sum in _outermost_sums(part):
            factors = tuple([self._factor(access) for access in dict.fromkeys(accesses(sum.body))])
            output = tuple([label for label in labels if label in free_indices(sum)])
            time += self._product(factors, output).nest(factors, output, False)
        return time

    def _visits(self, labels: tuple[str, ...], place: _Place) -> float:
        """How many coordinates of labels loops come to. They compute a row of them at once, if no factor walks it.

        Loops over the result are outside of those of sums, unless the order of a sparse factor says otherwise, or the
        entries of one are walked and factors are stored along the result: a row of results is collected then.
        """
        walked = {label for factor in place.beside for label in factor.labels}
        row = [label for label in labels if label not in walked][-1:]
        loops = inside = {*labels} - {*row}
        for factor in place.beside:
            reached = [number for number, label in enumerate(factor.labels) if label in inside]
            loops = loops | {*factor.labels[: max(reached, default=-1) + 1]}
        if inside - {*self._output}:
            loops = loops | ({*self._output} - walked - {*row} - (place.along if place.beside else set()))
        return self._product(place.beside, ()).steps(loops, place.beside) * self._size(row)

    # Products of more than two factors.

    def _chain(self, tree: ProductTree, place: _Place) -> Expression | None:
        """The last sum of a product of which pairs are multiplied before; None for one sum."""
        taken_apart = self._operands(tree)
        ring = self._ring(tree)
        if taken_apart is None or ring is None:
            return None
        operands, expressions, after = taken_apart
        labels = {label for operand in operands for label in operand.labels} - {*tree.summed}
        output = tuple([label for label in dict.fromkeys((*place.around, *labels)) if label in labels])
        format = self._sizes.format if self._is_sparse else None
        product = ProductOfTensors(operands, output, format, self._sizes.extents, ring)
        entries = [self._entries.get(operand.name) for operand in operands]
        is_hidden = not place.shows_nan
        reads_sparse = any([self._reads_sparse(expression) for expression in expressions.values()])
        if reads_sparse and (is_hidden or self._is_sparse):
            return None
        choice = choose_steps(product, entries, self._sizes.taken, self._sizes.dtype, may_mix=not is_hidden)
        if choice is None:
            return None
        self._choose(choice.in_pairs if choice.intermediates else None, choice.at_once, choice.splits)
        if not choice.splits:
            return None
        self._is_mixed |= reads_sparse
        return self._taken_apart(product, choice, expressions, after)

    def _taken_apart(
        self,
        product: ProductOfTensors,
        choice: Choice,
        expressions: Mapping[Expression, Expression],
        after: Sequence[Leaf],
    ) -> Expression:
        self._is_mixed |= choice.is_mixed
        contractions = contractions_of([operand.labels for operand in product.operands], product.output, choice.path)
        *before, last = parts_of(product, contractions, choice, self._names)
        for (statement, format, size), factor in zip(before, choice.intermediates, strict=True):
            statement = replace(statement, expression=replaced(statement.expression, expressions))
            self._named(statement, format, factor.entries if factor.is_sparse else None, size)
        found = replaced(last.statement.expression, expressions)
        for leaf in after:
            if leaf.divides:
                found = Apply("div", (found, leaf.expression))
            else:
                found = Apply(product.ring.multiplication, (leaf.expression, found))
        return found

    def _operands(
        self, tree: ProductTree
    ) -> tuple[tuple[Operand, ...], dict[Expression, Expression], list[Leaf]] | None:
        """The factors as operands, what stands for those that are no tensor, and what is applied after the sum."""
        operands: list[Operand] = []
        expressions: dict[Expression, Expression] = {}
        after: list[Leaf] = []
        for number, leaf in enumerate(tree.leaves):
            expression = leaf.expression
            is_after = not tree.is_summed(leaf) and self._sparse_factor(leaf) is None
            if not leaf.is_operand and not (is_after and self._is_of_type(expression)):
                return None
            if is_after:
                after.append(leaf)
            elif isinstance(expression, Access):
                described = self._described[expression.tensor]
                operands.append(Operand(expression.tensor, expression.indices, described))
            else:
                labels = free_indices(expression)
                described = OperandDescription(self._sizes.dtype, len(labels))
                operands.append(Operand(f"_factor{number}", labels, described))
                expressions[Access(operands[-1].name, labels)] = expression
        return tuple(operands), expressions, after

    def _is_of_type(self, expression: Expression) -> bool:
        """Whether products with a number, or quotients by something, have the type of the tensors."""
        kind = self._sizes.dtype.kind
        if not isinstance(expression, Literal):
            return kind in "fc"
        value = expression.value
        return kind in ("iufc" if isinstance(value, int) else "fc" if isinstance(value, float) else "c")

    def _ring(self, tree: ProductTree) -> Ring | None:
        """The sums and products; None where it is not known what a sum of nothing is."""
        assert tree.addition is not None
        if (tree.addition, tree.multiplication) == ("add", "mul"):
            return None if self._sizes.dtype.kind == "b" else Ring()
        from irtensor.dialects.operators import OPERATORS

        if tree.addition not in OPERATORS:
            return None  # Declared by the user, with an identity of its own.
        zero = OPERATORS[tree.addition].identity(element_name(self._sizes.dtype))
        return Ring(tree.addition, tree.multiplication, (), zero)

    # Tensors.

    def _named(self, statement: Statement, format: TensorFormat | None, entries: float | None, size: int) -> Access:
        """The read of what a statement defines, which becomes a part."""
        name, indices = statement.target.tensor, statement.target.indices
        self._described[name] = OperandDescription(self._sizes.dtype, len(indices), format)
        self._entries[name] = None if entries is None else int(entries)
        self._parts.append(Part(statement, format, size))
        return Access(name, indices)

    def _size(self, labels: Sequence[str]) -> int:
        return self._plain.size(labels)

    def _product(self, factors: Sequence[Factor], output: tuple[str, ...]) -> Product:
        return Product(tuple(factors), output, False, self._sizes.extents)

    def _factor(self, access: Access) -> Factor:
        operand = Operand(access.tensor, access.indices, self._described[access.tensor])
        return factor_of(operand, self._entries[access.tensor], self._plain)


def _stored_below(factors: Sequence[Expression], summed: Collection[str]) -> frozenset[str]:
    """The indices of factors that come behind one which is summed: loops over these go inside."""
    tensors = [factor.indices for factor in factors if isinstance(factor, Access)]
    behind = [indices[number:] for indices in tensors for number, label in enumerate(indices) if label in summed]
    return frozenset(label for labels in behind for label in labels if label not in summed)


def _outermost_sums(expression: Expression) -> Iterator[Reduce]:
    if isinstance(expression, Reduce):
        yield expression
    else:
        for child in children(expression):
            yield from _outermost_sums(child)
