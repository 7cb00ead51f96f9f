"""The search for the programs of least asymptotic cost that compute a statement (Ahrens 2022, section 7)."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from irtensor.passes.autoschedule.kernel import Kernel
from irtensor.passes.autoschedule.loop_nests import loop_nests
from irtensor.passes.autoschedule.predicates import Predicates
from irtensor.passes.autoschedule.protocols import count_choices, free_choice, protocol_choices
from irtensor.passes.autoschedule.published_modes import with_published_modes
from irtensor.passes.autoschedule.search_options import SearchOptions
from irtensor.passes.autoschedule.statements import Statement
from irtensor.passes.autoschedule.taco_subset import TacoSubset
from irtensor.passes.autoschedule.task_interpreter import TaskInterpreter
from irtensor.passes.autoschedule.task_sets import Cost, Query, TaskSets, frontier

# The programs that are made of one loop nest are there only while they are looked at.
_Family = Callable[[], list[Statement]]


@dataclass
class Search:
    """How many programs each stage of a search leaves, and the programs of least cost, which may be incomparable.

    `counts` has, in the order of the stages: trees whose arguments are in any order, and in one; groupings, and with
    duplicates; programs with loops pushed into them, with their loops in all orders, those of least depth; what each
    restriction of `TacoSubset` leaves, if they are asked for; programs with all protocols; different costs, programs
    of least cost, and of how many costs these are.
    """

    counts: dict[str, int]
    depths: dict[int, int]
    least: dict[Cost, list[Statement]]


def search(kernel: Kernel, options: SearchOptions = SearchOptions()) -> Search:
    """All programs of least cost, with the number of programs after each stage."""
    nests, counts, depths = loop_nests(kernel, empty_push=options.empty_push)
    families, more = _families(kernel, options, nests)
    task_sets = TaskSets(Predicates(), {index: kernel.dimension(index) for index in kernel.indices})
    members = _by_cost(kernel, options, families, task_sets)
    least = {cost: _programs(families, members[cost]) for cost in frontier(task_sets, members)}
    counts |= more
    counts["distinct_costs"] = len(members)
    counts["frontier"] = sum(map(len, least.values()))
    counts["classes"] = len(least)
    return Search(counts, depths, least)


def _families(kernel: Kernel, options: SearchOptions, nests: list[Statement]) -> tuple[list[_Family], dict[str, int]]:
    """The programs that loop nests become by protocols, and how many there are."""
    if options.published_modes:
        nests = list(map(with_published_modes, nests))
    if options.taco:
        programs, counts = TacoSubset(kernel.operands, kernel.dense, options.stepped).programs(nests)
        counts["distinct"] = len({*programs})
        programs = programs if options.repeated else list(dict.fromkeys(programs))
        return [lambda: programs], {**counts, "universe": len(programs)}
    choices = free_choice(kernel.dense)
    count = sum(count_choices(nest, choices) for nest in nests)
    return [partial(protocol_choices, nest, choices) for nest in nests], {"universe": count}


def _by_cost(
    kernel: Kernel, options: SearchOptions, families: list[_Family], task_sets: TaskSets
) -> dict[Cost, array[int]]:
    """The places of all programs in their families, by cost.

    To read the inputs once and to go through the dimensions once costs nothing, and no input is empty (section 6.2).
    """
    fills = {name: kernel.fills.get(name, 0) for name in kernel.sparse}
    interpreter = TaskInterpreter(task_sets, fills, scoped=options.scoped, propagate=options.propagate)
    dimensions = sorted({kernel.dimension(index) for index in kernel.indices})
    known: dict[frozenset[Query], Cost] = {}
    members: dict[Cost, array[int]] = {}
    for number, family in enumerate(families):
        for place, program in enumerate(family()):
            tasks = interpreter.tasks(program)
            cost = known.get(tasks)
            if cost is None:
                simplified = task_sets.union(tasks)
                cost = known[tasks] = task_sets.with_assumptions(simplified, kernel.sparse, dimensions)
            members.setdefault(cost, array("q")).extend((number, place))
    return members


def _programs(families: list[_Family], places: array[int]) -> list[Statement]:
    """The programs at some places; there may be too many programs to keep them all."""
    pairs = list(zip(places[::2], places[1::2], strict=True))
    found = {number: families[number]() for number in {number for number, _ in pairs}}
    return [found[number][place] for number, place in pairs]
