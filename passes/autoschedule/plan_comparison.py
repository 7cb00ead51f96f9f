"""Compares a plan with all programs for its statement: is there one that does less, whatever the operands hold?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument

from irtensor.core.cached_property import cached_property
from irtensor.core.diagnostics import UserError
from irtensor.dialects.concrete_index.concrete_index import ComputeOp
from irtensor.passes.autoschedule.choose_program import Preference, extra_memory
from irtensor.passes.autoschedule.convert_operands import Conversions
from irtensor.passes.autoschedule.expected_work import ExpectedWork
from irtensor.passes.autoschedule.given_program import given_program
from irtensor.passes.autoschedule.operand_sizes import OperandSizes
from irtensor.passes.autoschedule.parse_program import parse_program
from irtensor.passes.autoschedule.read_program import Program, kernel_of, read_program
from irtensor.passes.autoschedule.reduce_early import reduce_early
from irtensor.passes.autoschedule.search import Search
from irtensor.passes.autoschedule.search_options import MOST_INDICES, SearchOptions
from irtensor.passes.autoschedule.statements import Statement, accesses, renamed, stored_by
from irtensor.passes.autoschedule.task_sets import Cost, Query, example_of
from irtensor.passes.autoschedule.temporary_sizes import unbounded_modes
from irtensor.passes.repairs.insert_conversions import operand_of

# More operands have more groupings than are searched while a user waits for a compilation.
_MOST_OPERANDS = 4
# Programs for more than these are searched only if the rule finds none: a search of so many takes a tenth of a second.
_SOME_OPERANDS = 3
# Programs for these are searched in less than a millisecond.
_FEW_OPERANDS = 2


class MoreWork(NamedTuple):
    """Tasks that one program has and another one has not, and the least tensors with which that is so."""

    tasks: Query
    entries: dict[str, list[tuple[int, ...]]]


class Verdict(NamedTuple):
    """Whether a program does less than a plan: the best known one that does.

    It is known if the search is `complete`; so it is if there is none. `costed` costs were computed, none if the plan
    does only what every program does.
    """

    better: Statement | None
    complete: bool
    costed: int


class PlanComparison:
    """A definition, as `concretize` leaves it, and the loops that a plan has for it, compared by asymptotic cost.

    At most `budget` costs are computed. `tabulated`: the loops that it has where they compute sums once that the plan
    computes repeatedly. Raises UserError [no-asymptotic-cost] for operations that a program cannot contain.
    """

    def __init__(self, definition: ComputeOp, plan: ComputeOp, budget: int, tabulated: ComputeOp | None = None) -> None:
        self._program = program = read_program(definition)
        kernel = kernel_of(program, definition, converted=False)
        plans = [plan] if tabulated is None else [plan, tabulated]
        known: dict[str, str] = {}
        statements: list[Statement] = []
        for one in plans:
            read = read_program(one)
            copies = _copies(read, program)
            if unknown := read.tensors.keys() - program.tensors.keys() - copies.keys():
                message = f"the plan reads {min(unknown)}, which is not in its definition"
                raise UserError("no-asymptotic-cost", message, op=plan)
            dimensions = _dimensions(read, one, program, definition, copies)
            # A plan may have a variable for another dimension than the statement has of that name.
            other = {
                name for name, its in dimensions.items() if name in kernel.indices and its != kernel.dimension(name)
            }
            names = {name: f"{name}'" if name in other else name for name in dimensions}
            known |= {names[name]: dimension for name, dimension in dimensions.items()}
            statements.append(renamed(read.statement, names, copies))
        self.kernel = replace(kernel, dimensions={**known, **kernel.dimensions})
        self.search = Search(self.kernel, SearchOptions(budget=budget))
        self.plan = statements[0]
        self._forms = statements

    @cached_property
    def cost(self) -> Cost:
        """The cost of the plan. Raises UserError [no-asymptotic-cost] where it has too many cases."""
        return self.search.cost(self.plan)

    @property
    def has_cost(self) -> bool:
        """Whether the plan has a cost, in each of its forms: of some that are very wide there is none."""
        with suppress(UserError):
            return all(map(self.search.cost, self._forms))
        return False

    @cached_property
    def verdict(self) -> Verdict:
        """Whether there is a better program of those that take no more memory.

        They read operands as they are stored, convert no more of them, to levels in another order, than the plan does,
        and have temporaries with one mode at most. Better is what does less than the plan with sums that it computes
        once, where it may.
        """
        cost = self.search.cost(self._forms[-1])
        if cost == self.search.least_possible:
            return Verdict(None, True, 0)
        if self._is_large:
            return Verdict(None, False, 1)
        preference = Preference(self.search, self._program)
        conversions = preference.conversions
        effort = conversions.effort(self.plan)

        def admits(nest: Statement) -> bool:
            return not extra_memory(nest, self._program) and conversions.effort(nest) <= effort

        search = self.search.bounded(preference, cost, admits)
        better = next((program for programs in search.found.values() for program in programs), None)
        return Verdict(better, search.complete, search.costed)

    def may_be_beaten(self, program: Statement) -> bool:
        """Whether one may be found that does less, if it may convert operands and have any temporaries, or converts
        less. For more than two operands, the answer takes no search if the cost is the least possible.

        Raises UserError [no-asymptotic-cost] where the program has no cost.
        """
        if self.kernel.too_large is not None:
            return False
        # The cost of a plan with many operands takes long, and has many cases.
        if self._is_large and program is self.plan:
            return True
        if Conversions(self._program).effort(program):
            return True
        cost = self.search.cost(program)
        if cost == self.search.least_possible or self.kernel.reads > _FEW_OPERANDS:
            return cost != self.search.least_possible
        search = self.search.bounded(Preference(self.search, self._program), cost)
        return bool(search.found) or not search.complete

    def work(self, sizes: OperandSizes) -> float:
        """The steps that the plan is expected to take on operands of some sizes: see ExpectedWork."""
        return min(map(self.model(sizes).of, self._forms))

    def model(self, sizes: OperandSizes) -> ExpectedWork:
        """The work of programs on operands of some sizes."""
        return ExpectedWork(self.search, self._program, Conversions(self._program), sizes)

    def unbounded_modes(self, program: Statement) -> int:
        """How many modes the temporaries of a program have that may be larger than every operand."""
        return unbounded_modes(program, self.search)

    @property
    def shallower(self) -> Statement | None:
        """A better program all of whose tasks are in fewer loops than some of the plan: it is of a lower order.

        Searched for, or of many operands the one that the rule finds, if it does less.
        """
        most = self._most_heads(self.plan)
        # The first comparison needs no search.
        if not self._is_large and (self._least_heads >= most or self.search.least_depth >= most):
            return None
        if self.kernel.reads > _SOME_OPERANDS and (found := self._by_rule) and self._most_heads(found) < most:
            return found
        better = None if self._is_large else self.verdict.better
        return None if better is None or self._most_heads(better) >= most else better

    @property
    def _least_heads(self) -> int:
        """A number of loops that no program has less of inside each other: those that one access needs."""
        return max(len({*access.indices}) for access in accesses(self.kernel.program))

    @property
    def _by_rule(self) -> Statement | None:
        found, conversions = reduce_early(self.kernel, self._program), Conversions(self._program)
        if found is None or extra_memory(found, self._program):
            return None
        if conversions.effort(found) > conversions.effort(self.plan):
            return None
        return found if self.search.task_sets.contains(self.cost, self.search.cost(found)) else None

    @property
    def _is_large(self) -> bool:
        return self.kernel.reads > _MOST_OPERANDS or len(self.kernel.indices) > MOST_INDICES

    def _most_heads(self, program: Statement) -> int:
        return max(len(query.heads) for query in self.search.tasks(program))

    def defines(self, text: str) -> bool:
        """Whether a program stores into the tensor that the plan stores into. Raises UserError [bad-expression]."""
        other = parse_program(text, self.kernel.indices, self.kernel.operators)
        return stored_by(other).target.tensor == stored_by(self.plan).target.tensor

    def other(self, text: str) -> Statement:
        """Another program for the statement. Raises UserError [bad-expression], [bad-schedule-step]."""
        return given_program(text, self.search)

    def more_work(self, program: Statement, than: Statement) -> MoreWork | None:
        """What one program does and another does not, if there is anything."""
        costs, sets = self.search.cost(than), self.search.task_sets
        for query in sorted(self.search.tasks(program), key=lambda one: one.order):
            missing = sets.missing(costs, self.search.compared_cost(frozenset({query})))
            if missing is not None:
                return MoreWork(query, example_of(missing))
        return None


def _copies(read: Program, program: Program) -> dict[str, str]:
    """The operands of a plan that are copies of others in other formats: what these are called in the definition."""
    own = {number: name for name, number in _operands(program)}
    return {name: own[number] for name, number in _operands(read) if name not in program.tensors and number in own}


def _operands(program: Program) -> Iterator[tuple[str, int]]:
    """The operands of a program and which ones of the function they are."""
    for name, tensor in program.tensors.items():
        if isinstance(tensor, BlockArgument) and isinstance(function := tensor.block.parent_op(), FuncOp):
            yield name, operand_of(function, tensor.index)


def _dimensions(
    read: Program, plan: ComputeOp, program: Program, definition: ComputeOp, copies: Mapping[str, str]
) -> dict[str, str]:
    """For each index variable of a plan, the dimension of the definition over which it runs."""
    own, first = program.dimensions(definition), read.dimensions(plan)
    modes = {
        (access.tensor, mode): own[index]
        for access in accesses(program.statement)
        for mode, index in enumerate(access.indices)
    }
    known = {
        first[index]: modes[copies.get(str(access.tensor), access.tensor), mode]
        for access in accesses(read.statement)
        for mode, index in enumerate(access.indices)
        if access.tensor in read.tensors
    }
    return {index: known.get(one, one) for index, one in first.items()}
