"""Which mirrors a stored entry of a symmetric tensor has: those by orders of its coordinates that are different."""

from __future__ import annotations

from collections.abc import Sequence


def unequal_neighbours(order: Sequence[int]) -> list[int]:
    """The numbers n for which coordinates n and n + 1, of those that do not decrease, have to differ, so that putting
    them in an order gives an element that no earlier order gives; none for the order that they have.

    Equal coordinates keep the order that they have: an order that exchanges them gives what another one gives.
    """
    place = {source: position for position, source in enumerate(order)}
    return [one for one in range(len(order) - 1) if place[one] > place[one + 1]]
