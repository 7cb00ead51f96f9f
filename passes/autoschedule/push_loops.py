"""Which loops go around which statements of a program (Ahrens 2022, section 7.3)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain, combinations, islice
from math import inf

from irtensor.core.cached_property import cached_property
from irtensor.passes.autoschedule.name_workspaces import index_workspaces
from irtensor.passes.autoschedule.reduces_alike import reduces_alike
from irtensor.passes.autoschedule.statements import (
    Access,
    Assign,
    Statement,
    Where,
    accessed,
    loops_of,
    loops_over,
    map_accesses,
    parts,
    with_parts,
)

_Variables = frozenset[str]


class LoopPlacement:
    """The ways to put loops around programs, and to push any of them into the sides of a `where` in them.

    The loops of a program stay inside of those that they are in. With `empty_push`, all loops may stay around a
    `where`, whose workspace is then a number; the published search of 2022 omits that. Values are of the type
    `element`. There may be millions of ways, which are made as they are asked for.
    """

    def __init__(
        self, programs: Iterable[Statement], indices: Iterable[str], element: str, *, empty_push: bool = True
    ) -> None:
        self._indices = frozenset(indices)
        self._element = element
        self._programs = [self._with_dependences(program) for program in programs]
        self._least_pushed = 0 if empty_push else 1
        self._depths: dict[tuple[Where, _Variables], float] = {}
        self._uses: dict[Where, tuple[_Variables, _Variables, bool]] = {}

    def _with_dependences(self, program: Statement) -> Statement:
        """A program whose workspaces have all variables that they may depend on: what reads them is in these loops.

        Those are loops to be placed, and those of the program, which may go inside of a `where`.
        """
        while (known := index_workspaces(program, self._element, self._indices, moving=True)) != program:
            program = known
        return program

    def programs(self, deepest: float) -> Iterator[Statement]:
        """The programs with no more loops inside of each other than that, each with its loops in one order and with the
        modes of its workspaces; first one of each grouping, then another one of each."""
        left = deque(self._placed(program, self._indices, deepest) for program in self._programs)
        while left:
            ways = left.popleft()
            for placed in islice(ways, 1):
                yield index_workspaces(placed, self._element)
                left.append(ways)

    @cached_property
    def least_depth(self) -> float:
        """The least depth of a program."""
        return min(self._least_depth(program, self._indices) for program in self._programs)

    def _least_depth(self, program: Statement, indices: _Variables) -> float:
        """With all loops as far inside as they go: one more loop never makes a side deeper than one around both does.

        Infinite if they cannot be placed.
        """
        own, inner = loops_of(program)
        indices = indices.union(own)
        if not isinstance(inner, Where):
            return len(indices)
        key = inner, indices
        if key not in self._depths:
            self._depths[key] = self._least_depth_inside(*key)
        return self._depths[key]

    def _least_depth_inside(self, where: Where, indices: _Variables) -> float:
        around, *inside = self._split(where, indices, indices & self._used(where))
        if len(around) + self._least_pushed > len(indices):
            return inf
        return len(around) + max(map(self._least_depth, where, inside))

    def has(self, program: Statement) -> bool:
        """Whether a program is one of these, with its loops in any order; the modes of workspaces are not looked at."""
        return any(self._placed_in(program, given) == self._indices for given in self._programs)

    def _placed_in(self, program: Statement, given: Statement) -> _Variables | None:
        """Which loops a program has beside those of a given one, if that is the only difference."""
        (own, inner), (its, inside) = loops_of(program), loops_of(given)
        loops = frozenset(own)
        if len(loops) < len(own):
            return None
        if isinstance(inner, Where) and isinstance(inside, Where):
            moved = [self._placed_in(*sides) for sides in zip(inner, inside, strict=True)]
            indices = loops.union(*[one for one in moved if one is not None])
            if [loops, *moved] != list(self._split(inside, indices, indices - loops)):
                return None
            loops = indices
        elif _without_modes(inner) != _without_modes(inside):
            return None
        return loops.difference(its) if loops.issuperset(its) else None

    def _placed(self, program: Statement, indices: _Variables, deepest: float) -> Iterator[Statement]:
        own, inner = loops_of(program)
        indices = indices.union(own)
        if self._least_depth(inner, indices) > deepest:
            return
        if not isinstance(inner, Where):
            yield loops_over(tuple(sorted(indices)), inner)
            return
        for around, in_consumer, in_producer in self._splits(inner, indices):
            left = deepest - len(around)
            if self._least_depth(inner.producer, in_producer) > left:
                continue
            # Those of a producer are made again for each consumer: kept, they may be millions.
            for consumer in self._placed(inner.consumer, in_consumer, left):
                wheres = (Where(consumer, producer) for producer in self._placed(inner.producer, in_producer, left))
                yield from (loops_over(tuple(sorted(around)), where) for where in wheres)

    def _splits(self, where: Where, indices: _Variables) -> Iterator[tuple[_Variables, _Variables, _Variables]]:
        """The variables of the loops around a `where`, around its consumer and around its producer."""
        for moved in _subsets(indices & self._used(where), self._least_pushed):
            yield self._split(where, indices, moved)

    def _split(self, where: Where, indices: _Variables, moved: _Variables) -> tuple[_Variables, _Variables, _Variables]:
        consumers, producers, alike = self._uses_of(where)
        # A variable that is not reduced with the producer is with the consumer, even if that does not use it.
        return indices - moved, moved & consumers if alike else moved, moved & producers

    def _used(self, where: Where) -> _Variables:
        consumers, producers, _ = self._uses_of(where)
        return consumers | producers

    def _uses_of(self, where: Where) -> tuple[_Variables, _Variables, bool]:
        """The variables that the consumer and the producer use, and whether they reduce alike."""
        if where not in self._uses:
            alike = reduces_alike(where, self._element)
            self._uses[where] = accessed(where.consumer), accessed(where.producer), alike
        return self._uses[where]


def without_loops(statement: Statement) -> Statement:
    """What a program stores and through which workspaces, these without modes."""
    inner = loops_of(statement)[1]
    return with_parts(_without_modes(inner), [without_loops(part) for part in parts(inner)])


def _without_modes(statement: Statement) -> Statement:
    """A statement whose workspaces have no modes."""

    def changed(access: Access) -> Access:
        return access._replace(indices=()) if isinstance(access.tensor, int) else access

    if not isinstance(statement, Assign):
        return statement
    target, operator, value = statement
    return Assign(changed(target), operator, map_accesses(value, changed))


def _subsets(indices: _Variables, least: int) -> Iterator[_Variables]:
    ordered = sorted(indices)
    sizes = range(least, len(ordered) + 1)
    return (frozenset(chosen) for chosen in chain.from_iterable(combinations(ordered, size) for size in sizes))
