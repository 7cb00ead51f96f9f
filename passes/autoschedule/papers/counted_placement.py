"""How many ways there are to put loops around programs, by depth; they are counted without being made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import product
from math import factorial

from irtensor.passes.autoschedule.push_loops import LoopPlacement
from irtensor.passes.autoschedule.statements import Statement, Where, loops_of

# Of programs by depth: with loops that directly follow each other in one order, and in all orders.
_Counts = tuple[Counter[int], Counter[int]]


class CountedPlacement(LoopPlacement):
    """The ways to put loops around programs, with their number: there may be millions of them."""

    def __init__(
        self, programs: Iterable[Statement], indices: Iterable[str], element: str, *, empty_push: bool = True
    ) -> None:
        super().__init__(programs, indices, element, empty_push=empty_push)
        self._known: dict[tuple[Statement, frozenset[str]], _Counts] = {}

    def by_depth(self) -> _Counts:
        """How many programs there are of each depth: with loops that directly follow each other in one order, and in
        all orders."""
        found = Counter[int](), Counter[int]()
        for program in self._programs:
            for counts, more in zip(found, self._by_depth(program, self._indices), strict=True):
                counts.update(more)
        return found

    def _by_depth(self, program: Statement, indices: frozenset[str]) -> _Counts:
        own, inner = loops_of(program)
        key = inner, indices.union(own)
        if key not in self._known:
            count = len(key[1])
            found = Counter({count: 1}), Counter({count: factorial(count)})
            self._known[key] = self._by_depth_inside(inner, key[1]) if isinstance(inner, Where) else found
        return self._known[key]

    def _by_depth_inside(self, where: Where, indices: frozenset[str]) -> _Counts:
        found = Counter[int](), Counter[int]()
        for around, *inside in self._splits(where, indices):
            consumers, producers = (self._by_depth(*side) for side in zip(where, inside, strict=True))
            for position, orders in enumerate((1, factorial(len(around)))):
                for (one, count), (other, times) in product(consumers[position].items(), producers[position].items()):
                    found[position][len(around) + max(one, other)] += orders * count * times
        return found
