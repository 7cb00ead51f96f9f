"""Programs of users, drawn from what the manual says, against plain loops (`test/support/plain_programs`)."""

import os
import signal
import time

import numpy as np
import pytest
from plain_programs.draw import draw_program
from plain_programs.expressions import Access, Apply, Number, Reduce, Writer
from plain_programs.judge import Verdict, judge
from plain_programs.meaning import Elements, Meaning, expected
from plain_programs.run import in_children, verdicts, warm_up

PROGRAMS, PIECE = 150, 100
A, B = Access("A", ("i", "j")), Access("B", ("j",))


def report(seed, verdict):
    """What a fault is, with the program that shows it."""
    return f"{seed}: {verdict.kind}\n{verdict.detail}\n{draw_program(seed).stand_alone()}"


@pytest.mark.one_in(6)
@pytest.mark.parametrize("seed", range(0, PROGRAMS, 5))
def test_five_programs(seed, small_parts):
    for number in range(seed, seed + 5):
        faults = [verdict for verdict in judge(draw_program(number)) if verdict.is_fault]
        assert not faults, report(number, faults[0])


@pytest.mark.soak
def test_random_programs(soak_seeds):
    warm_up()
    for seed in soak_seeds:
        for number, found in verdicts([seed * PIECE + part for part in range(PIECE)]):
            faults = [verdict for verdict in found if verdict.is_fault]
            assert not faults, report(number, faults[0])


def test_the_same_seed_draws_the_same_program():
    assert [draw_program(seed).source() for seed in range(20)] == [draw_program(seed).source() for seed in range(20)]


def test_every_door_is_drawn():
    assert {draw_program(seed).door for seed in range(60)} == {"compile", "lazy", "operators", "einsum"}


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (Apply("*", (Apply("+", (A, B)), Number(-2))), "(A[i, j] + B[j]) * -2"),
        (Apply("-", (A, Apply("-", (B, B)))), "A[i, j] - (B[j] - B[j])"),
        (Apply("**", (Apply("neg", (A,)), Number(2))), "(-A[i, j]) ** 2"),
        (Apply("neg", (Apply("**", (A, Number(2))),)), "-A[i, j] ** 2"),
        (Apply("&", (Apply("<", (A, B)), Apply("==", (A, B)))), "(A[i, j] < B[j]) & (A[i, j] == B[j])"),
        (Reduce("max", "j", Apply("where", (A, B, Number(0.5)))), "max(j, where(A[i, j], B[j], 0.5))"),
    ],
)
def test_a_text_is_read_as_it_was_meant(node, text):
    assert Writer("notation").text(node) == text


def meaning(**arrays):
    return Meaning({name: Elements(np.array(values)) for name, values in arrays.items()}, {"i": 2, "j": 3})


def test_what_loops_say():
    loops = meaning(A=[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], B=[1.0, 0.5, 2.0])
    assert expected(loops, "+", ("i",), Apply("*", (A, B))).values.tolist() == [8.0, 18.5]
    assert expected(loops, "min", ("i",), Apply("+", (A, B))).values.tolist() == [2.0, 5.0]
    once = Apply("+", (Apply("*", (A, B)), Access("A", ("i", "i"))))
    assert expected(loops, "+", ("i",), once).values.tolist() == [9.0, 23.5]


def test_booleans_count_and_numbers_are_weak():
    loops = meaning(A=[[True, True, False], [False, True, True]], B=np.array([1, 2, 3], "int8"))
    counted = expected(loops, "+", (), Reduce("sum", "i", A))
    assert (counted.values.dtype, counted.values) == (np.int64, 4)
    assert expected(loops, "+", ("j",), Apply("*", (B, Number(100)))).values.tolist() == [100, -56, 44]


def test_absent_factors_annihilate():
    absent = np.array([True, False, True])
    operands = {"A": Elements(np.array([0.0, 0.0, 0.0]), absent), "B": Elements(np.array([np.inf, np.inf, 1.0]))}
    product = Apply("*", (Access("A", ("j",)), B))
    found = expected(Meaning(operands, {"j": 3}, absent_rule=True), "+", ("j",), product)
    np.testing.assert_array_equal(found.values, [0.0, np.nan, 0.0])


def test_processes_that_crash_and_hang_are_found():
    def work(number):
        if number == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        if number == 3:
            time.sleep(60)
        return number

    found = dict(in_children(work, [0, 1, 2, 3, 4], seconds=1))
    assert found == {0: 0, 1: Verdict("crash -9"), 2: 2, 3: Verdict("hang"), 4: 4}
