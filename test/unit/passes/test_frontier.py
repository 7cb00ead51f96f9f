"""The programs of least cost are those that must be among them, whatever things are named and in which order.

Sources: Ahrens 2022 (PLDI), Figure 8 and section 6; research notes on the paper, section 7.
"""

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import permutations, product

import pytest
from schedule_kernels import INDICES, KERNELS, kernel

from benchmarks.published_speedups import PUBLISHED
from irtensor.passes.autoschedule.given_program import given_program
from irtensor.passes.autoschedule.kernel import Kernel
from irtensor.passes.autoschedule.papers.counted_options import CountedOptions
from irtensor.passes.autoschedule.papers.counted_search import CountedSearch
from irtensor.passes.autoschedule.papers.protocol_choices import protocol_choices
from irtensor.passes.autoschedule.papers.taco_subset import TacoSubset
from irtensor.passes.autoschedule.parse_program import parse_program
from irtensor.passes.autoschedule.protocols import free_choice
from irtensor.passes.autoschedule.statements import (
    Access,
    Assign,
    Call,
    Forall,
    Statement,
    Where,
    depth,
    flattened,
    map_accesses,
    map_expressions,
    reads,
    text_of,
    without_protocols,
)
from irtensor.passes.autoschedule.task_sets import frontier

EXACT, PROPAGATED = CountedOptions(propagate=False), CountedOptions()
FILLED = CountedOptions(filled=True)
TACO = replace(EXACT, taco=True)


def in_one_order(program: Statement) -> Statement:
    """A program whose factors are in the order that the search gives them."""
    return map_expressions(program, flattened)


def moved(program: Statement, names: Mapping[str, str], tensors: Mapping[str, str], into: Kernel) -> Statement:
    """A program for another kernel: with other index variables and tensors, whose modes are in the order that they have
    there; those of workspaces are in the order of the alphabet."""
    orders = {access.tensor: access.indices for access in (into.target, *reads(into.program))}

    def access_of(access: Access) -> Access:
        tensor = tensors.get(str(access.tensor), access.tensor)
        indices = [names[index] for index in access.indices]
        order = orders.get(tensor, tuple(sorted(indices)))
        protocols = dict(zip(indices, access.protocols, strict=False))
        return Access(tensor, order, tuple(protocols[index] for index in order if index in protocols))

    def statement_of(statement: Statement) -> Statement:
        match statement:
            case Forall(variable, body):
                return Forall(names[variable], statement_of(body))
            case Where(consumer, producer):
                return Where(statement_of(consumer), statement_of(producer))
            case Assign(target, operator, value):
                return Assign(access_of(target), operator, map_accesses(value, access_of))
            case _:
                raise AssertionError(text_of(statement))

    return in_one_order(statement_of(program))


def classes(costs: Iterable[Iterable[Statement]]) -> Counter[frozenset[Statement]]:
    """The programs of each cost."""
    return Counter(frozenset(map(in_one_order, programs)) for programs in costs)


def costs_less(search: CountedSearch, program: Statement, other: Statement) -> bool:
    """Whether one program has some of the tasks of another one, and no others."""
    cost, more = search.cost(program), search.cost(other)
    return search.task_sets.contains(more, cost) and not search.task_sets.contains(cost, more)


# What a statement becomes itself by: other index variables, other tensors.
SYMMETRIES = {
    "SpMTTKRP": ("kl lk", "CD DC"),
    "SpGEMM": ("ij ji", "BC CB"),
    "SpGEMM2": ("ij ji kl lk", "BD DB"),
    "SpGEMMH": ("", "CD DC"),
    "SDDMM": ("ij ji", "BC CB"),
}


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("SpGEMM", PROPAGATED),
        ("SpGEMM2", EXACT),
        ("SpGEMM2", PROPAGATED),
        ("SpGEMM2", FILLED),
        ("SpGEMMH", replace(PROPAGATED, exhaustive=False)),
        ("SDDMM", PROPAGATED),
        *((name, TACO) for name in SYMMETRIES),
        pytest.param("SpMTTKRP", EXACT, marks=pytest.mark.exhaustive),
        pytest.param("SpMTTKRP", PROPAGATED, marks=pytest.mark.exhaustive),
    ],
)
def test_what_exchanges_operands_exchanges_least_programs(name, options):
    """For SpMTTKRP, k and C are for the one factor what l and D are for the other."""
    assert exchanges_its_least_programs(name, options)


def test_the_published_search_takes_one_factor_for_the_other():
    """It took other modes for those of an operand that has three."""
    assert not exchanges_its_least_programs("SpMTTKRP", replace(TACO, published_modes=True))


def exchanges_its_least_programs(name: str, options: CountedOptions) -> bool:
    one = kernel(*KERNELS[name])
    names, tensors = ({pair[0]: pair[1] for pair in text.split()} for text in SYMMETRIES[name])
    least = CountedSearch(one, options).least.values()
    same = {index: index for index in one.indices}
    before = classes([moved(program, same, {}, one) for program in programs] for programs in least)
    return before == classes([moved(program, same | names, tensors, one) for program in programs] for programs in least)


# Loops of the programs for taco, and how many there are of each; the others are what these become by the exchange.
LOOPS = {
    "forall iklj: A[i,j] += B[i,k,l] * C[j,k] * D[j,l]": 4,
    "forall jkli: A[i,j] += B[i,k,l] * C[j,k] * D[j,l]": 3,
    "forall jkil: A[i,j] += B[i,k,l] * C[j,k] * D[j,l]": 2,
    "forall ji: ((forall k: A[i,j] += C[j,k] * w[k]) where (forall lk: w[k] += B[i,k,l] * D[j,l]))": 1,
    "forall ilkj: A[i,j] += B[i,k,l] * C[j,k] * D[j,l]": 4,
    "forall jlki: A[i,j] += B[i,k,l] * C[j,k] * D[j,l]": 3,
    "forall jlik: A[i,j] += B[i,k,l] * C[j,k] * D[j,l]": 2,
    "forall ji: ((forall l: A[i,j] += D[j,l] * w[l]) where (forall kl: w[l] += B[i,k,l] * C[j,k]))": 1,
}


def test_programs_for_taco_of_a_product_with_three_modes():
    """Six orders of loops without a workspace, and two that sum into one of a single mode first."""
    programs = CountedSearch(kernel(*KERNELS["SpMTTKRP"]), TACO).programs("frontier")
    assert len({*programs}) == len(programs) == 20
    assert Counter(text_of(without_protocols(program)) for program in programs) == LOOPS


FUSED = "forall {}: A[i,j] += B[i,k] * C[k,j] * D[s(i),s(j)]"
UNFUSED = "(forall {}: A[i,j] += D[{}] * w[{}]) where (forall {}: w[i,j] += B[i,k] * C[k,j])"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("options", [EXACT, PROPAGATED, FILLED, TACO])
def test_a_product_is_only_computed_where_it_is_sampled(options):
    search = CountedSearch(kernel(*KERNELS["SDDMM"]), options)
    programs = {*map(in_one_order, search.programs("frontier"))}
    for loops in ("ijk", "jik"):
        assert in_one_order(parse_program(FUSED.format(loops), INDICES)) in programs


@pytest.mark.one_in(2)
@pytest.mark.parametrize("options", [EXACT, PROPAGATED, FILLED, TACO])
def test_a_product_is_not_computed_where_it_is_not_sampled(options):
    """It takes no more loops inside of each other, but they go to where there is nothing to multiply with."""
    search = CountedSearch(kernel(*KERNELS["SDDMM"]), options)
    found = {text_of(without_protocols(program)) for program in search.programs("frontier")}
    fused = parse_program(FUSED.format("ijk"), INDICES)
    for around, inside in product(("ij", "ji"), map("".join, permutations("ijk"))):
        program = fused
        for protocols in product("sl", repeat=4):
            marks = [f"{protocol}({index})" for protocol, index in zip(protocols, "ijij", strict=True)]
            text = UNFUSED.format(around, ",".join(marks[:2]), ",".join(marks[2:]), inside)
            program = parse_program(text, INDICES)
            assert search.has(program) and depth(program) == search.least_depth
            assert costs_less(search, fused, program)
        assert text_of(without_protocols(program)) not in found


# The schedules that were chosen (Figure 8), their factors in the order of the statement. Each mode of a tensor is
# written where the statement has it, not where the figure stores it: there, A of SpMTTKRP and SpGEMMH is permuted, B of
# both, C of SpGEMM and D of SpGEMMH, and locating comes first.
FIGURE_8 = {name: published.program for name, published in PUBLISHED.items()}


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    ("name", "options"),
    [
        *((name, TACO) for name in FIGURE_8),
        *((name, replace(FILLED, taco=True)) for name in FIGURE_8),
        *((name, options) for name in ("SpMV", "SpMV2", "SpGEMM") for options in (EXACT, PROPAGATED, FILLED)),
        ("SpGEMMH", replace(PROPAGATED, exhaustive=False)),
    ],
)
def test_schedules_that_were_chosen_cost_least(name, options):
    """They were chosen among the programs that taco can run; four of them cost least of all programs."""
    search = CountedSearch(kernel(*KERNELS[name]), options)
    program = given_program(FIGURE_8[name], search)
    assert in_one_order(program) in map(in_one_order, search.least[search.cost(program)])


# What taco cannot run: in both, the innermost loops store into the result in no order at all.
BETTER = {
    "SpGEMM2": "forall l: ((forall ij: A[i,j] += w[s(i)] * D[s(j),s(l)]) where "
    "(forall ki: w[i] += B[s(i),l(k)] * C[s(k),s(l)]))",
    "SpMTTKRP": "forall kjli: A[i,j] += B[s(i),s(k),l(l)] * C[s(j),s(k)] * D[l(j),s(l)]",
}


@pytest.mark.parametrize("name", BETTER)
@pytest.mark.parametrize("options", [EXACT, PROPAGATED])
def test_chosen_schedules_that_only_cost_least_for_taco(name, options):
    """With l or k outermost, what is stepped through is passed over where another operand has nothing in the slice."""
    search = CountedSearch(kernel(*KERNELS[name]), options)
    chosen, better = (given_program(programs[name], search) for programs in (FIGURE_8, BETTER))
    assert depth(better) == depth(chosen) == search.least_depth
    assert costs_less(search, better, chosen)
    subset = TacoSubset(search.kernel.tensors, search.kernel.dense)
    assert better not in subset.programs([without_protocols(better)])[0]
    assert chosen in subset.programs([without_protocols(chosen)])[0]


def test_a_chosen_schedule_visits_rows_for_which_there_is_nothing():
    """Where an empty row of B is known to make the workspace empty, to step through its rows passes over those of D."""
    chosen = FIGURE_8["SpGEMM2"]
    stepped = chosen.replace("B[l(i)", "B[s(i)")
    programs = [parse_program(text, INDICES) for text in (stepped, chosen)]
    one = kernel(*KERNELS["SpGEMM2"])
    assert costs_less(CountedSearch(one, PROPAGATED), *programs)
    for options in (EXACT, FILLED):
        assert not costs_less(CountedSearch(one, options), *programs)


def all_programs(search: CountedSearch) -> list[Statement]:
    """The programs of least depth with all protocols."""
    choices = free_choice(search.kernel.dense)
    return [program for nest in search.nests for program in protocol_choices(nest, choices)]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["SpMV2", "SpGEMM", "SDDMM"])
@pytest.mark.parametrize("options", [PROPAGATED, replace(PROPAGATED, scoped=False)])
def test_the_frontier_is_what_nothing_beats_in_any_order(name, options):
    search = CountedSearch(kernel(*KERNELS[name]), options)
    costs = [*{search.cost(program) for program in all_programs(search)}]
    contains = search.task_sets.contains
    least = {one for one in costs if not any(contains(one, other) and not contains(other, one) for other in costs)}
    draw = random.Random(name)
    for _ in range(20):
        draw.shuffle(costs)
        assert {*frontier(search.task_sets, costs)} == least


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", ["SpMV2", "SpGEMM", "SpGEMM2", "SDDMM"])
@pytest.mark.parametrize("options", [PROPAGATED, FILLED])
def test_branch_and_bound_finds_the_same_in_any_order(name, options):
    search = CountedSearch(kernel(*KERNELS[name]), replace(options, exhaustive=False))
    draw = random.Random(name)
    for _ in range(3):
        found = search.bounded(preference=lambda program: (draw.random(),))
        assert found.complete and classes(found.found.values()) == classes(search.least.values())


def drawn_anew(one: Kernel, draw: random.Random) -> tuple[dict[str, str], Kernel]:
    """Other index variables for a kernel, and the kernel with these, with its modes and factors in other orders."""
    names = dict(zip(sorted(one.indices), draw.sample("abcdefghijklmnopqrstuvwxyz", len(one.indices)), strict=True))

    def access_of(access: Access) -> Access:
        return access._replace(indices=tuple(draw.sample([names[i] for i in access.indices], len(access.indices))))

    assert isinstance(one.program, Assign) and isinstance(one.program.value, Call)
    value = map_accesses(one.program.value, access_of)
    assert isinstance(value, Call)
    value = value._replace(arguments=tuple(draw.sample(value.arguments, len(value.arguments))))
    return names, Kernel(Assign(access_of(one.target), one.program.operator, value), one.dense)


@pytest.mark.one_in(48)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("SpMV", PROPAGATED),
        ("SpMV2", PROPAGATED),
        ("SpMV2", replace(PROPAGATED, scoped=False)),
        ("SpGEMM", PROPAGATED),
        ("SDDMM", EXACT),
        ("SpGEMM2", replace(PROPAGATED, exhaustive=False)),
        ("SpGEMM2", replace(FILLED, exhaustive=False)),
        *((name, TACO) for name in KERNELS),
    ],
)
def test_names_and_orders_do_not_matter(name, options, seed):
    """Index variables with other names, modes of all tensors and factors in other orders: the same counts after every
    stage, and the same programs with these names."""
    one = kernel(*KERNELS[name])
    names, other = drawn_anew(one, random.Random(f"{name} {seed}"))
    before, after = CountedSearch(one, options), CountedSearch(other, options)
    assert before.counts() == after.counts()
    assert before.depths == after.depths
    expected = [[moved(program, names, {}, other) for program in programs] for programs in before.least.values()]
    assert classes(expected) == classes(after.least.values())
