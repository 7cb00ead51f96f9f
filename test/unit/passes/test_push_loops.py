"""Loops around and inside of `where`: of many ways to place them, no more are made than are taken."""

from itertools import islice

from counted_calls import count_calls

from irtensor.core.operators import OPERATORS
from irtensor.passes.autoschedule import push_loops as its
from irtensor.passes.autoschedule.papers.counted_placement import CountedPlacement
from irtensor.passes.autoschedule.statements import Access, Assign, Call, Where, depth

INDICES = tuple("ijkl")


def _workspaces(depth: int, target: Access) -> Assign | Where:
    """What is computed through a workspace, both sides of which are computed through workspaces, and so on."""
    if depth == 0:
        value = Call(OPERATORS["mul"], (Access("A", INDICES), Call(OPERATORS["exp"], (Access(1),))))
        return Assign(target, OPERATORS["add"], value)
    inner = target if isinstance(target.tensor, str) else Access(target.tensor + 1)
    return Where(_workspaces(depth - 1, inner), _workspaces(depth - 1, Access(1)))


def test_few_ways_of_many_are_made(monkeypatch):
    made = count_calls(monkeypatch, its, "loops_over", 1000)
    placement = CountedPlacement([_workspaces(6, Access("R"))], INDICES, "f64")
    assert sum(placement.by_depth()[0].values()) > 10**20
    for deepest in (len(INDICES), placement.least_depth):
        made.clear()
        found = list(islice(placement.programs(deepest), 20))
        assert len({*found}) == 20 and max(map(depth, found)) <= deepest
