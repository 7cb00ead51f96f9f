"""The search over all programs that papers count: how many there are after each stage, and what all of them cost."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from irtensor.core.cached_property import cached_property
from irtensor.passes.autoschedule.branch_and_bound import BranchAndBound
from irtensor.passes.autoschedule.expression_trees import MANY_TREES, statement_trees
from irtensor.passes.autoschedule.groupings import Groupings, groupings
from irtensor.passes.autoschedule.kernel import Kernel
from irtensor.passes.autoschedule.loop_orders import LoopOrders
from irtensor.passes.autoschedule.papers.count_ordered import count_ordered
from irtensor.passes.autoschedule.papers.counted_options import CountedOptions
from irtensor.passes.autoschedule.papers.counted_placement import CountedPlacement
from irtensor.passes.autoschedule.papers.frontier_classes import frontier_classes
from irtensor.passes.autoschedule.papers.protocol_choices import count_choices, protocol_choices
from irtensor.passes.autoschedule.papers.published_modes import with_published_modes
from irtensor.passes.autoschedule.papers.taco_subset import TacoSubset
from irtensor.passes.autoschedule.search import Search
from irtensor.passes.autoschedule.statements import Statement, bound
from irtensor.passes.autoschedule.task_interpreter import TaskInterpreter
from irtensor.passes.autoschedule.task_sets import MOST_KNOWN, Cost, Query

# The programs that are made of one loop nest are there only while they are looked at.
_Family = Callable[[], list[Statement]]

# The counters, in the order of the stages. Names are those of the research notes on the paper.
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
AFTER_COSTS = ("distinct_costs", "frontier", "classes")
TACO_STAGES = ("workspace_rank", "protocolized", "one_insert", "formattable", "distinct")


class CountedSearch(Search):
    """A search whose stages can be counted, and which compares all programs where the `settings` allow that.

    `progress` is told after each loop nest how many of all programs have been looked at, or by a search that skips
    programs, how many costs it has computed.
    """

    def __init__(
        self,
        kernel: Kernel,
        settings: CountedOptions = CountedOptions(),
        progress: Callable[[int], None] = lambda done: None,
    ) -> None:
        self.settings = settings
        super().__init__(kernel, settings, progress)

    def counts(self, last: str = "classes") -> dict[str, int]:
        """How many programs there are after each stage up to one; restrictions count where they apply.

        Trees are counted with their arguments in any order and in one, groupings with duplicates and without.
        """
        names = STAGES[: STAGES.index(last) + 1]
        left_out = () if self.settings.taco else TACO_STAGES
        if last in AFTER_COSTS and not self.exhaustive:
            left_out = (*left_out, "distinct_costs")
        return {name: self.count(name) for name in names if name not in left_out}

    def count(self, stage: str) -> int:
        """How many programs there are after one stage."""
        if stage in AFTER_COSTS:
            return self._count_by_costs(stage)
        match stage:
            case "ordered_trees":
                return sum(map(count_ordered, self.trees))
            case "groupings_raw":
                return self._groupings.made
            case "permuted":
                return sum(self.depths.values())
            case "universe" if not self.settings.taco:
                return sum(len(LoopOrders(one)) * count_choices(one, self._choices) for one in self._shallow)
            case "min_depth":
                return sum(map(len, map(LoopOrders, self._shallow)))
            case "groupings":
                return len(self._groupings.programs)
            case "pushed":
                return sum(self._placement.by_depth()[0].values())
            case _:
                return self._subset[1][stage] if stage in (*TACO_STAGES, "universe") else len(self.programs(stage))

    def _count_by_costs(self, stage: str) -> int:
        if stage == "distinct_costs":
            return len(self._members)
        return len(self.least) if stage == "classes" else sum(map(len, self.least.values()))

    def programs(self, stage: str) -> list[Statement]:
        """The programs after a stage; before the last, only the loop nests of those with protocols, which are many."""
        match stage:
            case "trees" | "ordered_trees":
                return self.trees
            case "groupings" | "groupings_raw":
                return self._named(self._groupings.programs)
            case "pushed" | "permuted":
                return self._named(self._placement.programs(max(self.depths)))
            case "frontier" | "classes":
                return [program for programs in self.least.values() for program in programs]
            case _:
                return self.nests

    @cached_property
    def depths(self) -> dict[int, int]:
        """How many programs there are of each depth, with their loops in all orders."""
        return dict(self._placement.by_depth()[1])

    @cached_property
    def nests(self) -> list[Statement]:
        """The programs of least depth with their loops in all orders."""
        return list(dict.fromkeys(nest for program in self._shallow for nest in self._orders(program)))

    def _orders(self, program: Statement) -> Iterable[Statement]:
        return [nest for one in LoopOrders(program) if (nest := self._ordered(one)) is not None]

    @cached_property
    def least(self) -> dict[Cost, list[Statement]]:
        """The programs of least cost, which may be incomparable, by cost."""
        if not self.exhaustive:
            return self._bounded.found
        classes = frontier_classes(self.task_sets, self._members)
        return {
            cost: [program for one in equal for program in self._found(self._members[one])]
            for cost, equal in classes.items()
        }

    @cached_property
    def costs(self) -> dict[Cost, int]:
        """How many programs have each cost; only the least costs, where not all programs are compared."""
        if not self.exhaustive:
            return {cost: len(programs) for cost, programs in self.least.items()}
        return {cost: len(positions) // 2 for cost, positions in self._members.items()}

    def program_of(self, cost: Cost) -> Statement:
        """The first program that has one of the `costs`."""
        if not self.exhaustive:
            return self.least[cost][0]
        (program,) = self._found(self._members[cost][:2])
        return program

    @cached_property
    def exhaustive(self) -> bool:
        """Whether all programs are compared."""
        settings = self.settings
        return settings.taco or (settings.exhaustive and self.count("universe") <= settings.budget)

    @property
    def complete(self) -> bool:
        """Whether no program can cost less than those of least cost: the budget was enough to exclude that."""
        return self.exhaustive or self._bounded.complete

    @property
    def compared(self) -> int:
        """How many costs were computed, of programs or of what several have in common."""
        return sum(self.costs.values()) if self.exhaustive else self._bounded.costed

    @cached_property
    def _bounded(self) -> BranchAndBound:
        return self.bounded()

    # What the settings change in the stages of the search.

    def _interpreted(self, *, executed: bool = False) -> TaskInterpreter:
        scoped, propagate = self.settings.scoped, self.settings.propagate
        fills = self.kernel.fill_values
        return TaskInterpreter(self.task_sets, fills, scoped=scoped, propagate=propagate, executed=executed)

    def _trees_of(self, program: Statement) -> list[Statement]:
        return statement_trees(program, MANY_TREES) if self.settings.exhaustive else super()._trees_of(program)

    def _grouped(self, trees: Iterable[Statement]) -> Groupings:
        return groupings(trees, self.kernel.element) if self.settings.exhaustive else super()._grouped(trees)

    @cached_property
    def _placement(self) -> CountedPlacement:
        return self._placed(self.kernel.program, self._groupings.programs)

    def _placed(self, statement: Statement, grouped: Iterable[Statement]) -> CountedPlacement:
        indices = self.kernel.indices - bound(statement)
        return CountedPlacement(grouped, indices, self.kernel.element, empty_push=self.settings.empty_push)

    def _first_made(self, programs: Iterator[Statement]) -> tuple[list[Statement], bool]:
        return (self._named(programs), True) if self.settings.exhaustive else super()._first_made(programs)

    def _ordered(self, program: Statement) -> Statement | None:
        ordered = super()._ordered(program)
        return ordered if ordered is None or not self.settings.published_modes else with_published_modes(ordered)

    # All programs with protocols, and their costs.

    @cached_property
    def _families(self) -> list[_Family]:
        """The programs that loop nests become by protocols."""
        if self.settings.taco:
            return [lambda: self._subset[0]]
        return [partial(protocol_choices, nest, self._choices) for nest in self.nests]

    @cached_property
    def _subset(self) -> tuple[list[Statement], dict[str, int]]:
        """The programs that taco can run, and how many are left after each restriction."""
        subset = TacoSubset(self.kernel.tensors, self.kernel.dense, self.settings.stepped)
        programs, counts = subset.programs(self.nests)
        different = list(dict.fromkeys(programs))
        programs = programs if self.settings.repeated else different
        return programs, {**counts, "distinct": len(different), "universe": len(programs)}

    @cached_property
    def _members(self) -> dict[Cost, array[int]]:
        """The positions of all programs in their families, by cost."""
        known: dict[frozenset[Query], Cost] = {}
        members: dict[Cost, array[int]] = {}
        done = 0
        for number, family in enumerate(self._families):
            programs = family()
            for position, program in enumerate(programs):
                tasks = self._interpreter.tasks(program)
                cost = known.get(tasks)
                if cost is None:
                    cost = known[tasks] = self.compared_cost(tasks)
                members.setdefault(cost, array("q")).extend((number, position))
            self._interpreter.limit_memory()
            self.task_sets.limit_memory()
            if len(known) > MOST_KNOWN:
                known.clear()
            done += len(programs)
            self._progress(done)
        return members

    def _found(self, positions: array[int]) -> list[Statement]:
        """The programs at some positions; there may be too many programs to keep them all."""
        pairs = list(zip(positions[::2], positions[1::2], strict=True))
        families = self._families
        found = {number: families[number]() for number in {number for number, _ in pairs}}
        return [found[number][position] for number, position in pairs]
