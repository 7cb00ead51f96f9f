"""The search for the programs of least asymptotic cost that compute a statement (Ahrens 2022, section 7)."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from irtensor.dialects.tensor_format import TensorFormat
from irtensor.passes.autoschedule.branch_and_bound import BranchAndBound
from irtensor.passes.autoschedule.expression_trees import MANY_TREES, count_ordered, statement_trees
from irtensor.passes.autoschedule.groupings import Groupings, first_programs, groupings
from irtensor.passes.autoschedule.inline_workspaces import inline_workspaces
from irtensor.passes.autoschedule.kernel import Kernel
from irtensor.passes.autoschedule.loop_orders import LoopOrders
from irtensor.passes.autoschedule.name_workspaces import index_workspaces, name_workspaces, number_workspaces
from irtensor.passes.autoschedule.predicates import Predicates
from irtensor.passes.autoschedule.protocols import (
    Choices,
    choice_by_format,
    count_choices,
    free_choice,
    protocol_choices,
    with_free_protocols,
)
from irtensor.passes.autoschedule.published_modes import with_published_modes
from irtensor.passes.autoschedule.push_loops import LoopPlacement, without_loops
from irtensor.passes.autoschedule.search_options import MOST_GROUPINGS, MOST_TREES, USUAL_ASSIGNS, SearchOptions
from irtensor.passes.autoschedule.statements import (
    Statement,
    assigns_within_loops,
    bound,
    count_assigns,
    flattened,
    map_expressions,
    wide_modes,
    without_protocols,
)
from irtensor.passes.autoschedule.taco_subset import TacoSubset
from irtensor.passes.autoschedule.task_interpreter import TaskInterpreter
from irtensor.passes.autoschedule.task_sets import MOST_KNOWN, Assumptions, Cost, Query, TaskSets, frontier_classes

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
AFTER_COSTS = ("distinct_costs", "frontier", "classes")
TACO_STAGES = ("workspace_rank", "protocolized", "one_insert", "formattable", "distinct")


class Search:
    """The stages of a search, each of which runs when it is asked for.

    `progress` is told after each loop nest how many of all programs have been looked at, or by a search that leaves
    programs out, how many costs it has computed.
    """

    def __init__(
        self,
        kernel: Kernel,
        options: SearchOptions = SearchOptions(),
        progress: Callable[[int], None] = lambda done: None,
    ) -> None:
        self.kernel = kernel
        self.options = options
        self.task_sets = TaskSets(Predicates(), kernel.dimensions)
        interpreter = partial(
            TaskInterpreter, self.task_sets, kernel.fill_values, scoped=options.scoped, propagate=options.propagate
        )
        self._interpreter, self._executed = interpreter(), interpreter(executed=True)
        self._executed.share_bodies(self._interpreter)
        self._assumed: dict[bool, Assumptions] = {}
        self._progress = progress
        # How many costs searches that leave programs out have computed.
        self._costed = 0

    def with_formats(self, formats: Mapping[str, TensorFormat]) -> Search:
        """A search for the same statement with operands in some formats, of which only protocols depend.

        What has been computed before protocols is not computed again, nor are the tasks of any program.
        """
        other = Search(replace(self.kernel, formats=formats), self.options)
        other.task_sets, other._interpreter, other._executed = self.task_sets, self._interpreter, self._executed
        other._assumed = self._assumed
        for name in ("trees", "_groupings", "_placement", "_made", "_with_any_protocols"):
            other.__dict__[name] = getattr(self, name)
        return other

    def counts(self, last: str = "classes") -> dict[str, int]:
        """How many programs there are after each stage up to one; restrictions count where they apply.

        Trees are counted with their arguments in any order and in one, groupings with duplicates and without.
        """
        names = STAGES[: STAGES.index(last) + 1]
        left_out = () if self.options.taco else TACO_STAGES
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
            case "universe" if not self.options.taco:
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
    def trees(self) -> list[Statement]:
        """The statement with all trees of its values."""
        return self._trees_of(self.kernel.program)

    def _trees_of(self, program: Statement) -> list[Statement]:
        return statement_trees(program, MANY_TREES if self.options.exhaustive else MOST_TREES)

    @cached_property
    def _groupings(self) -> Groupings:
        return self._grouped(self.trees)

    def _grouped(self, trees: Iterable[Statement]) -> Groupings:
        if self.options.exhaustive:
            return groupings(trees, self.kernel.element)
        # No more are looked at than costs are computed, of all trees alike.
        some = list(trees)
        return groupings(some, self.kernel.element, min(MOST_GROUPINGS, max(2, self.options.budget // len(some))))

    @cached_property
    def _placement(self) -> LoopPlacement:
        return self._placed(self.kernel.program, self._groupings.programs)

    @cached_property
    def _placement_as_written(self) -> LoopPlacement | None:
        """The ways to put loops around the statement with its sums where they are, if some are pulled out."""
        written = self.kernel.written
        if written is None or written == self.kernel.program:
            return None
        return self._placed(written, self._grouped(self._trees_of(written)).programs)

    def _placed(self, statement: Statement, grouped: Iterable[Statement]) -> LoopPlacement:
        indices = self.kernel.indices - bound(statement)
        return LoopPlacement(grouped, indices, self.kernel.element, empty_push=self.options.empty_push)

    @cached_property
    def depths(self) -> dict[int, int]:
        """How many programs there are of each depth, with their loops in all orders."""
        return dict(self._placement.by_depth()[1])

    @property
    def least_depth(self) -> float:
        """The fewest loops that are inside each other in a program."""
        return self._placement.least_depth

    @cached_property
    def nests(self) -> list[Statement]:
        """The programs of least depth with their loops in all orders."""
        return list(dict.fromkeys(nest for program in self._shallow for nest in self._orders(program)))

    @cached_property
    def _shallow(self) -> list[Statement]:
        """The programs of least depth, their loops in one order; of very many, the first ones."""
        return self._made[0]

    @cached_property
    def _made(self) -> tuple[list[Statement], bool]:
        """The same, and whether none is left out."""
        programs = self._placement.programs(self.least_depth)
        if self.options.exhaustive:
            return self._named(programs), True
        some = self._named(first_programs(programs, self.options.budget))
        return some, len(self.trees) < MOST_TREES and self._groupings.complete and next(programs, None) is None

    @cached_property
    def budget(self) -> int:
        """How many costs a search by branch and bound computes: fewer of programs with many workspaces, on average."""
        assigns = sum(map(count_assigns, self._shallow))
        usual = USUAL_ASSIGNS * len(self._shallow)
        return self.options.budget if assigns <= usual else max(1, self.options.budget * usual // assigns)

    @cached_property
    def _with_any_protocols(self) -> list[Statement]:
        """The programs of least depth with all protocols FREE."""
        free = free_choice(self.kernel.dense)
        return [with_free_protocols(program, free) for program in self._shallow]

    @cached_property
    def _choices(self) -> Choices:
        return choice_by_format(self.kernel.dense, self.kernel.formats)

    @cached_property
    def _is_ordered(self) -> bool:
        reductions = (assign.operator for assign, _ in assigns_within_loops(self.kernel.program))
        return not all(operator is None or operator.commutative for operator in reductions)

    def _orders(self, program: Statement) -> Iterable[Statement]:
        return [nest for one in LoopOrders(program) if (nest := self._ordered(one)) is not None]

    def _ordered(self, program: Statement) -> Statement | None:
        """A program with its loops in one order as it is looked at, None if it may not have this order."""
        if self._is_ordered and not self.kernel.keeps_order(program):
            return None
        return with_published_modes(program) if self.options.published_modes else program

    def has(self, program: Statement) -> bool:
        """Whether a program, of any depth and with any protocols, is one of those for the statement."""
        numbered = number_workspaces(without_protocols(program))
        given = map_expressions(numbered, flattened)
        if not (self.kernel.keeps_order(program) and index_workspaces(numbered, self.kernel.element) == numbered):
            return False
        # What is written as the statement is needs no comparison with all that it may be written as.
        inlined = inline_workspaces(given, self.kernel.element)
        if inlined is not None and map_expressions(inlined, flattened) == map_expressions(
            self.kernel.program, flattened
        ):
            return self._placed(self.kernel.program, [without_loops(given)]).has(given)
        if self.kernel.too_large is not None:
            return False
        written = self._placement_as_written
        return self._placement.has(given) or (written is not None and written.has(given))

    def _named(self, programs: Iterable[Statement]) -> list[Statement]:
        return [name_workspaces(program, self.kernel.tensors) for program in programs]

    @cached_property
    def _families(self) -> list[_Family]:
        """The programs that loop nests become by protocols."""
        if self.options.taco:
            return [lambda: self._subset[0]]
        return [partial(protocol_choices, nest, self._choices) for nest in self.nests]

    @cached_property
    def _subset(self) -> tuple[list[Statement], dict[str, int]]:
        """The programs that taco can run, and how many are left after each restriction."""
        subset = TacoSubset(self.kernel.tensors, self.kernel.dense, self.options.stepped)
        programs, counts = subset.programs(self.nests)
        different = list(dict.fromkeys(programs))
        programs = programs if self.options.repeated else different
        return programs, {**counts, "distinct": len(different), "universe": len(programs)}

    @cached_property
    def _members(self) -> dict[Cost, array[int]]:
        """The places of all programs in their families, by cost."""
        known: dict[frozenset[Query], Cost] = {}
        members: dict[Cost, array[int]] = {}
        done = 0
        for number, family in enumerate(self._families):
            programs = family()
            for place, program in enumerate(programs):
                tasks = self._interpreter.tasks(program)
                cost = known.get(tasks)
                if cost is None:
                    cost = known[tasks] = self.compared_cost(tasks)
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
        return {cost: len(places) // 2 for cost, places in self._members.items()}

    def program_of(self, cost: Cost) -> Statement:
        """The first program that has one of the `costs`."""
        if not self.exhaustive:
            return self.least[cost][0]
        (program,) = self._found(self._members[cost][:2])
        return program

    @cached_property
    def exhaustive(self) -> bool:
        """Whether all programs are compared."""
        options = self.options
        return options.taco or (options.exhaustive and self.count("universe") <= options.budget)

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

    def bounded(
        self,
        preference: Callable[[Statement], tuple[Any, ...]] = lambda program: (),
        below: Cost | None = None,
        admits: Callable[[Statement], bool] = lambda nest: True,
        alternatives: bool = True,
        filled: bool | None = None,
        budget: int | None = None,
    ) -> BranchAndBound:
        """A search by branch and bound, which is done, among programs with loop nests that are admitted.

        Inputs are `filled` and the `budget` is that of the options, if nothing else is said.
        """

        def nest(ordered: Statement) -> Statement | None:
            its = self._ordered(ordered)
            free = None if its is None else with_free_protocols(its, self._choices)
            return free if free is not None and admits(free) else None

        def cost(program: Statement, *, ordered: bool = True) -> Cost:
            return self.compared_cost(self._interpreter.tasks(program, ordered=ordered), filled)

        found = BranchAndBound(
            self.task_sets,
            cost,
            partial(cost, ordered=False),
            nest,
            budget=self.budget if budget is None else budget,
            preference=preference,
            memory=wide_modes,
            alternatives=alternatives,
            below=below,
            progress=lambda done: self._progress(self._costed + done),
        )
        found.search(self._with_any_protocols)
        found.complete = found.complete and self._made[1]
        self._costed += found.costed
        return found

    def tasks(self, program: Statement) -> Cost:
        """The cost of a program with nothing paid for."""
        return self.task_sets.union(self._interpreter.tasks(program))

    def executed(self, program: Statement) -> frozenset[Query]:
        """The turns that compiled loops take, those that others contain among them: a merge takes none where a list is
        empty without which nothing is left to do. What it takes to empty places is no turn."""
        return self._executed.tasks(program)

    def stores(self, program: Statement) -> frozenset[Query]:
        """The tasks of a program that store something: not steps that loops take, nor what it takes to empty places."""
        return self._executed.stores(program)

    def cost(self, program: Statement) -> Cost:
        """The cost of a program as it is compared; if protocols are FREE, no more than that of what it becomes."""
        return self.compared_cost(self._interpreter.tasks(program))

    def is_beaten(self, program: Statement, costs: Iterable[Cost], filled: bool | None = None) -> bool:
        """Whether one of some costs is less than that of a program; inputs are `filled` as for `bounded`."""
        its = self.compared_cost(self._interpreter.tasks(program), filled)
        return any(self.task_sets.is_less(cost, its) for cost in costs)

    @cached_property
    def least_possible(self) -> Cost:
        """What every program costs."""
        return self.compared_cost(frozenset())

    def compared_cost(self, tasks: frozenset[Query], filled: bool | None = None) -> Cost:
        """A cost as it is compared: to read the inputs once and to go through the dimensions once costs nothing, and
        no input is empty (section 6.2). They are `filled` as the options say, if nothing else is said."""
        assumptions = self._assumptions(self.options.filled if filled is None else filled)
        return self.task_sets.with_assumptions(self.task_sets.union(tasks), assumptions)

    def _assumptions(self, filled: bool) -> Assumptions:
        if filled not in self._assumed:
            dimensions = sorted({self.kernel.dimension(index) for index in self.kernel.indices})
            self._assumed[filled] = self.task_sets.assumptions(self.kernel.sparse, dimensions, filled=filled)
        return self._assumed[filled]

    def _found(self, places: array[int]) -> list[Statement]:
        """The programs at some places; there may be too many programs to keep them all."""
        pairs = list(zip(places[::2], places[1::2], strict=True))
        families = self._families
        found = {number: families[number]() for number in {number for number, _ in pairs}}
        return [found[number][place] for number, place in pairs]
