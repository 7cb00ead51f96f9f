"""Costs do not depend on which sets of absent operands are looked at: the largest ones, or all of them."""

import random

import pytest
from sampling import few_or_many

from irtensor.core.diagnostics import UserError
from irtensor.core.operators import OPERATORS
from irtensor.dialects.concrete_index.protocols import STEP
from irtensor.passes.autoschedule import absent_sets, task_interpreter
from irtensor.passes.autoschedule.absent_entries import without
from irtensor.passes.autoschedule.kernel import Kernel
from irtensor.passes.autoschedule.papers.counted_search import CountedSearch
from irtensor.passes.autoschedule.papers.protocol_choices import protocol_choices
from irtensor.passes.autoschedule.predicates import Atom, Predicates
from irtensor.passes.autoschedule.protocols import FREE, free_choice, with_free_protocols
from irtensor.passes.autoschedule.statements import (
    Access,
    Assign,
    Call,
    Forall,
    Literal,
    Sequence,
    Where,
    loops_over,
    map_accesses,
    map_expressions,
    text_of,
)
from irtensor.passes.autoschedule.task_interpreter import TaskInterpreter
from irtensor.passes.autoschedule.task_sets import TaskSets


def access(text):
    return Access(text[0], tuple(text[1:]))


def call(operator, *arguments):
    return Call(OPERATORS[operator], tuple(access(one) if isinstance(one, str) else one for one in arguments))


ADD = OPERATORS["add"]
SUM = Where(
    Assign(access("Aij"), None, call("add", "Dij", Access(1))),
    Forall("k", Assign(Access(1), ADD, call("mul", "Bik", "Ckj"))),
)
KERNELS = [
    Kernel(Assign(access("ai"), ADD, call("mul", call("add", "Bij", "cj"), "di"))),
    Kernel(Assign(access("Aij"), ADD, call("sub", call("mul", "Bik", "Ckj"), "Dij"))),
    Kernel(Assign(access("Aij"), None, call("max", "Bij", call("sub", "Cij", "dj"))), fills={"d": 2.0}),
    Kernel(SUM),
]
ROWS = [Assign(access("wj"), None if name == "B" else ADD, access(f"{name}ij")) for name in "BCDE"]
ADDED = Sequence(tuple(Forall("j", row) for row in ROWS))
PAIRS = [call("mul", "bi", "ci"), call("mul", "bi", "dj"), call("mul", "ci", "dj")]
# What is absent leaves others in other loops.
PROGRAMS = [
    Forall("i", Where(Forall("k", Assign(access("Aik"), None, call("mul", "wk", "Fik"))), ADDED)),
    loops_over(tuple("ij"), Sequence((Assign(access("Aij"), None, PAIRS[0]), Assign(access("Aij"), ADD, PAIRS[2])))),
    loops_over(tuple("ij"), Assign(access("Aij"), None, call("add", *PAIRS))),
]


def costs(program, fills, few, monkeypatch, ordered=True):
    """The cost of a program, where all sets are looked at of so few operands."""
    monkeypatch.setattr(absent_sets, "_FEW", few)
    sets = TaskSets(Predicates(), {})
    return {
        (query.heads, query.condition)
        for query in sets.union(TaskInterpreter(sets, fills).tasks(program, ordered=ordered))
    }


def assert_same(program, fills, monkeypatch):
    for ordered in (True, False):
        every, largest = (costs(program, fills, few, monkeypatch, ordered) for few in (100, -1))
        assert every == largest, f"{text_of(program)}\n{every}\n{largest}"


@pytest.mark.parametrize("number", range(len(KERNELS)))
def test_the_largest_sets_give_the_cost_of_all(number, monkeypatch):
    kernel, draw = KERNELS[number], random.Random(number)
    nests, choices = CountedSearch(kernel).nests, free_choice(kernel.dense)
    for _ in range(10):
        nest = draw.choice(nests)
        assert_same(draw.choice(protocol_choices(nest, choices)), kernel.fill_values, monkeypatch)
        assert_same(with_free_protocols(nest, choices), kernel.fill_values, monkeypatch)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_in_programs_written_by_hand(number, monkeypatch):
    fills = dict.fromkeys("AbBcCdDeEfF", 0)
    choices = protocol_choices(PROGRAMS[number], free_choice(()))
    for program in random.Random(number).sample(choices, min(64, len(choices))):
        assert_same(program, fills, monkeypatch)
    assert_same(with_free_protocols(PROGRAMS[number], free_choice(())), fills, monkeypatch)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(4))
def test_in_any_expression(seed, monkeypatch):
    draw = random.Random(seed)
    for _ in range(few_or_many(4, 8)):
        operands = [access("BCDE"[n] + "".join(sorted(draw.sample("ijk", draw.randint(1, 2))))) for n in range(4)]
        value = expression(operands, draw)
        indices = sorted({index for one in operands for index in one.indices})
        inside = tuple(draw.sample(indices, len(indices)))
        program = loops_over(inside, Assign(access("a"), ADD, value))
        fills = {name: draw.choice((0, 0, 1)) for name in "BCDE"} | {"a": 0}
        marked = draw.choice(protocol_choices(program, free_choice(())))
        half = map_expressions(marked, lambda one: map_accesses(one, lambda read: half_free(read, draw)))
        assert_same(marked, fills, monkeypatch)
        assert_same(half, fills, monkeypatch)


def expression(operands, draw):
    """Any expression of some operands, each of which may be read again."""
    if len(operands) == 1:
        return operands[0]
    place = draw.randint(1, len(operands) - 1)
    left, right = expression(operands[:place], draw), expression(operands[place:], draw)
    joined = call(draw.choice(("add", "mul", "sub", "max")), left, right)
    return call("add", joined, call("mul", operands[0], right)) if draw.random() < 0.2 else joined


def half_free(read, draw):
    return read._replace(protocols=tuple(FREE if draw.random() < 0.3 else one for one in read.protocols))


def test_wide_sums_are_costed_by_few_cases():
    """Each of twenty matrices that are added up adds its own tasks."""
    names = [chr(ord("B") + number) for number in range(20)]
    stepped = [Access(name, ("i", "j"), (STEP, STEP)) for name in names]
    program = loops_over(("i", "j"), Assign(access("Aij"), None, call("add", *stepped)))
    sets = TaskSets(Predicates(), {})
    found = sets.union(TaskInterpreter(sets, dict.fromkeys(["A", *names], 0)).tasks(program))
    assert {(query.heads, query.condition) for query in found} == {
        (("i", "j"), (Atom(name, ("i", "j")),)) for name in names
    }


def test_too_many_cases_are_refused(monkeypatch):
    """Where all sets have to be looked at, their number is limited."""
    names = [chr(ord("B") + number) for number in range(20)]
    stepped = [Access(name, ("i",), (STEP,)) for name in names]
    fills = dict.fromkeys(["a", *names], float("inf"))
    program = Forall("i", Assign(access("ai"), None, call("min", *stepped)))
    monkeypatch.setattr(task_interpreter, "_MOST_CASES", 100)
    with pytest.raises(UserError, match="more than 100 cases of operands that store nothing"):
        TaskInterpreter(TaskSets(Predicates(), {}), fills).tasks(program)


@pytest.mark.parametrize(("fill", "left"), [(0.0, float("inf")), (-0.0, -float("inf"))])
def test_fills_that_compare_equal_leave_different_values(fill, left):
    read = Access("A", ("i",))
    assign = Assign(Access("R", ("i",)), None, call("reciprocal", read))
    assert without(assign, {read: Literal(fill)}, {}, False) == assign._replace(value=Literal(left))
