"""A program by a rule, for statements that are too large to be searched: sums are taken as soon as their factors are
multiplied, as long as that needs no temporary with more than one mode."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import reduce
from itertools import combinations, permutations
from math import comb
from typing import NamedTuple

from irtensor.core.operators import Operator
from irtensor.dialects.concrete_index.protocols import LOCATE, STEP
from irtensor.passes.analysis.distribution import distributes
from irtensor.passes.autoschedule.choose_program import constant_factors, extra_memory
from irtensor.passes.autoschedule.convert_operands import Conversions
from irtensor.passes.autoschedule.kernel import Kernel
from irtensor.passes.autoschedule.protocols import FREE, Choices, choice_by_format, with_free_protocols
from irtensor.passes.autoschedule.read_program import Program
from irtensor.passes.autoschedule.statements import (
    Access,
    Assign,
    Call,
    Expression,
    Indices,
    Statement,
    Where,
    accessed,
    flattened,
    fresh_name,
    is_associative,
    loops_over,
    map_accesses,
    map_expressions,
    reads,
    stepped,
    stored_by,
)

_Variables = frozenset[str]
# Of more loops than that, orders are not compared.
_MOST_ORDERED = 4
# All choices of up to three of seven loops.
_MOST_CHOICES = 64
_MANY = 12


def reduce_early(kernel: Kernel, program: Program) -> Statement | None:
    """A program for a product that is reduced, with fewer loops inside of each other than it has dimensions; None if
    the rule finds none.

    Some loops are around all; for each choice of these, one variable after the other is reduced, that with the fewest
    loops first, in a temporary that is a number or a vector. The fewest loops are then taken, the least conversions.
    """
    assign = kernel.program
    if not isinstance(assign, Assign) or (factors := _factors(assign, kernel.element)) is None:
        return None
    choices = _outer(kernel.indices, assign.target.indices)
    found = [one for outer in choices if (one := _eliminated(assign, factors, outer)) is not None]
    if not found or min(one.depth for one in found) >= len(kernel.indices):
        return None
    least = min(one.depth for one in found)
    orders = _Orders(kernel, program)
    return min([orders.program(one) for one in found if one.depth == least], key=orders.key)


def _outer(indices: _Variables, written: Indices) -> Iterator[_Variables]:
    """The loops that may be around all: all choices of so few that there are not too many, but not all loops. Of many
    loops, none or one over the result."""
    if len(indices) > _MANY:
        yield from (frozenset(some) for some in ((), *((index,) for index in written)))
        return
    ordered, left = sorted(indices), _MOST_CHOICES
    for count in range(len(ordered)):
        left -= comb(len(ordered), count)
        if left < 0:
            return
        yield from map(frozenset, combinations(ordered, count))


class _Part(NamedTuple):
    """A product that is reduced into a target in some loops, which are inside of the outer ones if it needs these."""

    assign: Assign
    loops: _Variables
    inside: bool


class _Elimination(NamedTuple):
    """The parts of a program in the order in which they are computed, the last one into the result."""

    outer: _Variables
    parts: list[_Part]

    @property
    def depth(self) -> int:
        return max(len(part.loops) + part.inside * len(self.outer) for part in self.parts)


def _factors(assign: Assign, element: str) -> list[Expression] | None:
    """The factors of a product that is then reduced, if it may be reduced in parts and in any order."""
    operator, value = assign.operator, flattened(assign.value)
    if operator is None or not _is_free(operator) or not isinstance(value, Call) or not _is_free(value.operator):
        return None
    if not all(distributes(value.operator, position, 2, operator, element) for position in (0, 1)):
        return None
    return list(value.arguments)


def _is_free(operator: Operator) -> bool:
    return is_associative(operator) and operator.commutative


def _eliminated(assign: Assign, factors: list[Expression], outer: _Variables) -> _Elimination | None:
    """Reduce one variable after the other inside of some loops; None if no part is reduced by itself."""
    assert isinstance(assign.value, Call)
    taken = {str(read.tensor) for read in (*reads(assign), assign.target)}
    left = accessed(assign).difference(assign.target.indices, outer)
    parts: list[_Part] = []
    # The temporaries that are computed inside of the outer loops.
    inside: set[Expression] = set()
    while (chosen := _next(factors, left, outer)) is not None:
        loops, free, group = chosen
        own = Access(fresh_name(f"w{len(parts) or ''}", taken), tuple(sorted(free)))
        taken.add(str(own.tensor))
        needs = any(one in inside or not outer.isdisjoint(accessed(one)) for one in group)
        parts.append(_Part(Assign(own, assign.operator, _product(assign.value, group)), loops, needs))
        if needs:
            inside.add(own)
        left -= loops - free
        factors = [*(one for one in factors if one not in group), own]
    if not parts:
        return None
    last = Assign(assign.target, assign.operator, _product(assign.value, factors))
    return _Elimination(outer, [*parts, _Part(last, accessed(last) - outer, inside=True)])


def _next(
    factors: list[Expression], left: _Variables, outer: _Variables
) -> tuple[_Variables, _Variables, list[Expression]] | None:
    """The loops, the modes and the factors of the temporary that takes the fewest loops; the last variable first."""
    found: list[tuple[int, _Variables, _Variables, list[Expression]]] = []
    for variable in sorted(left, reverse=True):
        group = [one for one in factors if variable in accessed(one)]
        others = frozenset[str]().union(*(accessed(one) for one in factors if one not in group))
        loops = frozenset[str]().union(*map(accessed, group)) - outer
        # What only these have is reduced with it.
        free = loops - (left - others)
        if len(group) < len(factors) and len(free) < 2:
            found.append((len(loops), loops, free, group))
    return min(found, key=lambda one: one[0])[1:] if found else None


def _product(value: Call, factors: list[Expression]) -> Expression:
    return factors[0] if len(factors) == 1 else Call(value.operator, tuple(factors))


class _Orders:
    """Puts the loops of parts in the order in which the least is converted, and says how they read."""

    def __init__(self, kernel: Kernel, program: Program) -> None:
        self._dense, self._formats = kernel.dense, kernel.formats
        self._program = program
        self._conversions = Conversions(program)

    def key(self, one: Statement) -> tuple[int, ...]:
        """Less for smaller tables, then for what converts less, then for the better order of loops."""
        stores_result = stored_by(one).target.tensor in self._program.tensors
        wide = extra_memory(one, self._program) if stores_result else 0
        return (wide, self._conversions.effort(one), *constant_factors(one, self._program))

    def program(self, elimination: _Elimination) -> Statement:
        """The program, with the best order of the outer loops."""
        return min([self._ordered(elimination, order) for order in _orders(elimination.outer)], key=self.key)

    def _ordered(self, elimination: _Elimination, outer: Indices) -> Statement:
        dense = set(self._dense)
        nests: list[tuple[_Part, Statement]] = []
        for part in elimination.parts:
            nest = self._nest(part, outer if part.inside else (), dense)
            nests.append((part, nest))
            # A temporary has few entries where a loop over its index steps through its operands.
            if not _stepped(nest).intersection(part.assign.target.indices):
                dense.add(str(part.assign.target.tensor))
        *producers, (_, last) = nests
        inside = _after(last, [nest for part, nest in producers if part.inside])
        return _after(loops_over(outer, inside), [nest for part, nest in producers if not part.inside])

    def _nest(self, part: _Part, outer: Indices, dense: Collection[str]) -> Statement:
        """A part in its own loops."""
        choices = choice_by_format(self._dense, self._formats)

        def decided(order: Indices) -> Statement:
            return _decided(part.assign, choices, (*outer, *order), dense)

        order = min(_orders(part.loops), key=lambda order: self.key(loops_over((*outer, *order), decided(order))))
        return loops_over(order, decided(order))


def _stepped(statement: Statement) -> set[str]:
    return {index for read in reads(statement) for index in stepped(read)}


def _orders(loops: Iterable[str]) -> Iterator[Indices]:
    ordered = tuple(sorted(loops))
    return permutations(ordered) if len(ordered) <= _MOST_ORDERED else iter((ordered,))


def _after(statement: Statement, producers: list[Statement]) -> Statement:
    """A statement after those that compute its temporaries; each producer may use the temporaries before."""
    return reduce(Where, reversed(producers), statement)


def _decided(assign: Assign, choices: Choices, loops: Indices, dense: Collection[str]) -> Statement:
    """An assignment that reads operands as they are stored: what can be read in both ways is stepped through where
    nothing else is, if it is not in effect dense."""
    open_ones = with_free_protocols(assign, choices, loops)
    taken = _stepped(open_ones)

    def decided(read: Access) -> Access:
        chosen: list[str] = []
        for index, protocol in zip(read.indices, read.protocols, strict=False):
            located = index in taken or read.tensor in dense
            chosen.append(protocol if protocol != FREE else LOCATE if located else STEP)
            taken.update([index] if chosen[-1] == STEP else [])
        return read._replace(protocols=tuple(chosen))

    return map_expressions(open_ones, lambda value: map_accesses(value, decided))
