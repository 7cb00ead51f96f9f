"""Which orders of loops combine only what sparse operands connect: row by row of a product, not every row with each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence, Set
from itertools import chain, combinations
from typing import NamedTuple

from xdsl.ir import SSAValue

from irtensor.dialects.concrete_index.concrete_index import AccessOp, AssignOp
from irtensor.dialects.storage.storage import format_of
from irtensor.passes.analysis.iteration_graph import Edge, can_locate, last_append_level, level_variables
from irtensor.passes.analysis.ranges import block_variables, forall_of, sources

# How many sets of outer loops, with the operands converted for them, are followed at a time: all the sets there are of
# up to ten loops, with two operands that may be converted or not. Of more loops fewer are, so that it takes no longer.
_MANY_LOOPS = 10
_MOST_STATES = 4 * 252


class _Outer(NamedTuple):
    """Some loops in an order, by their positions in the given order, and the cost of that order.

    `scattered` are the results that are not appended in this order, and `wide` how many of them are collected in a
    workspace that is more than one row.
    """

    positions: tuple[int, ...] = ()
    detached: int = 0
    wide: int = 0
    converted: frozenset[AccessOp] = frozenset()
    scattered: frozenset[AssignOp] = frozenset()

    def cost(self) -> tuple[int, int, int, tuple[int, ...]]:
        return self.detached, self.wide, len(self.converted), self.positions


class _Sparse:
    """A sparse operand: the levels that its variables, and what counts blocks of their coordinates, go through."""

    def __init__(self, access: AccessOp) -> None:
        self.access = access
        self._levels: dict[SSAValue, int] = {}
        format = format_of(access.tensor.type)
        self._full = [level.format.pattern.full for level in format.levels]
        located = [can_locate(format, level) for level in range(len(format.levels))]
        # These are bound inside of the levels above: lists force the order of the loops, if need be by a conversion.
        self._forced = [not all(located[level:]) for level in range(len(located))]
        # Coordinates that are computed from loops are known where all of these are.
        self._computed: list[tuple[frozenset[SSAValue], int]] = []
        for number, variable in enumerate(level_variables(access)):
            if forall_of(variable) is None:
                self._computed.append((sources(variable), number))
            for one in (variable, *block_variables(variable), *sources(variable)):
                self._levels.setdefault(one, number)

    def reads(self, variable: SSAValue) -> bool:
        return variable in self._levels

    def ties(self, variable: SSAValue, bound: Collection[SSAValue], is_converted: bool) -> bool:
        """Whether a loop only goes to what the operand has below the coordinates of the loops around.

        A level that locates any coordinate may be bound before the levels above; if it does not hold all coordinates,
        that tells nothing of those levels.
        """
        its = self._levels[variable]
        computed = {one for parts, _ in self._computed for one in parts}
        above = [own for one, own in self._levels.items() if one in bound and one not in computed]
        above += [own for parts, own in self._computed if parts.issubset(bound)]
        return any(is_converted or own <= its or self._forced[own] or self._full[own] for own in above)

    def is_loss(self, edge: Edge) -> bool:
        """Whether a loop against an order that need not be followed is no longer tied to one outside of it."""
        return edge.access is self.access and not self._full[self._levels[edge.after]]


def detached(
    order: Sequence[SSAValue],
    accesses: Sequence[AccessOp | AssignOp],
    converted: Collection[AccessOp] = (),
    around: Sequence[SSAValue] = (),
) -> int:
    """How many loops run over entries of sparse operands that no operand ties to the loops outside of them, those
    `around` all of them included.

    Each multiplies the work by all stored entries, instead of by the entries below the positions of the loops outside.
    """
    sparse = _sparse_operands(accesses)
    return sum(
        _is_detached(variable, [*around, *order[:number]], sparse, converted) for number, variable in enumerate(order)
    )


def connected_order(
    order: Sequence[SSAValue],
    accesses: Sequence[AccessOp | AssignOp],
    edges: Sequence[Edge],
    convertible: Collection[AccessOp],
    chosen: Collection[AccessOp] = (),
    around: Sequence[SSAValue] = (),
) -> tuple[list[SSAValue], list[AccessOp]] | None:
    """An order with fewer detached loops than the given one, or as few and fewer workspaces of more than a row, and the
    operands to convert for it; None if there is none. For the given one, those that are `chosen` are converted. The
    loops `around` stay outside.

    Up to ten loops no order has fewer; with more, only the most promising outer loops are followed. Of equal orders
    one that converts few operands is taken, and then the one most like the given order: to convert an operand takes
    time in proportion to what it stores, and a workspace of many rows is a hash table that is gone to for each product.
    """
    sparse, results = _sparse_operands(accesses), _appended(accesses, order)
    groups = {result: _groups(result) for result in results}
    least = detached(order, accesses, chosen, around), sum(_is_wide(order, groups[result]) for result in results)
    if least == (0, 0):
        return None
    # Into a result any order leads, if need be through a workspace.
    reads = [edge for edge in edges if edge.before in order and not isinstance(edge.access, AssignOp)]
    against = [edge for edge in reads if edge.after in around]
    first = [_Outer(converted=converted) for converted in _conversions(against, convertible, sparse)]
    reached = {(frozenset[SSAValue](), outer.converted): outer for outer in first}
    most_states = max(1, _MOST_STATES * _MANY_LOOPS**3 // max(_MANY_LOOPS, len(order)) ** 3)
    for _ in order:
        further: dict[tuple[frozenset[SSAValue], frozenset[AccessOp]], _Outer] = {}
        for (bound, _), outer in reached.items():
            for position, variable in enumerate(order):
                if variable in bound:
                    continue
                against = [edge for edge in reads if edge.after is variable and edge.before not in bound]
                scattered = frozenset(result for result in results if _scatters(variable, bound, groups[result]))
                new = scattered - outer.scattered
                wide = outer.wide + sum(_holds_rows(bound, groups[result]) for result in new)
                for converted in _conversions(against, convertible, sparse):
                    converted = outer.converted | converted
                    count = outer.detached + _is_detached(variable, bound.union(around), sparse, converted)
                    longer = _Outer((*outer.positions, position), count, wide, converted, outer.scattered | scattered)
                    state = bound | {variable}, converted
                    further[state] = min(further.get(state, longer), longer, key=_Outer.cost)
        best = sorted(further.items(), key=lambda item: item[1].cost())
        reached = dict(best[:most_states])
    found = next(iter(reached.values()), None)
    if found is None or (found.detached, found.wide) >= least:
        return None
    converted = [access for access in accesses if isinstance(access, AccessOp) and access in found.converted]
    return [order[position] for position in found.positions], converted


def _conversions(
    against: Sequence[Edge], convertible: Collection[AccessOp], sparse: Sequence[_Sparse]
) -> Iterator[frozenset[AccessOp]]:
    """The operands that may be converted for a loop that goes against some edges: all that have to be, and any that
    would not tie it to the loops around otherwise."""
    needed = {edge.access for edge in against if edge.hard}
    if not all(access in convertible for access in needed):
        return
    loose = {edge.access for edge in against if any(one.is_loss(edge) for one in sparse)}
    others = [access for access in loose - needed if access in convertible]
    for some in chain.from_iterable(combinations(others, count) for count in range(len(others) + 1)):
        yield frozenset([access for access in (*needed, *some) if isinstance(access, AccessOp)])


def _is_detached(
    variable: SSAValue, bound: Collection[SSAValue], sparse: Sequence[_Sparse], converted: Collection[AccessOp]
) -> bool:
    reading = [one for one in sparse if one.reads(variable)]
    return bool(bound) and bool(reading) and not any(o.ties(variable, bound, o.access in converted) for o in reading)


def _sparse_operands(accesses: Sequence[AccessOp | AssignOp]) -> list[_Sparse]:
    operands = [access for access in accesses if isinstance(access, AccessOp)]
    return [_Sparse(access) for access in operands if not format_of(access.tensor.type).is_dense]


def _appended(accesses: Sequence[AccessOp | AssignOp], order: Sequence[SSAValue]) -> list[AssignOp]:
    """The stores into results that are appended to, all of whose loops are there."""
    return [
        access
        for access in accesses
        if isinstance(access, AssignOp)
        and last_append_level(format_of(access.tensor.type)) is not None
        and set(access.indices) <= set(order)
    ]


def _groups(result: AssignOp) -> list[set[SSAValue]]:
    """The loops over the levels that a result is appended to, and over those below that do not have all coordinates,
    outermost first; those of tuples in no order together."""
    format, levels = format_of(result.tensor.type), level_variables(result)
    tuples = format.tuples
    last = max(number for number, level in enumerate(format.levels) if not level.format.pattern.full)
    single = [{variable} for variable in levels[: tuples.start if last in tuples else last + 1]]
    return [*single, set(levels[tuples.start : tuples.stop])] if last in tuples else single


def _scatters(variable: SSAValue, bound: Set[SSAValue], groups: Sequence[set[SSAValue]]) -> bool:
    """Whether a loop comes before one over a level that a result is appended to, and is not the next of these."""
    waiting = next((group for group in groups if not group <= bound), None)
    return waiting is not None and variable not in waiting


def _holds_rows(bound: Set[SSAValue], groups: Sequence[set[SSAValue]]) -> bool:
    """Whether a workspace holds more than one level of a result that is scattered inside of some loops."""
    return sum(len(group - bound) for group in groups) > 1


def _is_wide(order: Sequence[SSAValue], groups: Sequence[set[SSAValue]]) -> bool:
    outer = [(variable, {*order[:number]}) for number, variable in enumerate(order)]
    return any(_scatters(variable, bound, groups) and _holds_rows(bound, groups) for variable, bound in outer)
