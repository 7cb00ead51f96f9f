"""Costs in the order of containment, as a diagram of it: in rows, with a line where nothing lies between two costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from irtensor.passes.autoschedule.papers.frontier_classes import frontier_classes
from irtensor.passes.autoschedule.task_sets import Cost, TaskSets

_One = TypeVar("_One")
# Times that the rows are put in order of those below them and above them; more hardly change anything.
_SWEEPS = 8


class CostDiagram(NamedTuple):
    """`rows`: the least costs, then each time those of the others that contain none but costs in the rows below.

    Costs that contain each other are one. `lines` are from a cost to one that contains it, with none between;
    `programs` says how many programs have each, and `left_out` counts the costs that are not drawn.
    """

    rows: list[list[Cost]]
    lines: list[tuple[Cost, Cost]]
    programs: dict[Cost, int]
    left_out: int

    @property
    def costs(self) -> list[Cost]:
        """All costs, those of the lowest row first."""
        return [cost for row in self.rows for cost in row]


def cost_diagram(task_sets: TaskSets, programs: Mapping[Cost, int], most: int) -> CostDiagram:
    """A diagram of the lowest costs, at most so many unless more are least; the numbers of their programs are given.

    A row without room for all its costs keeps those which most programs have.
    """
    rows: list[list[Cost]] = []
    shown: dict[Cost, int] = {}
    left, room = dict.fromkeys(programs), most
    while left and (room > 0 or not rows):
        classes = frontier_classes(task_sets, left)
        numbers = {cost: sum(programs[one] for one in equal) for cost, equal in classes.items()}
        row = sorted(numbers, key=lambda cost: -numbers[cost])[:room] if rows else list(numbers)
        rows.append(row)
        shown |= {cost: numbers[cost] for cost in row}
        drawn = {one for cost in row for one in classes[cost]}
        left = {cost: None for cost in left if cost not in drawn}
        room -= len(row)
    costs = list(shown)
    lines = covers(costs, task_sets.is_less)
    return CostDiagram(untangled(rows, lines), lines, shown, len(left))


def covers(all: Sequence[_One], less: Callable[[_One, _One], bool]) -> list[tuple[_One, _One]]:
    """The pairs of a strict partial order between whose two nothing is: its transitive reduction."""
    below = [{position for position, other in enumerate(all) if less(other, one)} for one in all]
    return [
        (all[position], one)
        for one, under in zip(all, below, strict=True)
        for position in sorted(under.difference(*(below[other] for other in under)))
    ]


def untangled(rows: Sequence[Sequence[_One]], lines: Iterable[tuple[_One, _One]]) -> list[list[_One]]:
    """The rows in an order in which few lines cross: each stands at the mean position of those that it is joined to.

    Source: the barycentre method of Sugiyama, Tagawa and Toda 1981.
    """
    found = [list(row) for row in rows]
    joined: dict[_One, tuple[list[_One], list[_One]]] = {one: ([], []) for row in rows for one in row}
    for low, high in lines:
        joined[high][0].append(low)
        joined[low][1].append(high)
    for sweep in range(_SWEEPS):
        positions = {one: (2 * position + 1) / len(row) for row in found for position, one in enumerate(row)}
        upwards = sweep % 2 == 0
        for row in found if upwards else reversed(found):
            means = {}
            for one in row:
                others = joined[one][0 if upwards else 1]
                means[one] = sum(positions[other] for other in others) / len(others) if others else positions[one]
            row.sort(key=means.__getitem__)
            positions.update({one: (2 * position + 1) / len(row) for position, one in enumerate(row)})
    return found
