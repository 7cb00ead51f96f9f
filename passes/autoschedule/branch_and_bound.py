"""Finds the programs of least cost without looking at all: what is open in a program is decided step by step, and
given up as soon as some other program is known to cost less than all that can become of it.

The published search compares all programs (Ahrens 2022, section 7.7), which are millions for products of three.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from irtensor.dialects.protocols import LOCATE, STEP
from irtensor.passes.autoschedule.protocols import Place, free_places, with_protocol
from irtensor.passes.autoschedule.statements import Statement
from irtensor.passes.autoschedule.task_sets import Cost, TaskSets, frontier

_Costed = tuple[Cost, Statement]


class BranchAndBound:
    """A search among programs with all loop orders and protocols.

    `cost` is that of a program, and no more than that of any program that its FREE protocols become; `least_cost`, no
    more than that of any order of its loops; `orders` gives the orders. Programs are `found` by cost: the frontier of
    those that are costed. Of programs that cost the same, those with the least `preference` come first.

    At most `budget` costs are computed, and as many more as it takes to find a program. If that leaves something
    open, the search is not `complete`: programs are then taken evenly, and those not looked at may cost less.

    Without `alternatives`, of programs that cost the same and differ only in protocols, one is found: that which comes
    first where each protocol is chosen by preference.

    With `below`, only programs are searched that cost less than that, and then less than the first that is found, until
    there is none: one program of least cost, or nothing.
    """

    def __init__(
        self,
        task_sets: TaskSets,
        cost: Callable[[Statement], Cost],
        least_cost: Callable[[Statement], Cost],
        orders: Callable[[Statement], Iterable[Statement]],
        *,
        budget: int,
        preference: Callable[[Statement], tuple[Any, ...]] = lambda program: (),
        alternatives: bool = True,
        below: Cost | None = None,
        progress: Callable[[int], None] = lambda done: None,
    ) -> None:
        self.found: dict[Cost, list[Statement]] = {}
        self.costed = 0
        self.complete = True
        self._task_sets = task_sets
        self._cost = cost
        self._least_cost = least_cost
        self._orders = orders
        self._budget = budget
        self._preference = preference
        self._alternatives = alternatives
        self._below = below
        # The costs of what has become of the nest that is looked at.
        self._own: set[Cost] = set()
        self._progress = progress

    def search(self, programs: Sequence[Statement]) -> None:
        """Search the programs that these become: their loops are in one order, and all protocols are FREE."""
        for some in self._promising_first(programs, self._least_cost):
            nests = [nest for _, program in some for nest in self._orders(program)]
            for ordered in self._promising_first(nests, self._cost):
                for cost, nest in sorted(ordered, key=lambda one: self._preference(one[1])):
                    self._own.clear()
                    self._choose(nest, cost, free_places(nest))
                    self._progress(self.costed)

    def _promising_first(
        self, programs: Sequence[Statement], cost: Callable[[Statement], Cost]
    ) -> Iterator[list[_Costed]]:
        """The programs that nothing is below, then those of the others that are not beaten by what became of them."""
        # Half of what is left is for what they become.
        most = max(1, (self._budget - self.costed) // 2)
        if len(programs) > most:
            programs = programs[:: -(-len(programs) // most)]
            self.complete = False
        costed = [(cost(program), program) for program in programs]
        self.costed += len(costed)
        first = {*frontier(self._task_sets, [its for its, _ in costed])}
        yield [one for one in costed if one[0] in first and not self._beaten(one[0])]
        yield [one for one in costed if one[0] not in first and not self._beaten(one[0])]

    def _choose(self, program: Statement, cost: Cost, places: Sequence[Place]) -> None:
        """Search what a program becomes by the choice of protocols at some places, one after the other."""
        if self._beaten(cost):
            return
        if not places:
            self._keep(program, cost)
            return
        if self.costed >= self._budget and (self.found or self._below is not None):
            self.complete = False
            return
        place, *rest = places
        ways = [with_protocol(program, place, protocol) for protocol in (STEP, LOCATE)]
        costs = [self._cost(way) for way in ways]
        self.costed += 2
        for way, its in sorted(zip(ways, costs, strict=True), key=lambda one: self._preference(one[0])):
            self._choose(way, its, rest)

    def _beaten(self, cost: Cost) -> bool:
        """Whether a cost, and all that contain it, are not searched for."""
        if self._below is not None:
            return not self._is_less(cost, self._below)
        if not self._alternatives and any(self._task_sets.contains(cost, one) for one in self._own):
            return True
        return any(self._is_less(one, cost) for one in self.found)

    def _is_less(self, one: Cost, other: Cost) -> bool:
        contains = self._task_sets.contains
        return contains(other, one) and not contains(one, other)

    def _keep(self, program: Statement, cost: Cost) -> None:
        equal = cost if cost in self.found else next(filter(partial(self._task_sets.are_equal, cost), self.found), cost)
        if equal not in self.found:
            for beaten in [one for one in self.found if self._is_less(cost, one)]:
                del self.found[beaten]
        self.found.setdefault(equal, []).append(program)
        self._own.add(cost)
        if self._below is not None:
            self._below = cost
