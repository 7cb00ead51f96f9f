"""The tensors that the kernels of one statement read: its operands, and what they compute for each other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irtensor.frontend.einsum.contraction_costs import Factor, Product
from irtensor.frontend.einsum.contraction_steps import COORDINATE, Operand, ProductOfTensors, Ring, factor_of
from irtensor.frontend.expression_tree import (
    Access,
    Expression,
    Reduce,
    Statement,
    accesses,
    children,
    free_indices,
    tensor_names,
)
from irtensor.frontend.kernel_request import OperandDescription
from irtensor.frontend.parts.absent_parts import Changes, changes_by_presence
from irtensor.frontend.parts.kernel_steps import Part, allowed_bytes
from irtensor.frontend.parts.product_tree import Leaf, ProductTree, has_sum, tree_of
from irtensor.frontend.promotion import type_statement
from irtensor.frontend.result_fill import result_fill
from irtensor.frontend.typed_expression import TypedExpression
from irtensor.frontend.user_operator import UserOperator, by_name

if TYPE_CHECKING:
    from irtensor.core.operators import Scalar
    from irtensor.core.tensor_format import TensorFormat


class Sizes(NamedTuple):
    """Known sizes of the tensors of a call: all have one type, and `entries` are those of sparse ones."""

    described: Mapping[str, OperandDescription]
    entries: Mapping[str, int | None]
    extents: Mapping[str, int]
    format: TensorFormat | None
    taken: int
    dtype: np.dtype
    operators: tuple[UserOperator, ...] = ()


class SplitTensors:
    """The operands, to which intermediates are added; `parts` are the statements that define these.

    `output` are the indices of the result in the order in which it is stored.
    """

    def __init__(self, statement: Statement, sizes: Sizes) -> None:
        self.sizes = sizes
        target, format = statement.target.plain_indices, sizes.format
        order = range(len(target)) if format is None else dict.fromkeys(format.dimension_order)
        self.output = tuple([target[dimension] for dimension in order])
        self.is_sparse = format is not None and not format.is_dense
        self.described = dict(sizes.described)
        self.entries = dict(sizes.entries)
        self.parts: list[Part] = []
        self._operators = by_name(sizes.operators)
        self._types: dict[Expression, TypedExpression] = {}
        self._changes: dict[tuple[Expression, Expression], Changes | None] = {}
        self._factors: dict[Expression, Factor | None] = {}
        self._plain = ProductOfTensors((), self.output, None, sizes.extents, Ring())
        result = 0 if self.is_sparse else self.size(self.output) * sizes.dtype.itemsize
        self._bound = allowed_bytes(sizes.taken, result)
        taken = {*tensor_names(statement.expression), statement.target.tensor}
        self.names = (name for name in map("intermediate{}".format, count()) if name not in taken)
        # No tensor of a statement has such a name.
        self._stand_ins = map("<{}>".format, count())

    def define(self, statement: Statement, format: TensorFormat | None, entries: float | None, size: int) -> Access:
        """The read of what a statement defines, which becomes a part."""
        name, indices = statement.target.tensor, statement.target.plain_indices
        self.described[name] = OperandDescription(self.sizes.dtype, len(indices), format)
        self.entries[name] = None if entries is None else int(entries)
        self.parts.append(Part(statement, format, size))
        return Access(name, indices)

    def define_dense(self, labels: tuple[str, ...], expression: Expression) -> Access:
        """The read of a dense tensor that holds an expression, which becomes a part."""
        statement = Statement(Access(next(self.names), labels), None, expression)
        return self.define(statement, None, None, self.size(labels))

    def announced(self, labels: tuple[str, ...]) -> Access:
        """The read of a dense tensor that a part will define."""
        return self._read_dense(next(self.names), labels)

    def stand_in(self, labels: tuple[str, ...]) -> Access:
        """The read of a dense tensor that nothing defines, to ask about its readers."""
        return self._read_dense(next(self._stand_ins), labels)

    def _read_dense(self, name: str, labels: tuple[str, ...]) -> Access:
        self.described[name] = OperandDescription(self.sizes.dtype, len(labels))
        self.entries[name] = None
        return Access(name, labels)

    def is_allowed(self, labels: Sequence[str]) -> bool:
        """Whether a dense intermediate may be so large."""
        return self.size(labels) * self.sizes.dtype.itemsize <= self._bound

    def may_list(self, entries: float) -> bool:
        """Whether a sparse intermediate may have so many entries."""
        return entries * (self.sizes.dtype.itemsize + COORDINATE) <= self._bound

    def size(self, labels: Sequence[str]) -> int:
        """How many elements a dense tensor has."""
        return self._plain.size(labels)

    def may_be_absent(self, expression: Expression) -> bool:
        """Whether an expression counts as absent at some coordinates: where sparse tensors that it reads have no
        entries, unless it depends on dense ones there."""
        return bool(self._sparse_in(expression)) and self.without_entries(expression) is not None

    def without_entries(self, expression: Expression) -> Scalar | None:
        """The value where no tensor has an entry; None if dense tensors or extents decide it."""
        return result_fill(self._typed(expression), self.described, self._operators)

    def has_all_sums(self, expression: Expression) -> bool:
        """Whether one kernel computes a number at all coordinates of an expression, that of a sum without terms where
        there are none: a sparse operand has a slot for each of them, and lists inside of that.
        """
        return all([self._has_slots(access, free_indices(expression)) for access in self._sparse_in(expression)])

    def _has_slots(self, access: Access, labels: Sequence[str]) -> bool:
        """Whether a sparse tensor has levels with all coordinates for its indices among some, and then others."""
        format = self.described[access.tensor].format
        assert format is not None
        outer = [level for level in format.levels if access.indices[level.expression.dimension] in labels]
        inner = [index for index in access.indices if index not in labels]
        is_full = all([level.format.pattern.full for level in outer])
        return bool(inner) and [*outer] == [*format.levels[: len(outer)]] and is_full

    def dtype_of(self, expression: Expression) -> np.dtype:
        """The type of an expression's values."""
        return self._typed(expression).dtype

    def _typed(self, expression: Expression) -> TypedExpression:
        found = self._types.get(expression)
        if found is None:
            statement = Statement(Access("", ()), None, expression)
            found = self._types[expression] = type_statement(statement, self.described, self._operators)
        return found

    def changes_by_presence(self, whole: Expression, part: Expression) -> Changes | None:
        """What changes in an expression if a part of it that may be absent is a number everywhere."""
        key = whole, part
        if key not in self._changes:
            value = self.without_entries(part)
            self._changes[key] = changes_by_presence(
                whole, part, value, self.dtype_of(part), self.described, self._operators
            )
        return self._changes[key]

    def pattern_of(self, expression: Expression) -> Factor | None:
        """The factor that has all entries of an expression that is 0 elsewhere, without its sums; None for another
        one."""
        read = [access for access in _outside_of_sums(expression) if self._sparse_in(access)]
        full = [access for access in read if {*access.indices} == {*free_indices(expression)}]
        if not full or self.without_entries(expression) != 0:
            return None
        return max(map(self.factor, full), key=lambda factor: factor.entries)

    def covers(self, expression: Expression) -> bool:
        """Whether entries of sparse tensors in an expression say at which coordinates a result has some, or none are
        sparse."""
        output, covered = {*self.output}, set[str]()
        groups = _connected(dict.fromkeys(self._sparse_in(expression)), output)
        for group in groups:
            labels = {label for access in group for label in access.plain_indices}
            # Coordinates that no single tensor has come from entries that meet.
            meets = not any(labels & output <= {*access.indices} for access in group)
            covered |= labels if meets else set[str]().union(*map(self._told_by, group))
        return not groups or output <= covered

    def _told_by(self, access: Access) -> set[str]:
        """The indices of a read along which its entries are those of a result, whatever the loops are.

        Full levels above one that is summed have all coordinates in some loops, and those with entries in others.
        """
        told, format = {*access.plain_indices}, self.described[access.tensor].format
        if format is None or told <= {*self.output}:
            return told
        for level in reversed(format.levels):
            label = access.plain_indices[level.expression.dimension]
            if label in self.output and not level.format.pattern.full:
                break
            told.discard(label)
        return told

    def _sparse_in(self, expression: Expression) -> list[Access]:
        """What an expression reads of tensors that may lack entries."""
        read = [(access, self.described[access.tensor].format) for access in accesses(expression)]
        return [access for access, format in read if format is not None and not format.is_dense]

    def may_be_array(self, expression: Expression) -> bool:
        """Whether an expression is an array by rows, or may be computed into one."""
        return not isinstance(expression, Access) or self.described[expression.tensor].format is None

    def product(self, factors: Sequence[Factor], output: tuple[str, ...], by_blas: bool = False) -> Product:
        """A product of factors, to tell its time."""
        return Product(tuple(factors), output, False, self.sizes.extents, by_blas)

    def factor(self, access: Access) -> Factor:
        """A read as a factor of a product."""
        operand = Operand(access.tensor, access.plain_indices, self.described[access.tensor])
        return factor_of(operand, self.entries[access.tensor], self._plain)

    def sparse_factor(self, expression: Expression) -> Factor | None:
        """An expression as a factor that lacks entries; None for another one.

        Where it is not a tensor but computed from several, it has about as many as that with the most.
        """
        if expression not in self._factors:
            # Each other factor of a product asks, again for each way to write the product.
            self._factors[expression] = self._sparse_factor(expression)
        return self._factors[expression]

    def _sparse_factor(self, expression: Expression) -> Factor | None:
        read = self._sparse_in(expression)
        if isinstance(expression, Access):
            return self.factor(expression) if read else None
        is_zero = read and not has_sum(expression) and self.without_entries(expression) == 0
        if not is_zero or len({frozenset(access.indices) for access in read}) > 1:
            return None
        return max(map(self.factor, read), key=lambda factor: factor.entries)

    def sum_as_factor(self, tree: ProductTree, leaf: Leaf, kept: Collection[str]) -> Factor | None:
        """What multiplies a leaf as a factor that has these labels and lacks entries, if that is a sum of factors."""
        multiplied = [one.expression for one in tree.leaves if one is not leaf and not one.divides]
        factors = [factor for one in multiplied for factor in self._summed_in(one)]
        labels = set[str]().union(*[factor.labels for factor in factors])
        return self.product(factors, ()).result_of(factors, kept) if labels & {*kept} else None

    def _summed_in(self, expression: Expression) -> list[Factor]:
        if not isinstance(expression, Reduce):
            factor = self.sparse_factor(expression)
            return [] if factor is None else [factor]
        tree = tree_of(expression)
        leaves = [expression.body] if tree is None else [one.expression for one in tree.leaves if not one.divides]
        return [factor for leaf in leaves if (factor := self.sparse_factor(leaf)) is not None]


def _outside_of_sums(expression: Expression) -> Iterator[Access]:
    """The tensors that an expression reads at its own indices."""
    if isinstance(expression, Access):
        yield expression
    elif not isinstance(expression, Reduce):
        for child in children(expression):
            yield from _outside_of_sums(child)


def _connected(accesses: Iterable[Access], output: set[str]) -> list[list[Access]]:
    """Accesses in groups connected by indices that are not indices of the result."""
    groups: list[list[Access]] = []
    for access in accesses:
        summed = {*access.plain_indices} - output
        met = [group for group in groups if any(not summed.isdisjoint(other.indices) for other in group)]
        groups = [group for group in groups if group not in met]
        groups.append([access, *(other for group in met for other in group)])
    return groups
