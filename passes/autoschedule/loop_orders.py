"""The orders of the loops of a program (Ahrens 2022, section 7.4), which are made when they are looked at."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from math import factorial, gcd, prod

from irtensor.passes.autoschedule.statements import Indices, Statement, Where, loops_of, loops_over

# Numbers of this share of a count, one after the other, come near every number early.
_GOLDEN = (5**0.5 - 1) / 2


class LoopOrders:
    """A program with each of its groups of directly nested loops in every order: six loops have 720 of them."""

    def __init__(self, program: Statement) -> None:
        self._indices, self._inner = loops_of(program)
        sides = self._inner if isinstance(self._inner, Where) else ()
        self._sides = tuple(map(LoopOrders, sides))
        self._inside = prod(map(len, self._sides))

    def __len__(self) -> int:
        return factorial(len(self._indices)) * self._inside

    def __iter__(self) -> Iterator[Statement]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, number: int) -> Statement:
        """The order of a number; the first one has all loops as the program has them."""
        number, inside = divmod(number, self._inside)
        body = self._inner
        if self._sides:
            consumer, producer = self._sides
            of_consumer, of_producer = divmod(inside, len(producer))
            body = Where(consumer[of_consumer], producer[of_producer])
        return loops_over(_permutation(self._indices, number), body)


def _permutation(indices: Indices, number: int) -> Indices:
    """The permutation of a number, in lexicographic order."""
    left, found = list(indices), list[str]()
    while left:
        position, number = divmod(number, factorial(len(left) - 1))
        found.append(left.pop(position))
    return tuple(found)


def some_orders(
    programs: Sequence[Statement], nest: Callable[[Statement], Statement | None], most: int, tries: int
) -> tuple[list[Statement], bool]:
    """What `nest` makes of the orders of some programs, and whether of all of them.

    No more than `most` are made, of no more than `tries` orders, and these are spread evenly over all there are; `nest`
    gives None for an order that is skipped.
    """
    orders = list(map(LoopOrders, programs))
    ends = list(accumulate(map(len, orders)))
    count = ends[-1] if ends else 0
    # With all of them in sight, they come one after the other.
    step = 1 if count <= min(most, tries) else next(n for n in range(int(_GOLDEN * count), count) if gcd(n, count) == 1)
    found: list[Statement] = []
    for tried in range(count):
        if len(found) == most or tried == tries:
            return found, False
        position = tried * step % count
        owner = bisect(ends, position)
        one = nest(orders[owner][position - (ends[owner - 1] if owner else 0)])
        if one is not None:
            found.append(one)
    return found, True
