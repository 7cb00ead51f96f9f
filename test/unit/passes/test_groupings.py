"""Parts of expressions in workspaces: of many ways, no more are made than are taken."""

import pytest
from counted_calls import count_calls

from irtensor.core.operators import OPERATORS
from irtensor.passes.autoschedule import groupings as its
from irtensor.passes.autoschedule.statements import Access, Assign, Call, Forall, Sequence, Where, assigns_within_loops


def _chain(count: int) -> Assign:
    """`R[i] += exp(A0[i] * exp(A1[i] * ...))`, with parts inside each other."""
    value = Access("A", ("i",))
    for number in range(count):
        value = Call(OPERATORS["mul"], (Access(f"A{number}", ("i",)), Call(OPERATORS["exp"], (value,))))
    return Assign(Access("R", ("i",)), OPERATORS["add"], value)


@pytest.mark.parametrize(
    "around",
    [
        lambda assign: assign,
        lambda assign: Forall("i", assign),
        lambda assign: Where(assign, assign),
        lambda assign: Sequence((assign, Forall("i", assign), assign)),
    ],
    ids=["alone", "in a loop", "with a workspace", "one after the other"],
)
def test_few_ways_of_many_are_made(around, monkeypatch):
    count_calls(monkeypatch, its, "_parts", 1000)
    found = its.groupings([around(_chain(12))], "f64", 10)
    assert len(found.programs) == found.made and not found.complete
    # Four assignments for each of the ten, and no program that begins after these.
    assigns = [len(list(assigns_within_loops(program))) for program in found.programs]
    assert sum(assigns[:-1]) < 40 <= sum(assigns) and found.made < 10
    assert its.groupings([around(_chain(1))], "f64", 10) == its.groupings([around(_chain(1))], "f64")


@pytest.mark.parametrize("count", [1, 2, 3])
def test_all_ways_of_statements_beside_each_other(count):
    """Each way of one with each of the other."""
    alone = its.groupings([_chain(count)], "f64")
    beside = its.groupings([Sequence((_chain(count), _chain(count)))], "f64")
    assert beside.complete and beside.made == alone.made**2
