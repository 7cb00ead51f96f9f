"""Which costs a diagram shows, in which rows, and that lines are where nothing lies between two costs."""

import random
from itertools import combinations

import pytest
from schedule_kernels import KERNELS, kernel

from irtensor.core.operators import OPERATORS
from irtensor.passes.autoschedule.kernel import Kernel
from irtensor.passes.autoschedule.papers.cost_diagram import cost_diagram, covers, untangled
from irtensor.passes.autoschedule.papers.counted_options import CountedOptions
from irtensor.passes.autoschedule.papers.counted_search import CountedSearch
from irtensor.passes.autoschedule.statements import Access, Assign, Call
from irtensor.passes.autoschedule.task_sets import frontier


def sets(draw):
    """Different sets of numbers, some of which contain others."""
    return [*{frozenset(draw.sample(range(6), draw.randint(0, 6))) for _ in range(20)}]


@pytest.mark.parametrize("seed", range(20))
def test_lines_are_where_nothing_is_between(seed):
    draw = random.Random(seed)
    drawn = sets(draw)
    expected = {(a, b) for a in drawn for b in drawn if a < b and not any(a < c < b for c in drawn)}
    lines = covers(drawn, lambda one, other: one < other)
    assert len(lines) == len({*lines}) and {*lines} == expected


def crossings(rows, lines):
    """Pairs of lines between two rows that follow each other which cross."""
    at = {one: (row, place) for row, its in enumerate(rows) for place, one in enumerate(its)}
    ends = [(at[low], at[high]) for low, high in lines if at[high][0] == at[low][0] + 1]
    return sum(a[0][0] == b[0][0] and (a[0][1] - b[0][1]) * (a[1][1] - b[1][1]) < 0 for a, b in combinations(ends, 2))


def test_rows_are_put_in_order_such_that_lines_do_not_cross():
    """Trees can be drawn without crossings; each row has what it had."""
    lines = [(f"{a}", f"{a}{b}") for a in range(4) for b in range(3)]
    lines += [(f"{a}{b}", f"{a}{b}{c}") for a in range(4) for b in range(3) for c in range(2)]
    rows = [sorted({one for line in lines for one in line if len(one) == size}) for size in (1, 2, 3)]
    for seed in range(5):
        for row in rows:
            random.Random(seed).shuffle(row)
        found = untangled(rows, lines)
        assert crossings(rows, lines) > 20 and crossings(found, lines) == 0
        assert [sorted(row) for row in found] == [sorted(row) for row in rows]


@pytest.mark.parametrize("name", ["SpMV2", "SpGEMM"])
def test_a_diagram_of_all_costs(name):
    search = CountedSearch(kernel(*KERNELS[name]))
    diagram = cost_diagram(search.task_sets, search.costs, 100)
    assert diagram.left_out == 0 and {*diagram.costs} == {*search.costs} and len(diagram.costs) == len(search.costs)
    assert {*diagram.rows[0]} == {*search.least}
    contains = search.task_sets.contains
    less = {(a, b) for a in search.costs for b in search.costs if contains(b, a) and not contains(a, b)}
    assert {*diagram.lines} == {
        (a, b) for a, b in less if not any((a, c) in less and (c, b) in less for c in search.costs)
    }
    # The longest way down from a cost leads through each row below it.
    row_of = {cost: number for number, row in enumerate(diagram.rows) for cost in row}
    for cost, row in row_of.items():
        assert row == max((row_of[low] + 1 for low, high in diagram.lines if high is cost), default=0)


@pytest.mark.parametrize("most", [1, 5, 12, 37])
def test_the_lowest_costs_are_shown(most):
    """What is shown contains nothing that is not: lines are those of a diagram of all costs."""
    search = CountedSearch(kernel(*KERNELS["SpGEMM"]))
    whole, part = (cost_diagram(search.task_sets, search.costs, room) for room in (100, most))
    assert len(part.costs) == most and part.left_out == len(search.costs) - most
    assert {*part.lines} == {line for line in whole.lines if {*line} <= {*part.costs}}
    assert [{*row} for row in part.rows[:-1]] == [{*row} for row in whole.rows[: len(part.rows) - 1]]
    *_, last = part.rows
    others = {*whole.rows[len(part.rows) - 1]} - {*last}
    assert min(search.costs[cost] for cost in last) >= max((search.costs[cost] for cost in others), default=0)


def test_all_least_costs_are_shown():
    search = CountedSearch(kernel(*KERNELS["SpMTTKRP"]), CountedOptions(taco=True))
    diagram = cost_diagram(search.task_sets, search.costs, 5)
    assert [len(row) for row in diagram.rows] == [13] and diagram.left_out == len(search.costs) - 13


def test_costs_of_a_search():
    """Each has as many programs as cost that; with branch and bound, the least costs are known."""
    full = CountedSearch(kernel(*KERNELS["SpGEMM"]))
    assert sum(full.costs.values()) == full.count("universe") == full.compared
    assert all(full.cost(full.program_of(cost)) == cost for cost in full.costs)
    bounded = CountedSearch(kernel(*KERNELS["SpGEMM"]), CountedOptions(exhaustive=False))
    assert bounded.costs == {cost: len(programs) for cost, programs in bounded.least.items()}
    assert all(bounded.cost(bounded.program_of(cost)) == cost for cost in bounded.costs)


def test_costs_that_contain_each_other_are_one():
    """Of the square of a matrix, the paths of two entries can be named from either end."""
    product = Call(OPERATORS["mul"], (Access("B", ("i", "k")), Access("B", ("k", "j"))))
    square = Kernel(Assign(Access("A", ("i", "j")), OPERATORS["add"], product), dimensions=dict.fromkeys("ijk", "i"))
    search = CountedSearch(square)
    sets = search.task_sets
    assert len(frontier(sets, search.costs)) == 2
    diagram = cost_diagram(sets, search.costs, 100)
    assert len(diagram.rows[0]) == 1
    assert not any(sets.are_equal(*pair) for pair in combinations(diagram.costs, 2))
    assert sum(diagram.programs.values()) == sum(search.costs.values())
