"""What a program executes on random patterns is among the tasks that were predicted for every pattern."""

import random
from itertools import product

import pytest

from irtensor.core.operators import OPERATORS
from irtensor.dialects.concrete_index.protocols import STEP
from irtensor.passes.autoschedule.absent_entries import without
from irtensor.passes.autoschedule.kernel import Kernel
from irtensor.passes.autoschedule.papers.counted_options import CountedOptions
from irtensor.passes.autoschedule.papers.counted_search import CountedSearch
from irtensor.passes.autoschedule.papers.protocol_choices import protocol_choices
from irtensor.passes.autoschedule.predicates import Predicates
from irtensor.passes.autoschedule.protocols import free_choice
from irtensor.passes.autoschedule.statements import (
    Access,
    Assign,
    Call,
    Forall,
    Literal,
    Sequence,
    Where,
    loops_over,
    reads,
    stored_by,
    text_of,
)
from irtensor.passes.autoschedule.task_interpreter import TaskInterpreter
from irtensor.passes.autoschedule.task_sets import TaskSets

ADD, MIN, MAX = (OPERATORS[name] for name in ("add", "min", "max"))


def access(text):
    return Access(text[0], tuple(text[1:]))


def call(operator, *arguments):
    return Call(OPERATORS[operator], tuple(access(one) if isinstance(one, str) else one for one in arguments))


ROW_SUM = Assign(Access(1), ADD, access("Bij"))
PRODUCT = Assign(Access(1), ADD, call("mul", "Bik", "Ckj"))
KERNELS = [
    Kernel(Assign(access("Aij"), ADD, call("mul", "Bik", "Ckj"))),
    Kernel(Assign(access("Aij"), ADD, call("mul", "Bik", "Ckl", "Djl"))),
    Kernel(Assign(access("Aij"), ADD, call("mul", "Bik", "Cjk", "Djk"))),
    Kernel(Assign(access("Aij"), ADD, call("mul", "Bikl", "Cjk", "Djl"))),
    Kernel(Assign(access("ai"), ADD, call("mul", "Bij", "Cjk", "dk")), frozenset("d")),
    Kernel(Assign(access("Aij"), ADD, call("mul", "Bik", "Ckj", "Dij")), frozenset("BC")),
    Kernel(Assign(access("Aij"), ADD, call("mul", "Bij", call("add", "Cij", "Dj")))),
    Kernel(Assign(access("Aij"), None, call("mul", "Bij", call("add", "Cij", "Dj")))),
    Kernel(Assign(access("ai"), MAX, call("mul", "Bij", "cj"))),
    Kernel(Assign(access("Aij"), MIN, call("add", "Bik", "Ckj")), fills={"B": float("inf"), "C": float("inf")}),
    Kernel(Assign(access("Aij"), ADD, call("sub", call("mul", "Bij", "Cij"), "Dij"))),
    # A sum that is part of a value.
    Kernel(Where(Assign(access("Aij"), None, call("mul", "Dij", Access(1))), Forall("k", PRODUCT))),
    Kernel(Where(Assign(access("ai"), None, call("add", "bi", Access(1))), Forall("j", ROW_SUM))),
]


def sequence(*stores):
    """Statements one after the other, all but the first of which add: targets, values and the loops around each."""
    operators = [None] + [ADD] * (len(stores) - 1)
    return Sequence(
        tuple(
            loops_over(loops, Assign(target, operator, value))
            for operator, (target, value, loops) in zip(operators, stores, strict=True)
        )
    )


def added(index, *tensors):
    """A row to which rows of matrices are added."""
    return sequence(*((access(f"w{index}"), access(f"{tensor}i{index}"), index) for tensor in tensors))


ROW = access("wk")
SEQUENCES = [
    # In one loop, and in loops of their own.
    Forall("i", sequence((access("ai"), access("bi"), ""), (access("ai"), call("mul", "ci", "di"), ""))),
    Forall("i", sequence((access("Aij"), access("Bij"), "j"), (access("Aik"), call("mul", "Cik", "Dik"), "k"))),
    sequence((access("Aij"), call("mul", "Bij", "Cij"), "ij"), (access("Aij"), call("mul", "Dij", "Eji"), "ji")),
    # A row is added up and then gone along, or met with another one.
    Forall("i", Where(Forall("k", Assign(access("Aik"), None, ROW)), added("j", "B", "C"))),
    Forall("i", Where(Forall("k", Assign(access("Aik"), None, call("mul", ROW, "Dik"))), added("j", "B", "C", "E"))),
]


class Execution:
    """Runs a program on patterns of operands, noting each iteration of a loop and each statement that is reached.

    A loop that `ends` does so after the last entry of each list without which nothing is left to do.
    """

    def __init__(self, patterns, sizes, propagate, ends=False):
        self.patterns, self.sizes, self.propagate, self.ends = dict(patterns), sizes, propagate, ends
        self.tasks, self.stores = set(), set()

    def run(self, statement, values, fills):
        match statement:
            case Forall(variable, body):
                self.loop(variable, body, values, fills)
            case Assign(target, _, _):
                self.tasks.add(frozenset(values.items()))
                # What is located in it may be absent as well.
                absent = [read for read in reads(statement) if not self.has_entry(read, values)]
                if all(self.without(statement, [read], fills) for read in absent):
                    self.stores.add(frozenset(values.items()))
                if target.tensor in self.patterns:
                    self.patterns[target.tensor].add(tuple(values[index] for index in target.indices))
            case Sequence(statements):
                for one in statements:
                    # A first one that stores nothing has left a constant.
                    if not isinstance(one, Assign) or not isinstance(one.value, Literal):
                        self.run(one, values, fills)
            case _:
                self.where(statement, values, fills)

    def where(self, where, values, fills):
        store = stored_by(where.producer)
        name = store.target.tensor
        outer = self.patterns.get(name)
        self.patterns[name] = set()
        # All operators here have the identity 0, or as a reduction their own; what is not stored reads as that.
        initials = {MAX: -float("inf"), MIN: float("inf")}
        initial = 0 if store.operator is None else initials.get(store.operator, 0)
        inside = {**fills, name: initial}
        if not isinstance(store.value, Literal):
            self.run(where.producer, values, inside)
        self.run(where.consumer, values, inside)
        if outer is not None:
            self.patterns[name] = outer

    def loop(self, variable, body, values, fills):
        found = {read for read in reads(body) if (variable, STEP) in zip(read.indices, read.protocols, strict=False)}
        iterations = [{**values, variable: coordinate} for coordinate in range(self.sizes[variable])]
        for inner in iterations[: self.end(found, body, iterations, fills) if self.ends else None]:
            absent = [read for read in found if not self.has_entry(read, inner)]
            left = self.without(body, absent, fills)
            # Where nothing is stepped to, the loop only goes for what is left to do.
            if len(absent) < len(found) or not found:
                self.tasks.add(frozenset(inner.items()))
            if left is not None:
                self.run(left, inner, fills)

    def end(self, found, body, iterations, fills):
        """How many iterations there are up to the last entry of each list without which nothing is left to do."""
        needed = [read for read in found if self.without(body, [read], fills) is None]
        counts = [
            max((n for n, inner in enumerate(iterations, 1) if self.has_entry(one, inner)), default=0) for one in needed
        ]
        return min(counts, default=len(iterations))

    def without(self, body, absent, fills):
        return without(body, {read: Literal(fills[read.tensor]) for read in absent}, fills, self.propagate)

    def has_entry(self, read, values):
        wanted = [values.get(index) for index in read.indices]
        # What is dense has no pattern.
        entries = self.patterns.get(read.tensor)
        return entries is None or any(
            all(w is None or w == e for w, e in zip(wanted, entry, strict=True)) for entry in entries
        )


def is_predicted(task, cost, patterns, sizes):
    """Whether some query has the task, or one with more coordinates, among its own."""
    return any(holds(query, dict(task), patterns, sizes) for query in cost)


def holds(query, task, patterns, sizes):
    if not task.keys() <= set(query.heads):
        return False
    variables = list({v for atom in query.condition for v in atom.arguments if v not in task})
    # An existential variable has as many values as the longest dimension.
    ranges = [range(sizes.get(v, max(sizes.values()))) for v in variables]
    for chosen in product(*ranges):
        values = {**task, **dict(zip(variables, chosen, strict=True))}
        if all(tuple(values[v] for v in atom.arguments) in patterns[atom.tensor] for atom in query.condition):
            return True
    return False


@pytest.mark.one_in(16)
@pytest.mark.parametrize(
    ("scoped", "propagate", "ends"),
    [(*ways, False) for ways in product((False, True), repeat=2)] + [(True, True, True)],
)
@pytest.mark.parametrize("number", range(len(KERNELS)))
def test_executed_tasks_are_predicted(number, scoped, propagate, ends):
    kernel = KERNELS[number]
    draw = random.Random(f"{number} {scoped} {propagate}")
    nests = CountedSearch(kernel).nests
    executed = 0
    for _ in range(40):
        choices = list(protocol_choices(draw.choice(nests), free_choice(kernel.dense)))
        program = draw.choice(choices)
        task_sets = TaskSets(Predicates(), {})
        interpreter = TaskInterpreter(task_sets, kernel.fill_values, scoped=scoped, propagate=propagate, executed=ends)
        cost, stores = (task_sets.union(found(program)) for found in (interpreter.tasks, interpreter.stores))
        for _ in range(3):
            sizes = {index: draw.choice((1, 2, 2, 3)) for index in kernel.indices}
            patterns = {
                name: {c for c in product(*(range(sizes[i]) for i in indices)) if draw.random() < 0.4}
                for name, indices in kernel.sparse.items()
            }
            execution = Execution(patterns, sizes, propagate, ends)
            execution.run(program, {}, kernel.fill_values)
            executed += len(execution.tasks)
            for found, predicted in ((execution.tasks, cost), (execution.stores, stores)):
                for task in found:
                    assert is_predicted(task, predicted, patterns, sizes), (
                        f"{text_of(program)}\n{dict(task)}\n{patterns}\n{predicted}"
                    )
    assert executed > 100


@pytest.mark.one_in(4)
@pytest.mark.parametrize("number", range(len(SEQUENCES)))
def test_executed_tasks_of_statements_one_after_the_other_are_predicted(number):
    statement = SEQUENCES[number]
    draw = random.Random(number)
    operands = {str(read.tensor): read.indices for read in reads(statement) if read.tensor != "w"}
    fills = dict.fromkeys([*operands, str(stored_by(statement).target.tensor)], 0)
    executed = 0
    for program in protocol_choices(statement, free_choice(())):
        task_sets = TaskSets(Predicates(), {})
        cost = task_sets.union(TaskInterpreter(task_sets, fills).tasks(program))
        columns = draw.choice((1, 2, 3))
        sizes = {"i": draw.choice((1, 2, 3)), "j": columns, "k": columns}
        patterns = {
            name: {c for c in product(*(range(sizes[i]) for i in indices)) if draw.random() < 0.4}
            for name, indices in operands.items()
        }
        execution = Execution(patterns, sizes, propagate=True)
        execution.run(program, {}, fills)
        executed += len(execution.tasks)
        for task in execution.tasks:
            assert is_predicted(task, cost, patterns, sizes), f"{text_of(program)}\n{dict(task)}\n{patterns}\n{cost}"
    assert executed > 10


@pytest.mark.one_in(2)
@pytest.mark.parametrize("number", range(len(KERNELS)))
def test_tasks_on_filled_operands(number):
    """What is left out where every slice has an entry, is not missing there."""
    kernel = KERNELS[number]
    draw = random.Random(number)
    options = CountedOptions(filled=True)
    search = CountedSearch(kernel, options)
    for _ in range(25):
        program = draw.choice(list(protocol_choices(draw.choice(search.nests), free_choice(kernel.dense))))
        cost = search.cost(program)
        sizes = {index: draw.choice((1, 2, 3)) for index in kernel.indices}
        patterns = {}
        for name, indices in kernel.sparse.items():
            places = list(product(*(range(sizes[i]) for i in indices)))
            # Some entries, and more until there is one for every choice of all indices but one.
            chosen = {place for place in places if draw.random() < 0.3}
            for mode in range(len(indices)):
                for place in places:
                    rest = place[:mode] + place[mode + 1 :]
                    if not any(one[:mode] + one[mode + 1 :] == rest for one in chosen):
                        chosen.add(place)
            patterns[name] = chosen
        execution = Execution(patterns, sizes, options.propagate)
        execution.run(program, {}, kernel.fill_values)
        for task in execution.tasks:
            assert is_predicted(task, cost, patterns, sizes), f"{text_of(program)}\n{dict(task)}\n{patterns}\n{cost}"
