"""Searches for the operands whose entries matter, among too many operands to try every combination of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import combinations

from irtensor.passes.iteration_lattice.support.probe import Probe

Operands = tuple[int, ...]
MOST_ENUMERATED = 6
# What happens where some operands have an entry, some have none, and the others may have either.
Oracle = Callable[[Collection[int], Collection[int]], Probe]


class Presence:
    """Which of `count` operands need an entry for anything to happen; every search gives up where answers are many."""

    def __init__(self, count: int, oracle: Oracle, uses: Callable[[Probe], Collection[int]]):
        self.everyone = range(count)
        self.oracle = oracle
        self.uses = uses
        self.budget = 2 * count + 32

    def _acts(self, stored: Collection[int]) -> bool:
        """Whether anything happens where just these operands have an entry."""
        return self._outcome(stored).effect

    def minimal_sets(self) -> list[Operands] | None:
        """The least sets of operands at whose entries something happens; None if they are too many."""
        if all(self._acts((k,)) for k in self.everyone):
            return [(k,) for k in self.everyone]
        needed = tuple(k for k in self.everyone if not self.oracle((), (k,)).effect)
        open_sets: list[tuple[Operands, Operands]] = [(needed, ())]
        found: list[Operands] = []
        for _ in range(self.budget):
            if not open_sets:
                return _least(found)
            stored, absent = open_sets.pop()
            if self._acts(stored):
                found.append(stored)
                continue
            outcome = self.oracle(stored, absent)
            used = self.uses(outcome)
            # Where an operand became irrelevant, the same is found without it.
            if outcome.effect and all(k in used for k in stored):
                undecided = [k for k in self.everyone if k in used and k not in stored]
                if undecided:
                    open_sets.append((stored, (*absent, undecided[0])))
                    open_sets.append(((*stored, undecided[0]), absent))
        return None

    def alternatives(self) -> list[Operands]:
        """Sets of operands: nothing happens unless each set has a stored operand. Not necessarily all such sets."""
        stored = set(self.everyone)
        for k in self.everyone:
            if self._acts(stored - {k}):
                stored.remove(k)
        # Without one of those left nothing happens, and so if the others are absent as well; but entries may prevent
        # what happens without them.
        groups = [[k, *(set(self.everyone) - stored)] for k in stored]
        found = [self._blocking([], group) for group in groups if not self.oracle((), group).effect]
        return _least(found) or [tuple(self.everyone)]

    def _blocking(self, absent: Sequence[int], candidates: Sequence[int], grown: bool = False) -> Operands:
        """The fewest of the candidates that, absent besides the others, prevent everything (by bisection)."""
        if grown and not self.oracle((), absent).effect:
            return ()
        if len(candidates) == 1:
            return (candidates[0],)
        middle = len(candidates) // 2
        left, right = candidates[:middle], candidates[middle:]
        found = self._blocking([*absent, *left], right, True)
        return (*self._blocking([*absent, *found], left, bool(found)), *found)

    def distinct_sets(self, most: int) -> list[Operands] | None:
        """Sets of operands such that any other set does what the first of them in it does; None if more than `most`."""
        if len(self.everyone) <= MOST_ENUMERATED:
            return self._reduced(stored for size in self.everyone for stored in combinations(self.everyone, size + 1))
        open_sets: list[tuple[Operands, Operands]] = [((), ())]
        found: list[Operands] = []
        void: list[Operands] = []
        while open_sets:
            stored, absent = open_sets.pop()
            outcome = self.oracle(stored, absent)
            undecided = set(self.uses(outcome)).difference(stored)
            if not outcome.effect:
                void.append(absent)
            elif undecided:
                open_sets += [(stored, (*absent, min(undecided))), ((*stored, min(undecided)), absent)]
            else:
                found.append(tuple(sorted(stored)))
            if len(found) + len(open_sets) > most:
                return None
        # An operand whose entries prevent what its gaps do: no set says that.
        if any(not set(stored) & set(absent) for stored in found for absent in void):
            return None
        return self._reduced(sorted(found, key=len))

    def _reduced(self, candidates: Iterable[Operands]) -> list[Operands]:
        """Drop the sets, given smallest first, for which an earlier one does the same."""
        found: list[Operands] = []
        for stored in candidates:
            first = min((other for other in found if set(other) <= set(stored)), key=largest_first, default=())
            if self._outcome(stored) != self._outcome(first):
                found.append(stored)
        return sorted(found, key=largest_first)

    def _outcome(self, stored: Collection[int]) -> Probe:
        return self.oracle(stored, [k for k in self.everyone if k not in stored])


def largest_first(operands: Operands) -> tuple[int, Operands]:
    """Sorts sets of operands so that none is behind one that it contains."""
    return -len(operands), operands


def _least(sets: Sequence[Operands]) -> list[Operands]:
    ordered = {tuple(sorted(found)): set(found) for found in sets}
    least = [one for one, own in ordered.items() if not any(other < own for other in ordered.values())]
    return sorted(least, key=largest_first)
