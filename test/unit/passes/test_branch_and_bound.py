"""Branch and bound finds the programs of least cost that a search through all programs does."""

import random
from collections import Counter
from dataclasses import replace

import pytest
from schedule_kernels import CHAIN, KERNELS, kernel

from irtensor.core.diagnostics import UserError
from irtensor.core.operators import OPERATORS
from irtensor.dialects.concrete_index.protocols import LOCATE, STEP
from irtensor.passes.autoschedule.expression_trees import statement_trees
from irtensor.passes.autoschedule.groupings import groupings
from irtensor.passes.autoschedule.kernel import Kernel
from irtensor.passes.autoschedule.loop_orders import LoopOrders
from irtensor.passes.autoschedule.name_workspaces import name_workspaces
from irtensor.passes.autoschedule.papers.counted_options import CountedOptions
from irtensor.passes.autoschedule.papers.counted_search import CountedSearch
from irtensor.passes.autoschedule.papers.protocol_choices import protocol_choices
from irtensor.passes.autoschedule.parse_program import parse_program
from irtensor.passes.autoschedule.predicates import Predicates
from irtensor.passes.autoschedule.protocols import (
    free_choice,
    free_modes,
    with_free_protocols,
    with_protocol,
)
from irtensor.passes.autoschedule.push_loops import LoopPlacement
from irtensor.passes.autoschedule.search_options import MOST_TREES
from irtensor.passes.autoschedule.statements import (
    Access,
    Assign,
    Call,
    loops_over,
    reads_within_loops,
    text_of,
    without_protocols,
)
from irtensor.passes.autoschedule.task_interpreter import TaskInterpreter
from irtensor.passes.autoschedule.task_sets import TaskSets

EXACT, PROPAGATED = CountedOptions(propagate=False), CountedOptions()
FILLED = CountedOptions(filled=True)
PUBLISHED = CountedOptions(scoped=False, propagate=False, published_modes=True)
# Classes of the frontier: how many programs each has, and how many classes have as many.
BOUNDED = [
    (PROPAGATED, "SpMV2", {28: 1}),
    (PROPAGATED, "SpGEMM", {12: 1}),
    (PROPAGATED, "SpGEMM2", {4: 2}),
    (PROPAGATED, "SDDMM", {796: 1}),
    (PROPAGATED, "SpGEMMH", {388: 1}),
    (EXACT, "SDDMM", {716: 1}),
    (EXACT, "SpGEMM2", {4: 2}),
    (EXACT, "SpGEMMH", {292: 1}),
    (FILLED, "SpMV2", {28: 1}),
    (FILLED, "SpGEMM", {12: 1}),
    (FILLED, "SpGEMM2", {154: 2}),
    (FILLED, "SDDMM", {796: 1}),
    (PUBLISHED, "SpGEMM", {12: 1}),
    (PUBLISHED, "SpGEMM2", {2: 2, 144: 2}),
    pytest.param(EXACT, "SpMTTKRP", {5: 2, 10: 2, 42: 2, 80: 2, 117: 2}, marks=pytest.mark.exhaustive),
    pytest.param(PROPAGATED, "SpMTTKRP", {17: 2, 34: 2, 68: 2, 132: 2, 184: 2}, marks=pytest.mark.exhaustive),
]


@pytest.mark.one_in(8)
@pytest.mark.parametrize(("options", "name", "sizes"), BOUNDED)
def test_branch_and_bound_finds_the_frontier(options, name, sizes):
    """The programs of least cost without the costs of all; classes, of which there are as many of each size."""
    found = CountedSearch(kernel(*KERNELS[name]), replace(options, exhaustive=False))
    assert Counter(map(len, found.least.values())) == sizes
    assert found.complete
    assert found.compared < max(200, found.count("universe"))
    assert "distinct_costs" not in found.counts()


# A full search through the programs of this one takes ten seconds.
MANY_PROGRAMS = ("A[i,j] = B[i,j] * (C[i,j] + D[j])", "D")
STATEMENTS = [
    ("A[i,j] += B[i,k] * C[k,j]", "C"),
    ("A[i,j] += B[i,k] * C[k,l] * D[j,l]", "BD"),
    ("A[i,j] += B[i,j] + C[i,j] - D[i,j]", ""),
    ("a[i] max= B[i,j] * c[j]", ""),
    ("a[i] += B[i,j] * C[j,k] * d[k]", "C"),
    ("a += B[i,j] * C[j,i]", ""),
    ("A[i,j] += B[i,k] * B[k,j]", ""),
    ("A[i,j] += D[i,j] + y[j] * B[i,k]", "y"),
]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", ["SpMV2", "SpGEMM", "SpGEMM2", "SDDMM"])
@pytest.mark.parametrize("options", [PROPAGATED, FILLED])
def test_one_program_of_each_nest_and_cost(name, options):
    search = CountedSearch(kernel(*KERNELS[name]), replace(options, exhaustive=False))
    found = search.bounded(alternatives=False)
    assert found.complete and found.found.keys() == search.least.keys()
    for cost, programs in found.found.items():
        nests = [text_of(without_protocols(program)) for program in programs]
        assert len({*nests}) == len(nests)
        assert {*nests} == {text_of(without_protocols(program)) for program in search.least[cost]}
    assert found.costed < search.compared


@pytest.mark.one_in(16)
@pytest.mark.parametrize("propagate", [False, True])
@pytest.mark.parametrize(("text", "dense"), [*STATEMENTS, pytest.param(*MANY_PROGRAMS, marks=pytest.mark.thorough)])
def test_branch_and_bound_finds_what_a_full_search_does(text, dense, propagate):
    one, options = kernel(text, dense), CountedOptions(propagate=propagate)
    full, bounded = CountedSearch(one, options), CountedSearch(one, replace(options, exhaustive=False))
    assert {*bounded.programs("frontier")} == {*full.programs("frontier")}
    assert bounded.count("classes") == full.count("classes")


@pytest.mark.one_in(4)
@pytest.mark.parametrize("propagate", [False, True])
@pytest.mark.parametrize(("text", "dense"), [*KERNELS.values(), *STATEMENTS, MANY_PROGRAMS])
def test_no_program_costs_less_than_what_is_left_open_in_it(text, dense, propagate):
    """The costs by which programs are left out are among those of all that they become."""
    one = kernel(text, dense)
    draw = random.Random(text)
    task_sets = TaskSets(Predicates(), {})
    interpreter = TaskInterpreter(task_sets, one.fill_values, propagate=propagate)
    placement = LoopPlacement(groupings(statement_trees(one.program), one.element)[0], one.indices, one.element)
    programs = list(placement.programs(9))
    for program in draw.sample(programs, min(30, len(programs))):
        program = name_workspaces(program, one.tensors)
        least = task_sets.union(interpreter.tasks(with_free_protocols(program, free_choice(one.dense)), ordered=False))
        node = with_free_protocols(draw.choice(list(LoopOrders(program))), free_choice(one.dense))
        while True:
            cost = task_sets.union(interpreter.tasks(node))
            assert task_sets.contains(cost, least), text_of(node)
            places = free_modes(node)
            if not places:
                break
            least, node = cost, with_protocol(node, draw.choice(places), draw.choice((STEP, LOCATE)))


@pytest.mark.parametrize("exhaustive", [False, True])
def test_costs_that_are_written_differently_are_one(exhaustive):
    """All indices run over one dimension, so that rows and columns of the same matrix are gone along alike."""
    access = {name: Access(name[0], tuple(name[1:])) for name in ("Aij", "Bik", "Bkj")}
    product = Call(OPERATORS["mul"], (access["Bik"], access["Bkj"]))
    kernel = Kernel(Assign(access["Aij"], OPERATORS["add"], product), dimensions=dict.fromkeys("ijk", "i"))
    search = CountedSearch(kernel, CountedOptions(exhaustive=exhaustive))
    assert search.counts()["classes"] == 1
    (programs,) = search.least.values()
    assert len({search.cost(program) for program in programs}) == 2


@pytest.mark.parametrize("budget", [1, 10, 92, 300, 2000])
def test_a_budget_of_work(budget):
    """Something is found at any budget, and the frontier if that is enough."""
    found = CountedSearch(kernel(*KERNELS["SpGEMM2"]), CountedOptions(budget=budget))
    assert found.count("frontier") > 0
    assert found.compared <= budget + 30
    assert found.complete == (budget == 2000)
    assert not found.complete or (found.count("frontier"), found.count("classes")) == (8, 2)


def test_a_search_below_a_cost():
    """One program that costs less than another, and than which nothing costs less; or nothing."""
    search = CountedSearch(kernel(*KERNELS["SpGEMM2"]), CountedOptions(exhaustive=False))
    costs = list(search.least)
    fused = "ijkl"
    nest = loops_over(tuple(fused), search.programs("groupings")[0])
    cost = search.cost(next(iter(protocol_choices(nest, free_choice(())))))
    below = search.bounded(below=cost)
    assert below.complete
    ((less, programs),) = below.found.items()
    assert less in costs and len(programs) == 1
    assert search.task_sets.contains(cost, less) and not search.task_sets.contains(less, cost)
    assert not search.bounded(below=less).found


@pytest.mark.thorough
def test_products_of_four():
    """Whatever reads a temporary is in the loops that its value depends on, also through another temporary."""
    search = CountedSearch(kernel(CHAIN), CountedOptions(exhaustive=False, budget=1000))
    nests = [*search.programs("pushed")[::7], *search.programs("frontier")]
    assert len(nests) > 1000
    for nest in nests:
        assert all(set(read.indices) <= set(loops) for read, loops in reads_within_loops(nest)), text_of(nest)
    assert not search.complete and search.compared == 1001


@pytest.mark.one_in(4)
@pytest.mark.parametrize("text", [CHAIN, *(text for text, _ in (*KERNELS.values(), *STATEMENTS, MANY_PROGRAMS))])
def test_programs_are_read_as_they_are_written(text):
    search = CountedSearch(kernel(text), CountedOptions(exhaustive=False, budget=500))
    for program in [*search.programs("frontier"), *search.programs("groupings")]:
        assert text_of(parse_program(text_of(program), "ijklm")) == text_of(program)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("forall iq: a[i] = b[i]", "'iq' after forall is not an index variable; use i, j, k, in"),
        ("forall i: (a = w", "a parenthesis is not closed, in"),
        ("(a = w) when (w = b[i])", "expected 'where (...)' after parentheses, found 'when (w = b[i])', in"),
        ("(a = w) where (w = b[i]) b", "expected the end after 'where (...)', found 'b', in"),
        ("forall i: a[i]", "expected an assignment such as a[i] += b[i], found 'a[i]', in"),
        ("a[i] ?= b[i]", "'?=' is not a reduction, in"),
        ("a[i] += b[s(q)]", "b has an index 'q', which is none of i, j, k, in"),
    ],
)
def test_programs_that_cannot_be_read(text, message):
    with pytest.raises(UserError) as raised:
        parse_program(text, "ijk")
    assert raised.value.message == f"{message} '{text}'"


@pytest.mark.parametrize(
    "text",
    [
        "A[i,j] = (B[i,j] + C[i,j]) * (D[i,j] - E[i,j])",
        "A[k,i,j,l] = (0.5 * B[l,i]) * (C[j] - D[l,j,i,k])",
        "A[i] = (B[i] - 1) * (C[i] + 2) * (D[i] + 3)",
    ],
)
def test_of_very_many_programs_some_are_searched(text):
    """As products distribute over sums, there are millions, which are not even counted."""
    found = CountedSearch(kernel(text), CountedOptions(budget=40, exhaustive=False))
    programs = [program for programs in found.least.values() for program in programs]
    assert programs and not found.complete and found.compared < 150
    assert all(found.has(program) for program in programs[:1])


def test_trees_that_are_left_out_leave_a_search_open():
    """Two operands and four numbers have 945 trees, most of which are never made into programs."""
    found = CountedSearch(kernel("A[i] = 2 * B[i] * 3 * C[i] * 4 * 5"), CountedOptions(exhaustive=False))
    assert len(found.trees) == MOST_TREES and found.least and not found.complete
