"""The search for the programs of least asymptotic cost that compute a statement (Ahrens 2022, section 7)."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from functools import cached_property, partial

from irtensor.passes.autoschedule.expression_trees import count_ordered, statement_trees
from irtensor.passes.autoschedule.groupings import groupings
from irtensor.passes.autoschedule.kernel import Kernel
from irtensor.passes.autoschedule.name_workspaces import index_workspaces, name_workspaces
from irtensor.passes.autoschedule.predicates import Predicates
from irtensor.passes.autoschedule.protocols import count_choices, free_choice, outermost_choice, protocol_choices
from irtensor.passes.autoschedule.published_modes import with_published_modes
from irtensor.passes.autoschedule.push_loops import LoopPlacement, loop_orders
from irtensor.passes.autoschedule.search_options import SearchOptions
from irtensor.passes.autoschedule.statements import Statement, bound
from irtensor.passes.autoschedule.taco_subset import TacoSubset
from irtensor.passes.autoschedule.task_interpreter import TaskInterpreter
from irtensor.passes.autoschedule.task_sets import MOST_KNOWN, Assumptions, Cost, Query, TaskSets, frontier

# The programs that are made of one loop nest are there only while they are looked at.
_Family = Callable[[], list[Statement]]

# What is counted, in the order of the stages. Names are those of the research notes on the paper.
STAGES = (
    "ordered_trees",
    "trees",
    "groupings_raw",
    "groupings",
    "pushed",
    "permuted",
    "min_depth",
    "workspace_rank",
    "protocolized",
    "one_insert",
    "formattable",
    "distinct",
    "universe",
    "distinct_costs",
    "frontier",
    "classes",
)
TACO_STAGES = ("workspace_rank", "protocolized", "one_insert", "formattable", "distinct")


class Search:
    """The stages of a search, each of which runs when it is asked for.

    `progress` is told after each loop nest how many of all programs have been looked at.
    """

    def __init__(
        self,
        kernel: Kernel,
        options: SearchOptions = SearchOptions(),
        progress: Callable[[int], None] = lambda done: None,
    ) -> None:
        self.kernel = kernel
        self.options = options
        self.task_sets = TaskSets(Predicates(), {index: kernel.dimension(index) for index in kernel.indices})
        self._interpreter = TaskInterpreter(
            self.task_sets, kernel.fill_values, scoped=options.scoped, propagate=options.propagate
        )
        self._progress = progress

    def counts(self, last: str = "classes") -> dict[str, int]:
        """How many programs there are after each stage up to one; restrictions count where they apply.

        Trees are counted with their arguments in any order and in one, groupings with duplicates and without.
        """
        names = STAGES[: STAGES.index(last) + 1]
        return {name: self.count(name) for name in names if self.options.taco or name not in TACO_STAGES}

    def count(self, stage: str) -> int:
        """How many programs there are after one stage."""
        match stage:
            case "ordered_trees":
                return sum(map(count_ordered, self.trees))
            case "groupings_raw":
                return self._groupings[1]
            case "permuted":
                return sum(self.depths.values())
            case "universe":
                return self._families[1]["universe"]
            case "distinct_costs":
                return len(self._members)
            case "frontier":
                return sum(map(len, self.least.values()))
            case "classes":
                return len(self.least)
            case "groupings":
                return len(self._groupings[0])
            case "pushed":
                return sum(self._placement.by_depth()[0].values())
            case _:
                return self._families[1][stage] if stage in TACO_STAGES else len(self.programs(stage))

    def programs(self, stage: str) -> list[Statement]:
        """The programs after a stage; before the last, only the loop nests of those with protocols, which are many."""
        match stage:
            case "trees" | "ordered_trees":
                return self.trees
            case "groupings" | "groupings_raw":
                return self._named(self._groupings[0])
            case "pushed" | "permuted":
                return self._named(self._placement.programs(max(self.depths)))
            case "frontier" | "classes":
                return [program for programs in self.least.values() for program in programs]
            case _:
                return self.nests

    @cached_property
    def trees(self) -> list[Statement]:
        """The statement with all trees of its values."""
        return statement_trees(self.kernel.program)

    @cached_property
    def _groupings(self) -> tuple[list[Statement], int]:
        return groupings(self.trees)

    @cached_property
    def _placement(self) -> LoopPlacement:
        around = self.kernel.indices - bound(self.kernel.program)
        return LoopPlacement(self._groupings[0], around, empty_push=self.options.empty_push)

    @cached_property
    def depths(self) -> dict[int, int]:
        """How many programs there are of each depth, with their loops in all orders."""
        return dict(self._placement.by_depth()[1])

    @cached_property
    def nests(self) -> list[Statement]:
        """The programs of least depth with their loops in all orders."""
        shallow = self._placement.programs(min(self.depths))
        ordered = dict.fromkeys(index_workspaces(nest) for program in shallow for nest in loop_orders(program))
        return self._named(ordered)

    def _named(self, programs: Iterable[Statement]) -> list[Statement]:
        return [name_workspaces(program, self.kernel.tensors) for program in programs]

    @cached_property
    def _families(self) -> tuple[list[_Family], dict[str, int]]:
        """The programs that loop nests become by protocols, and how many there are."""
        nests = list(map(with_published_modes, self.nests)) if self.options.published_modes else self.nests
        if self.options.taco:
            subset = TacoSubset(self.kernel.tensors, self.kernel.dense, self.options.stepped)
            programs, counts = subset.programs(nests)
            counts["distinct"] = len({*programs})
            programs = programs if self.options.repeated else list(dict.fromkeys(programs))
            return [lambda: programs], {**counts, "universe": len(programs)}
        choices = free_choice(self.kernel.dense)
        count = sum(count_choices(nest, choices) for nest in nests)
        if count <= self.options.budget:
            return [partial(protocol_choices, nest, choices) for nest in nests], {"universe": count}
        choices, budget = outermost_choice(self.kernel.dense), self.options.budget
        some = _evenly(nests, budget)
        of_each = budget // len(some)
        return [lambda nest=nest: _evenly(protocol_choices(nest, choices), of_each) for nest in some], {
            "universe": count
        }

    @cached_property
    def _members(self) -> dict[Cost, array[int]]:
        """The places of all programs in their families, by cost."""
        known: dict[frozenset[Query], Cost] = {}
        members: dict[Cost, array[int]] = {}
        done = 0
        for number, family in enumerate(self._families[0]):
            programs = family()
            for place, program in enumerate(programs):
                tasks = self._interpreter.tasks(program)
                cost = known.get(tasks)
                if cost is None:
                    cost = known[tasks] = self._compared(tasks)
                members.setdefault(cost, array("q")).extend((number, place))
            self._interpreter.limit_memory()
            self.task_sets.limit_memory()
            if len(known) > MOST_KNOWN:
                known.clear()
            done += len(programs)
            self._progress(done)
        return members

    @cached_property
    def least(self) -> dict[Cost, list[Statement]]:
        """The programs of least cost, which may be incomparable, by cost."""
        return {cost: self._found(self._members[cost]) for cost in frontier(self.task_sets, self._members)}

    @property
    def compared(self) -> int:
        """How many programs costs were compared of: all, or as many as the budget allows."""
        return sum(map(len, self._members.values())) // 2

    def tasks(self, program: Statement) -> Cost:
        """The cost of a program with nothing paid for."""
        return self.task_sets.union(self._interpreter.tasks(program))

    def _compared(self, tasks: frozenset[Query]) -> Cost:
        """A cost as it is compared: to read the inputs once and to go through the dimensions once costs nothing, and
        no input is empty (section 6.2)."""
        return self.task_sets.with_assumptions(self.task_sets.union(tasks), self._assumptions)

    @cached_property
    def _assumptions(self) -> Assumptions:
        dimensions = sorted({self.kernel.dimension(index) for index in self.kernel.indices})
        return self.task_sets.assumptions(self.kernel.sparse, dimensions)

    def _found(self, places: array[int]) -> list[Statement]:
        """The programs at some places; there may be too many programs to keep them all."""
        pairs = list(zip(places[::2], places[1::2], strict=True))
        families = self._families[0]
        found = {number: families[number]() for number in {number for number, _ in pairs}}
        return [found[number][place] for number, place in pairs]


def _evenly(programs: list[Statement], most: int) -> list[Statement]:
    """Some of these programs, the first among them, with equally many left out between any two."""
    return programs[:: -(-len(programs) // most)]
