"""Finds the programs of least cost without looking at all: open choices of a program are decided step by step, and
given up as soon as some other program is known to cost less than all that can become of it.

The published search compares all programs (Ahrens 2022, section 7.7), which are millions for products of three.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from typing import Any

from irtensor.dialects.concrete_index.protocols import LOCATE, STEP
from irtensor.passes.autoschedule.loop_orders import some_orders
from irtensor.passes.autoschedule.protocols import FreeMode, free_modes, likely_choices, with_protocol
from irtensor.passes.autoschedule.statements import Statement
from irtensor.passes.autoschedule.task_sets import Cost, TaskSets, frontier

_Costed = tuple[Cost, Statement]
# How many orders of loops are made for each one that is looked at; others are skipped for their conversions.
_TRIES = 8


class BranchAndBound:
    """A search among programs with all loop orders and protocols.

    `cost` is that of a program, and no more than that of any program that its FREE protocols become; `least_cost`, no
    more than that of any order of its loops; `nest` gives the candidates of one order, None for nothing. Programs
    are `found` by cost: the frontier of those that are costed. Of programs that cost the same, those with the least
    `preference` come first.

    At most `budget` costs are computed, and as many more as it takes to find a program. If that leaves something
    open, the search is not `complete`, and programs not looked at may cost less: of more than can be looked at, those
    with the least `memory` are taken, and of them evenly some.

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
        nest: Callable[[Statement], Statement | None],
        *,
        budget: int,
        preference: Callable[[Statement], tuple[Any, ...]] = lambda program: (),
        memory: Callable[[Statement], int] = lambda program: 0,
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
        self._nest = nest
        self._budget = budget
        self._preference = preference
        self._memory = memory
        self._alternatives = alternatives
        self._below = below
        # The costs of the successors of the current nest.
        self._own: set[Cost] = set()
        self._progress = progress

    def search(self, programs: Sequence[Statement]) -> None:
        """Search the programs that these become: their loops are in one order, and all protocols are FREE."""
        costed, first = self._costed(programs, self._least_cost)
        for promising in (True, False):
            some = [program for cost, program in costed if (cost in first) == promising and not self._beaten(cost)]
            nests, least = self._costed(self._nests(some), self._cost)
            self._search_nests(nests, least)

    def _search_nests(self, nests: list[_Costed], least: set[Cost]) -> None:
        """Search what nests become; the most promising ones first, by their likely cost. The least possible cost of a
        nest says little of it, and the likely cost of others beats many."""
        likely = {nest: sorted(likely_choices(nest), key=self._preference) for _, nest in nests}
        keys = {nest: (self._preference(likely[nest][0]), cost not in least) for cost, nest in nests}
        nests.sort(key=lambda one: keys[one[1]])
        # One that costs less than a given one is searched by choices that are preferred.
        tried = 0 if self._below is not None else max(0, self._budget - self.costed) // 4
        for program in [one for _, nest in nests[:tried] if free_modes(nest) for one in likely[nest][:2]]:
            cost = self._cost(program)
            self.costed += 1
            if not self._beaten(cost):
                self._keep(program, cost)
        for cost, nest in nests:
            self._own.clear()
            self._choose(nest, cost, free_modes(nest))
            self._progress(self.costed)

    def _costed(
        self, programs: Sequence[Statement], cost: Callable[[Statement], Cost]
    ) -> tuple[list[_Costed], set[Cost]]:
        """The programs with what they cost, and the costs that nothing is below."""
        costed = [(cost(program), program) for program in self._as_many(programs, self._half)]
        self.costed += len(costed)
        return costed, {*frontier(self._task_sets, [its for its, _ in costed])}

    @property
    def _half(self) -> int:
        """How many are looked at: half of the remaining budget is for their successors."""
        return max(1, (self._budget - self.costed) // 2)

    def _nests(self, programs: Sequence[Statement]) -> list[Statement]:
        """Programs with their loops in all orders, or some of these; the ones with the least `memory` first."""
        found: list[Statement] = []
        most = self._half
        for _, group in groupby(sorted(programs, key=self._memory), key=self._memory):
            some, complete = some_orders([*group], self._nest, most - len(found), _TRIES * most)
            found += some
            self.complete = self.complete and complete
        return found

    def _as_many(self, programs: Sequence[Statement], most: int) -> list[Statement]:
        """No more programs than that, by `memory`, evenly of those that have the most."""
        if len(programs) <= most:
            return list(programs)
        self.complete = False
        taken: list[Statement] = []
        for _, group in groupby(sorted(programs, key=self._memory), key=self._memory):
            some, left = list(group), most - len(taken)
            taken += some if len(some) <= left else [some[number * len(some) // left] for number in range(left)]
        return taken

    def _choose(self, program: Statement, cost: Cost, modes: Sequence[FreeMode]) -> None:
        """Search what a program becomes by the choice of some protocols, one after the other."""
        if self._beaten(cost):
            return
        if not modes:
            self._keep(program, cost)
            return
        if self.costed >= self._budget and (self.found or self._below is not None):
            self.complete = False
            return
        mode, *rest = modes
        ways = [with_protocol(program, mode, protocol) for protocol in (STEP, LOCATE)]
        costs = [self._cost(way) for way in ways]
        self.costed += 2
        for way, its in sorted(zip(ways, costs, strict=True), key=lambda one: self._preference(one[0])):
            self._choose(way, its, rest)

    def _beaten(self, cost: Cost) -> bool:
        """Whether a cost, and all that contain it, are not searched for."""
        if self._below is not None:
            return not self._task_sets.is_less(cost, self._below)
        if not self._alternatives and any(self._task_sets.contains(cost, one) for one in self._own):
            return True
        return any(self._task_sets.is_less(one, cost) for one in self.found)

    def _keep(self, program: Statement, cost: Cost) -> None:
        equal = cost if cost in self.found else next(filter(partial(self._task_sets.are_equal, cost), self.found), cost)
        if equal not in self.found:
            for beaten in [one for one in self.found if self._task_sets.is_less(cost, one)]:
                del self.found[beaten]
        members = self.found.setdefault(equal, [])
        if program not in members:
            members.append(program)
        self._own.add(cost)
        if self._below is not None:
            self._below = cost
