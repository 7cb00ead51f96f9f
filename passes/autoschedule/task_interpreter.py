"""The cost of a program as the set of tasks that it executes, by abstract interpretation (Ahrens 2022, section 6.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from irtensor.core.diagnostics import UserError
from irtensor.core.operators import Scalar
from irtensor.dialects.concrete_index.protocols import STEP
from irtensor.passes.autoschedule.absent_entries import initial_value, stores_nothing, without
from irtensor.passes.autoschedule.absent_sets import absent_sets
from irtensor.passes.autoschedule.predicates import FALSE, TRUE, Predicate
from irtensor.passes.autoschedule.protocols import FREE
from irtensor.passes.autoschedule.statements import (
    Access,
    Assign,
    Forall,
    Literal,
    Sequence,
    Statement,
    Where,
    located,
    reads,
    stored_by,
)
from irtensor.passes.autoschedule.task_sets import MOST_KNOWN, Query, TaskSets

# How many cases are looked at in one program: a loop has one for each set of operands that store nothing there.
_MOST_CASES = 10_000


class Workspace(NamedTuple):
    """Known facts about a workspace: where it may have entries, by modes, and its value elsewhere.

    `scope` are the loops around its `where`, which have a value each while it lives.
    """

    name: str
    entries: Predicate
    scope: frozenset[str]
    fill: Scalar


_Tasks = frozenset[Query]
_Workspaces = tuple[Workspace, ...]
_Accesses = tuple[Access, ...]
_NONE: _Tasks = frozenset()


class _Found(NamedTuple):
    """The summary of a statement: its tasks, those of its assignments that store something, and its workspaces."""

    tasks: _Tasks
    stores: _Tasks
    workspaces: _Workspaces


class TaskInterpreter:
    """Costs of programs of one statement; all of them share cached results.

    `fills` are those of the sparse operands and of the result, by name; others are dense tensors or workspaces. A
    workspace has entries where its statement runs, for the same values of the loops around the `where` (`scoped`) or,
    as published, for any. `propagate`: a workspace without any entry reads as what it begins as. `executed`: tasks
    are the iterations that compiled loops take, none where an operand that every iteration needs has no entry at all;
    emptying slots is not an iteration. Published costs count all of these.
    """

    def __init__(
        self,
        task_sets: TaskSets,
        fills: Mapping[str, Scalar],
        *,
        scoped: bool = True,
        propagate: bool = True,
        executed: bool = False,
    ) -> None:
        self.task_sets = task_sets
        self.predicates = task_sets.predicates
        self.fills = fills
        self.scoped = scoped
        self.propagate = propagate
        self.executed = executed
        self._cases = 0
        self._visited: dict[object, _Found] = {}
        self._sets: dict[object, list[frozenset[Access]]] = {}
        self._bodies: dict[object, Statement | None] = {}
        self._steppers: dict[Forall, tuple[_Accesses, _Accesses]] = {}

    def share_bodies(self, other: TaskInterpreter) -> None:
        """Share the other one's remaining programs of loops where operands have no entry, for the same fills."""
        self._sets, self._bodies, self._steppers = other._sets, other._bodies, other._steppers

    def limit_memory(self) -> None:
        """Drop cached results of programs when they are many; there may be millions of programs."""
        if len(self._visited) > MOST_KNOWN:
            self._visited.clear()
            self._sets.clear()
            self._bodies.clear()
            self._steppers.clear()

    def tasks(self, program: Statement, *, ordered: bool = True) -> _Tasks:
        """The tasks of a program; some may be contained in others.

        Those of a program with FREE protocols are among those of each program that it becomes by choosing them; if it
        is not `ordered`, in any order of its directly nested loops.
        """
        self._cases = 0
        return self._visit(program, frozenset(), TRUE, (), ordered).tasks

    def stores(self, program: Statement) -> _Tasks:
        """The tasks of a program that store something: not steps that loops take, nor the emptying of slots."""
        self._cases = 0
        return self._visit(program, frozenset(), TRUE, (), True).stores

    def _count_case(self) -> None:
        self._cases += 1
        if self._cases > _MOST_CASES:
            message = f"the asymptotic cost has more than {_MOST_CASES} cases of operands that store nothing"
            help = "add up or multiply fewer operands at once, the others by definitions of their own"
            raise UserError("no-asymptotic-cost", message, help=help)

    def _visit(
        self, statement: Statement, bound: frozenset[str], guard: Predicate, workspaces: _Workspaces, certain: bool
    ) -> _Found:
        """The tasks of a statement within loops, run where `guard` holds, and the known facts about workspaces then.

        It is not `certain` that a loop which nothing is stepped in goes to all coordinates, if it might be another loop
        that is there, or if something is taken to be absent that might be stepped to.
        """
        key = statement, bound, guard, workspaces, certain
        found = self._visited.get(key)
        if found is None:
            match statement:
                case Forall():
                    found = self._loop(statement, bound | {statement.variable}, guard, workspaces, certain)
                case Where():
                    found = self._where(statement, bound, guard, workspaces, certain)
                case Sequence():
                    found = self._sequence(statement, bound, guard, workspaces, certain)
                case Assign():
                    found = _Found(
                        self.task_sets.tasks(bound, guard),
                        self._stores(statement, bound, guard, workspaces),
                        self._stored(statement, bound, guard, workspaces),
                    )
            self._visited[key] = found
        return found

    def _loop(
        self, loop: Forall, bound: frozenset[str], guard: Predicate, workspaces: _Workspaces, certain: bool
    ) -> _Found:
        """A loop goes to every coordinate that some operand steps to; with none, to all of them.

        What may step is taken to pass over all that it can, and to be gone to by nobody.
        """
        steppers, free = self._steppers_of(loop)
        if not steppers and not free:
            tasks, stores, workspaces = self._visit(loop.body, bound, guard, workspaces, certain)
            own = self.task_sets.tasks(bound, guard) if certain else _NONE
            return _Found(tasks | own, stores, workspaces)
        tasks = stores = _NONE
        has_entry = {stepper: self._has_entry(stepper, bound, workspaces) for stepper in (*steppers, *free)}
        for absent in self._absent_sets(loop, steppers, free, workspaces):
            self._count_case()
            body = self._body(loop.body, absent, workspaces)
            if body is None:
                continue
            here = guard
            for stepper in has_entry:
                if stepper not in absent:
                    here = self.predicates.conjoin(here, has_entry[stepper])
            if here:
                known = certain and not any(one in absent for one in free)
                inner, stored, workspaces = self._visit(body, bound, here, workspaces, known)
                tasks, stores = tasks | inner, stores | stored
        taken = self._steps(loop, guard, {stepper: has_entry[stepper] for stepper in steppers}, workspaces)
        return _Found(tasks.union(*(self.task_sets.tasks(bound, here) for here in taken)), stores, workspaces)

    def _steps(
        self, loop: Forall, guard: Predicate, steppers: Mapping[Access, Predicate], workspaces: _Workspaces
    ) -> Iterator[Predicate]:
        """Where a loop takes the steps of each of its lists, given where these have an entry."""
        needed = {
            one: self.predicates.exists(has_entry, [loop.variable])
            for one, has_entry in steppers.items()
            if self.executed and self._body(loop.body, frozenset({one}), workspaces) is None
        }
        for stepper, has_entry in steppers.items():
            here = self.predicates.conjoin(guard, has_entry)
            for other in needed:
                here = here if other == stepper else self.predicates.conjoin(here, needed[other])
            yield here

    def _steppers_of(self, loop: Forall) -> tuple[_Accesses, _Accesses]:
        """The accesses inside that step through the loop's variable, and those that may. Levels are in the order of the
        loops, so that all that is above is known there."""
        found = self._steppers.get(loop)
        if found is None:
            marks = {read: set(zip(read.indices, read.protocols, strict=False)) for read in reads(loop.body)}
            steppers = tuple([read for read in marks if (loop.variable, STEP) in marks[read]])
            free = tuple([read for read in marks if (loop.variable, FREE) in marks[read] and read not in steppers])
            found = self._steppers[loop] = steppers, free
        return found

    def _has_entry(self, access: Access, bound: frozenset[str], workspaces: _Workspaces) -> Predicate:
        """Whether there is an entry of a tensor for the values of the loops, whatever the other variables are."""
        inner = [index for index in access.indices if index not in bound]
        name, modes = str(access.tensor), access.modes or access.indices
        if name in self.fills:
            return self.predicates.exists(self.predicates.atom(name, modes), inner)
        entries = next(workspace.entries for workspace in workspaces if workspace.name == name)
        names = {_mode(number): index for number, index in enumerate(modes)}
        return self.predicates.exists(self.predicates.rename(entries, names), inner)

    def _absent_sets(
        self, loop: Forall, steppers: _Accesses, free: _Accesses, workspaces: _Workspaces
    ) -> list[frozenset[Access]]:
        key = loop, tuple([(workspace.name, workspace.fill) for workspace in workspaces])
        if key not in self._sets:
            sets = absent_sets(loop, steppers, free, self._fills_with(workspaces), self.propagate)
            self._sets[key] = list(islice(sets, _MOST_CASES + 1))
        return self._sets[key]

    def _body(self, body: Statement, absent: frozenset[Access], workspaces: _Workspaces) -> Statement | None:
        key = body, absent, tuple([(workspace.name, workspace.fill) for workspace in workspaces])
        if key not in self._bodies:
            fills = self._fills_with(workspaces)
            known = {access: Literal(fills[str(access.tensor)]) for access in absent}
            self._bodies[key] = without(body, known, fills, self.propagate)
        return self._bodies[key]

    def _fills_with(self, workspaces: _Workspaces) -> dict[str, Scalar]:
        return {**self.fills, **{workspace.name: workspace.fill for workspace in workspaces}}

    def _where(
        self, where: Where, bound: frozenset[str], guard: Predicate, workspaces: _Workspaces, certain: bool
    ) -> _Found:
        producer = where.producer
        target = stored_by(producer).target
        own = Workspace(str(target.tensor), FALSE, bound, initial_value(producer, self._fills_with(workspaces)))
        # It is emptied where it has a slot for each coordinate.
        placed = bound if self.executed else bound.union(located(target))
        tasks = self.task_sets.tasks(placed, guard) if placed != bound else _NONE
        produced = _Found(_NONE, _NONE, (own, *workspaces))
        if not stores_nothing(producer):
            produced = self._visit(producer, bound, guard, produced.workspaces, certain)
        consumed = self._visit(where.consumer, bound, guard, produced.workspaces, certain)
        tasks |= produced.tasks | consumed.tasks
        return _Found(tasks, produced.stores | consumed.stores, consumed.workspaces[1:])

    def _sequence(
        self, sequence: Sequence, bound: frozenset[str], guard: Predicate, workspaces: _Workspaces, certain: bool
    ) -> _Found:
        tasks = stores = _NONE
        for statement in sequence.statements:
            if not stores_nothing(statement):
                found, stored, workspaces = self._visit(statement, bound, guard, workspaces, certain)
                tasks, stores = tasks | found, stores | stored
        return _Found(tasks, stores, workspaces)

    def _stores(self, assign: Assign, bound: frozenset[str], guard: Predicate, workspaces: _Workspaces) -> _Tasks:
        """An assignment stores something where all that is located in it is there, without which it stores nothing."""
        known = self._fills_with(workspaces)
        for read in reads(assign):
            found = located(read) and str(read.tensor) in known
            if found and self._body(assign, frozenset({read}), workspaces) is None:
                guard = self.predicates.conjoin(guard, self._has_entry(read, bound, workspaces))
        return self.task_sets.tasks(bound, guard)

    def _stored(self, assign: Assign, bound: frozenset[str], guard: Predicate, workspaces: _Workspaces) -> _Workspaces:
        """Known facts about workspaces after an assignment that runs where `guard` holds."""
        return tuple(
            one._replace(entries=self.predicates.disjoin(one.entries, self._written(assign.target, bound, guard, one)))
            if one.name == assign.target.tensor
            else one
            for one in workspaces
        )

    def _written(self, target: Access, bound: frozenset[str], guard: Predicate, workspace: Workspace) -> Predicate:
        hidden = bound.difference(target.indices)
        if self.scoped:
            hidden -= workspace.scope
        names = {index: _mode(number) for number, index in enumerate(target.indices)}
        return self.predicates.rename(self.predicates.exists(guard, hidden), names)


def _mode(number: int) -> str:
    return f"#{number}"
