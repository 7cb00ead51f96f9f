"""The search for the programs of least asymptotic cost that compute a statement (Ahrens 2022, section 7)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Self

from irtensor.core.cached_property import cached_property
from irtensor.core.tensor_format import TensorFormat
from irtensor.passes.autoschedule.branch_and_bound import BranchAndBound
from irtensor.passes.autoschedule.expression_trees import statement_trees
from irtensor.passes.autoschedule.groupings import Groupings, first_programs, groupings
from irtensor.passes.autoschedule.inline_workspaces import inline_workspaces
from irtensor.passes.autoschedule.kernel import Kernel
from irtensor.passes.autoschedule.name_workspaces import index_workspaces, name_workspaces, number_workspaces
from irtensor.passes.autoschedule.predicates import Predicates
from irtensor.passes.autoschedule.protocols import (
    Choices,
    choice_by_format,
    free_choice,
    with_free_protocols,
)
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
from irtensor.passes.autoschedule.task_interpreter import TaskInterpreter
from irtensor.passes.autoschedule.task_sets import Assumptions, Cost, Query, TaskSets


class Search:
    """The stages of a search; each stage runs when it is asked for.

    No more is looked at than the budget of the `options` allows; `progress` is told how many costs have been computed.
    """

    def __init__(
        self,
        kernel: Kernel,
        options: SearchOptions = SearchOptions(),
        progress: Callable[[int], None] = lambda done: None,
    ) -> None:
        self.kernel = kernel
        self.options = options
        self.task_sets = TaskSets(Predicates(), kernel.dimensions, kernel.determined)
        self._interpreter, self._executed = self._interpreted(), self._interpreted(executed=True)
        self._executed.share_bodies(self._interpreter)
        self._assumed: dict[bool, Assumptions] = {}
        self._progress = progress
        # How many costs all searches by branch and bound have computed.
        self._costed = 0

    def _interpreted(self, *, executed: bool = False) -> TaskInterpreter:
        """What finds the tasks of programs."""
        return TaskInterpreter(self.task_sets, self.kernel.fill_values, executed=executed)

    def with_formats(self, formats: Mapping[str, TensorFormat]) -> Self:
        """A search for the same statement with operands in other formats, which only protocols depend on.

        Results computed before protocols are not computed again, nor are the tasks of any program.
        """
        other = type(self)(replace(self.kernel, formats=formats), self.options)
        other.task_sets, other._interpreter, other._executed = self.task_sets, self._interpreter, self._executed
        other._assumed = self._assumed
        for name in ("trees", "_groupings", "_placement", "_made", "_with_any_protocols"):
            other.__dict__[name] = getattr(self, name)
        return other

    @cached_property
    def trees(self) -> list[Statement]:
        """The statement with all trees of its values."""
        return self._trees_of(self.kernel.program)

    def _trees_of(self, program: Statement) -> list[Statement]:
        return statement_trees(program, MOST_TREES)

    @cached_property
    def _groupings(self) -> Groupings:
        return self._grouped(self.trees)

    def _grouped(self, trees: Iterable[Statement]) -> Groupings:
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
        return LoopPlacement(grouped, indices, self.kernel.element)

    @property
    def least_depth(self) -> float:
        """The fewest loops that are inside each other in a program."""
        return self._placement.least_depth

    @cached_property
    def _shallow(self) -> list[Statement]:
        """The programs of least depth, their loops in one order; of very many, the first ones."""
        return self._made[0]

    @cached_property
    def _made(self) -> tuple[list[Statement], bool]:
        """The same, and whether they are complete."""
        return self._first_made(self._placement.programs(self.least_depth))

    def _first_made(self, programs: Iterator[Statement]) -> tuple[list[Statement], bool]:
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

    def _ordered(self, program: Statement) -> Statement | None:
        """A program with its loops in one order as it is looked at, None if it may not have this order."""
        if self._is_ordered and not self.kernel.keeps_order(program):
            return None
        return program

    def has(self, program: Statement) -> bool:
        """Whether a program, of any depth and with any protocols, is one of those for the statement."""
        numbered = number_workspaces(without_protocols(program))
        given = map_expressions(numbered, flattened)
        if not (self.kernel.keeps_order(program) and index_workspaces(numbered, self.kernel.element) == numbered):
            return False
        # A program in the order of the statement needs no comparison with all other orders.
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
        """The iterations that compiled loops take, those that others contain among them: a merge takes none where a
        list that it needs is empty. Emptying slots is not an iteration."""
        return self._executed.tasks(program)

    def stores(self, program: Statement) -> frozenset[Query]:
        """The tasks of a program that store something: not steps that loops take, nor the emptying of slots."""
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
        """A cost as it is compared: to read the inputs once, to go through the dimensions once and to store once into
        all of a result without a pattern costs nothing, and no input is empty (section 6.2). They are `filled` as the
        options say, if nothing else is said."""
        assumptions = self._assumptions(self.options.filled if filled is None else filled)
        return self.task_sets.with_assumptions(self.task_sets.union(tasks), assumptions)

    def _assumptions(self, filled: bool) -> Assumptions:
        if filled not in self._assumed:
            dimensions = sorted({self.kernel.dimension(index) for index in self.kernel.indices})
            target = self.kernel.target
            stored = [target.indices] if target.tensor in self.kernel.dense else []
            self._assumed[filled] = self.task_sets.assumptions(self.kernel.sparse, dimensions, stored, filled=filled)
        return self._assumed[filled]
