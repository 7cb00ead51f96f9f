"""The statements that an entry of a symmetric operand is read for: one for each mirror, those that are equal as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import permutations

from xdsl.ir import SSAValue

from irtensor.core.exchanged_dimensions import unequal_neighbours
from irtensor.dialects.algebra.algebra import find_operator
from irtensor.dialects.algebra.order_of_sums import keeps_order
from irtensor.dialects.concrete_index.concrete_index import AssignOp
from irtensor.passes.analysis.equal_values import Values


@dataclass
class MirroredStatement:
    """A statement with the coordinates of an entry in another order, for entries some of whose coordinates differ.

    `unequal` has the numbers n of coordinates n and n + 1 that do. `repeated` has, for each mirror that stores the same
    into the same element, which others have to differ as well.
    """

    order: tuple[int, ...]
    unequal: frozenset[int]
    repeated: list[frozenset[int]] = field(default_factory=list[frozenset[int]])


def mirrored_statements(entry: SSAValue, assign: AssignOp, variables: Sequence[SSAValue]) -> list[MirroredStatement]:
    """The statement itself, and then those of its mirrors; `variables` are the coordinates of the entry, in order.

    Values are equal where they are the same up to the order of what associative and commutative operators combine.
    """
    values = Values(regroups=not keeps_order(assign))
    found: list[tuple[object, MirroredStatement]] = []
    for order in permutations(range(len(variables))):
        bound = exchanged_names(variables, order)
        # Its mirrors are the same.
        values.known[entry, *bound] = -1
        target = tuple([bound.index(index) if index in bound else index for index in assign.indices])
        key = target, values.number_of(assign.value, bound)
        unequal = frozenset(unequal_neighbours(order))
        equal = next((one for other, one in found if other == key and one.unequal <= unequal), None)
        if equal is None:
            found.append((key, MirroredStatement(order, unequal)))
        elif not _stays_as_it_is(assign):
            equal.repeated.append(unequal - equal.unequal)
    return [one for _, one in found]


def exchanged_names(variables: Sequence[SSAValue], order: Sequence[int]) -> tuple[SSAValue, ...]:
    """The variables as `Values.number_of` takes them, for a statement in which number n stands for `order[n]`."""
    named = dict(zip(order, variables, strict=True))
    return tuple([named[number] for number in range(len(variables))])


def _stays_as_it_is(assign: AssignOp) -> bool:
    """Whether the same value, stored once more, changes nothing."""
    return assign.operator is None or find_operator(assign.operator, assign).idempotent
