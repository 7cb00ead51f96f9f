"""The frontier of costs as one counts it: costs that are equal, though written differently, are one."""

from __future__ import annotations

from collections.abc import Iterable

from irtensor.passes.autoschedule.task_sets import Cost, TaskSets, frontier


def frontier_classes(task_sets: TaskSets, costs: Iterable[Cost]) -> dict[Cost, list[Cost]]:
    """The `frontier`; those of it that contain each other are together, by the first of them."""
    found: dict[Cost, list[Cost]] = {}
    for cost in frontier(task_sets, costs):
        equal = next((one for one in found if task_sets.are_equal(one, cost)), cost)
        found.setdefault(equal, []).append(cost)
    return found
