"""The orders of a program's loops: all of them, or some that are spread evenly."""

from itertools import permutations, product

import pytest

from irtensor.passes.autoschedule import loop_orders
from irtensor.passes.autoschedule.kernel import Kernel
from irtensor.passes.autoschedule.loop_orders import LoopOrders, some_orders
from irtensor.passes.autoschedule.parse_program import parse_program
from irtensor.passes.autoschedule.search import Search
from irtensor.passes.autoschedule.search_options import SearchOptions
from irtensor.passes.autoschedule.statements import text_of

FLAT = parse_program("forall ijk: A[i,j] += B[i,k] * C[k,j]", "ijk")
NESTED = parse_program("forall ij: (forall kl: A[i,j] += B[k] * w[l]) where (forall ml: w[l] += C[i,j,m,l])", "ijklm")


def test_orders_come_in_lexicographic_order():
    expected = [text_of(FLAT).replace("ijk", "".join(order)) for order in permutations("ijk")]
    assert [text_of(one) for one in LoopOrders(FLAT)] == expected


def test_each_group_of_loops_has_each_order():
    text = text_of(NESTED)
    ways = product(permutations("ij"), permutations("kl"), permutations("ml"))
    expected = {
        text.replace("ij:", f"{a + b}:").replace("kl:", f"{c + d}:").replace("ml:", f"{e + f}:")
        for (a, b), (c, d), (e, f) in ways
    }
    orders = LoopOrders(NESTED)
    found = [text_of(orders[number]) for number in range(len(orders))]
    assert len(found) == 8 and {*found} == expected and found[0] == text


@pytest.mark.parametrize("most", range(1, 16))
@pytest.mark.parametrize("tries", [1, 5, 14, 100])
def test_some_orders_are_different_ones(most, tries):
    found, complete = some_orders([FLAT, NESTED], lambda one: one, most, tries)
    assert len({*found}) == len(found) == min(most, tries, 14)
    assert complete == (len(found) == 14)


def test_with_all_in_sight_they_come_in_order():
    assert some_orders([FLAT, NESTED], lambda one: one, 14, 14) == ([*LoopOrders(FLAT), *LoopOrders(NESTED)], True)
    assert some_orders([], lambda one: one, 5, 5) == ([], True)


def test_what_is_left_out_counts_as_a_try():
    kept = [one for one in LoopOrders(FLAT) if text_of(one).startswith("forall k")]
    found, complete = some_orders([FLAT], lambda one: one if one in kept else None, 6, 6)
    assert {*found} == {*kept} and complete
    found, complete = some_orders([FLAT], lambda one: None, 1, 5)
    assert (found, complete) == ([], False)


def test_some_orders_are_spread_over_all():
    """Of 720 orders a few begin with each of the six loops."""
    program = parse_program("forall ijklmn: A[i,j] += B[k,l] * C[m,n]", "ijklmn")
    found, _ = some_orders([program], lambda one: one, 12, 12)
    assert {text_of(one)[len("forall ")] for one in found} == {*"ijklmn"}


def test_a_search_makes_no_more_orders_than_it_looks_at(monkeypatch):
    """A product of four operands with six indices has 190,000 nests of least depth."""
    made = []
    original = LoopOrders.__getitem__
    monkeypatch.setattr(loop_orders.LoopOrders, "__getitem__", lambda self, n: made.append(n) or original(self, n))
    program = parse_program("R[l,m,n] += T[i,j,k] * A[i,l] * B[j,m] * C[k,n]", "ijklmn")
    search = Search(Kernel(program, frozenset()), SearchOptions(budget=60)).bounded()
    assert search.found and not search.complete
    assert len(made) < 1000
